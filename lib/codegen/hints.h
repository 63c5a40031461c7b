// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes a kernel slow on its target, by the user's source lines. Collected where a request
// asks for it, and never else.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"

namespace krait::codegen {

class Hints {
 public:
  /// `text`: what it is, why, and what helps. The first of a kind and line counts.
  void add(std::string_view kind, const ir::Location& at, std::string text);
  /// By file and line; a line each of kind, line number, file and text, with tabs between
  /// (codegen.h).
  std::string lines() const;

 private:
  struct Hint {
    std::string kind;
    ir::Location at;
    std::string text;
  };
  std::vector<Hint> all_;
};

/// Why the element that a thread accesses lies at no fixed distance from its neighbour's, and what
/// helps.
struct Cause {
  std::string why, cure;
};
/// Threads are a run-time distance apart.
Cause scaled_cause();
/// By what the index is made of; `uniform` says what neighbours have in common.
Cause cause_of(const ir::Function& f, ir::ValueId index,
               const std::function<bool(ir::ValueId)>& uniform);

/// Texts that several targets share.
std::string strided_text(bool stores, std::int64_t bytes, std::uint32_t element_bytes,
                         std::string_view price);
std::string division_text(ir::Scalar s, bool known_divisor, std::string_view price);

/// Of a kernel whose accesses were combined, as NVIDIA's and Vulkan's GPUs run it.
void find_gpu_hints(const ir::Module& module, Hints& hints);

}  // namespace krait::codegen
