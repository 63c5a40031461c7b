// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/kit/hint_record.h"

#include <fmt/core.h>

namespace krait::codegen::cpu {

void Record::tell(Hints& hints) const {
  for (const auto& [inst, choice] : accesses_)
    if (choice.how != Access::Row)
      hints.add(choice.kind, choice.f->locations[inst->loc], choice.text);
  struct Behind {
    const ir::Function* f;
    unsigned count = 0;
  };
  std::map<const ir::Inst*, Behind> parted;
  for (const auto& [inst, by] : masked_)
    if (by.second) parted.try_emplace(by.second, Behind{by.first}).first->second.count += 1;
  for (const auto& [inst, behind] : parted)
    hints.add("mask", behind.f->locations[inst->loc],
              fmt::format(
                  "masks: threads diverge here, and {} later access{} {} under a mask of one bit "
                  "per thread, which a processor without AVX-512 handles piece by piece. "
                  "Let all threads store: choose the value by kr::select, "
                  "or put the body into one kr::if_ instead of leaving early",
                  behind.count, behind.count == 1 ? "" : "es", behind.count == 1 ? "runs" : "run"));
}

}  // namespace krait::codegen::cpu
