// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several numbers side by side for each lane, lanes far apart: the elements of a row that
// passes/loops/unroll_rows.cpp asks for, or the members of a large aggregate.
#pragma once

#include <optional>
#include <vector>

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class Addresses;
class HintNotes;
struct Address;

class Rows : public Part {
 public:
  Rows(const Common& common, Addresses& addresses, HintNotes& notes)
      : Part(common), addresses_(addresses), hint_notes_(notes) {}
  /// False where the load is no such one.
  bool load_rows(const ir::Inst& inst);
  /// The same for a store of pieces of 16 bytes.
  bool store_rows(const ir::Inst& inst);
  /// Part p of `block` rows of lanes, as a piece a lane at `a`.
  void store_blocks(std::vector<V> rows, const Address& a, unsigned p, ir::ValueId array,
                    unsigned size);
  /// Two rows of lanes of 4 bytes, as a pair a lane at `a`.
  void store_pairs(V x, V y, const Address& a, unsigned p, ir::ValueId array, unsigned size);
  /// Pieces of `block` elements, one a lane, as that many rows of lanes.
  std::vector<V> load_blocks(unsigned block, llvm::function_ref<V(unsigned lane)> load);
  /// Turns `block` rows over: of blocks of as many lanes, row k's element j becomes row j's element
  /// k.
  void turn_blocks(std::vector<V>& rows);

 private:
  std::optional<ir::Scalar> number_beside(ir::ValueId index, std::uint64_t element,
                                          unsigned bytes) const;

  Addresses& addresses_;
  HintNotes& hint_notes_;
};

}  // namespace krait::codegen::cpu
