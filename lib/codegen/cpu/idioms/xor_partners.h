// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partners in exchanges: the thread's place in its row with some bits flipped, as in sorting
// networks, butterflies and transforms.
#pragma once

#include <vector>

#include "codegen/cpu/emit/part.h"

namespace krait::codegen::cpu {

class Addresses;
class HintNotes;
class Positions;

class XorPartners : public Part {
 public:
  XorPartners(const Common& common, const Positions& positions, Addresses& addresses,
              HintNotes& notes)
      : Part(common), positions_(positions), addresses_(addresses), hint_notes_(notes) {}
  // Each of these is false where the instruction is no such one.
  bool emit_flip(const ir::Inst& inst);
  bool emit_flip_compare(const ir::Inst& inst);
  bool load_flipped(const ir::Inst& inst);
  bool store_flipped(const ir::Inst& inst);

 private:
  std::vector<unsigned> flipped_lanes(unsigned flip, unsigned p) const;
  bool takes_flipped(const ir::Inst& inst) const;
  V flipped_mask(unsigned flip, unsigned p);

  const Positions& positions_;
  Addresses& addresses_;
  HintNotes& hint_notes_;
};

}  // namespace krait::codegen::cpu
