// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs passes one after another; where that is asked for, each result is verified and gets
// unreachable entries for the next pass.
#pragma once

#include "ir/unreachable_entries.h"
#include "ir/text/text.h"
#include "passes/passes.h"
#include "passes/watch.h"
#include "support/error.h"

namespace krait::passes {

class Runner {
 public:
  explicit Runner(ir::Module& m, bool checked = verify_by_default, const Watch& watch = {})
      : m_(m), checked_(checked), watch_(watch) {
    check("recording");
  }
  Runner& operator()(const char* name, void (*pass)(ir::Module&)) {
    pass(m_);
    check(name);
    return *this;
  }
  /// Throws krait::error of kind internal, which names the pass, where the module is broken.
  void check(const char* name) {
    if (watch_) watch_(name, m_);
    if (!checked_) return;
    const std::string broken = verify(m_);
    if (!broken.empty())
      support::fail(error::kind_type::internal, "kernel {} is broken after {}: {}",
                    m_.kernel().name, name, broken);
    add_unreachable_entries(m_);
  }

 private:
  ir::Module& m_;
  bool checked_;
  Watch watch_;
};

}  // namespace krait::passes
