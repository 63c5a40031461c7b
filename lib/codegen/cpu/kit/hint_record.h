// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lowering chose for each instruction, for hints. An instruction may be lowered several
// times: for whole gangs, for the rest of a row, for each way of laying threads on lanes. What is
// slow in all of them is told.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "codegen/hints.h"
#include "ir/ir.h"

namespace krait::codegen::cpu {

class Record {
 public:
  /// The dearer the later.
  enum class Access : std::uint8_t { Row, Strided, Each };

  /// `text` is asked for where this is the cheapest way so far.
  template <class Text>
  void access(const ir::Function& f, const ir::Inst& inst, Access how, const char* kind,
              Text&& text) {
    const auto [at, fresh] = accesses_.try_emplace(&inst);
    if (!fresh && at->second.how <= how) return;
    at->second = {how, &f, kind, how == Access::Row ? std::string() : text()};
  }
  /// An access that costs more under a mask; `parted`: what took lanes away before it, null where
  /// all take part.
  void masked(const ir::Function& f, const ir::Inst& inst, const ir::Inst* parted) {
    const auto [at, fresh] = masked_.try_emplace(&inst, &f, parted);
    if (!fresh && !parted) at->second.second = nullptr;
  }
  /// Slow however it is lowered.
  void slow(const ir::Function& f, const ir::Inst& inst, const char* kind, std::string text) {
    hints_.add(kind, f.locations[inst.loc], std::move(text));
  }

  /// With all that was noted.
  void tell(Hints& hints) const;
  explicit Record(Hints& hints) : hints_(hints) {}

 private:
  struct Choice {
    Access how = Access::Each;
    const ir::Function* f = nullptr;
    const char* kind = nullptr;
    std::string text;
  };
  Hints& hints_;
  std::map<const ir::Inst*, Choice> accesses_;
  std::map<const ir::Inst*, std::pair<const ir::Function*, const ir::Inst*>> masked_;
};

}  // namespace krait::codegen::cpu
