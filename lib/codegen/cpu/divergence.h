// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is equal in a gang of lanes, and which jumps take only some of them. Unlike passes::uniformity, which proves what holds
// for every schedule, this knows that a gang runs in step: a load from a uniform address is one load.
#pragma once

#include <optional>
#include <vector>

#include "codegen/cpu/shape.h"
#include "ir/calls.h"
#include "ir/ir.h"

namespace krait::codegen::cpu {

enum class Span : std::uint8_t { Block, Gang, Varying };  // the widest set of threads that sees one value

struct Divergence {
  std::vector<Span> values;   // by ValueId: among the lanes that are active where the value is defined
  std::vector<bool> masked;   // by InstId: a jump that leaves other lanes waiting; a loop that lanes leave at different times
  std::vector<bool> kills;    // by InstId: lanes that entered may not come out at its end
  std::vector<bool> barrier;  // by InstId: holds a barrier
  std::vector<bool> returns;  // by InstId: a loop that lanes leave by return
  std::vector<unsigned> continues;  // by InstId of a loop: how many places go to its next trip

  bool varying(ir::ValueId v) const { return values[v] == Span::Varying; }
};
/// thread_idx.x, in a type that holds it, and where rows are whole warps the place in the grid: both are multiples of the gang's size
/// where a gang begins. None where v is neither.
ir::ValueId place_in_row(const ir::Function& f, ir::ValueId v);
/// An operation that takes a thread's place in its row of the block apart: t & (2^bits - 1), or t >> bits, as remainder and quotient too.
struct RowPart {
  bool high = false;
  unsigned bits = 0;
  ir::ValueId of = ir::none;  // the place
};
std::optional<RowPart> row_part_of(const ir::Function& f, const ir::Inst& inst);

/// `parameters`: of a function that is called, what its parameters are; else they are equal in the block.
Divergence find_divergence(const ir::Function& f, const ir::Calls& calls, const Shape& shape, ir::InstId range_loop,
                           const std::vector<Span>& parameters = {});

}  // namespace krait::codegen::cpu
