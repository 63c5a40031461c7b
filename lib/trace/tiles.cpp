// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on tiles, as krait/tile.h asks for them.
#include "trace/tiles.h"

#include <fmt/core.h>

#include "trace/recorder.h"

namespace krait::detail {

using ir::Op;
using ir::Scalar;
using trace::Recorder;

unsigned threads_of_block() {
  constexpr unsigned after_misuse = 32;
  Recorder& r = trace::recorder();
  const std::array<std::int64_t, 3>& block = r.functions.kernel().block;
  const std::int64_t threads = block[0] * block[1] * block[2];
  if (threads > 0) return unsigned(threads);
  r.found.misuse(
      "tiles need a block whose size is fixed: kr::kernel<grid, block>(…), or kr::kernel(…, "
      "{.block = 128})");
  return after_misuse;
}

void multiply(const product_form& form, const factor& left, const factor& right, node* sums,
              unsigned count, const node* held, unsigned held_count) {
  Recorder& r = trace::recorder();
  ir::Product p;
  p.rows = form.rows, p.columns = form.columns, p.depth = form.depth,
  p.overlapped = form.overlapped;
  p.left = Scalar(left.type), p.right = Scalar(right.type);
  p.left_transposed = left.transposed, p.right_transposed = right.transposed;
  if (const std::string wrong = p.misfit(threads_of_block()); !wrong.empty())
    return r.found.misuse(wrong);
  const Scalar type = ir::Product::sums_of(p.left, p.right);
  std::vector<ir::ValueId> operands{r.resolve(left.array), r.use_as(Scalar::I32, left.offset),
                                    r.resolve(right.array), r.use_as(Scalar::I32, right.offset)};
  if (operands[0] == ir::none || operands[2] == ir::none) return;
  for (unsigned e = 0; e < count; ++e) operands.push_back(r.use_as(type, sums[e]));
  for (unsigned e = 0; e < held_count; ++e) operands.push_back(r.use_as(p.left, held[e]));
  const ir::InstId product = r.append(Op::Product, ir::value_type(type), operands);
  r.function().insts[product].list = p.list();
  r.function().insts[product].fast = form.rounds;
  for (unsigned e = 0; e < count; ++e)
    sums[e] = r.node_of(r.at().add_result(product, ir::value_type(type)));
}

void copy_tile(const factor& to, const place& from, int rows, int columns, bool inside,
               bool pieces) {
  Recorder& r = trace::recorder();
  std::vector<ir::ValueId> operands{r.resolve(to.array), r.use_as(Scalar::I32, to.offset),
                                    r.resolve(from.array)};
  if (operands[0] == ir::none || operands.back() == ir::none) return;
  for (unsigned d = 0; d < from.rank; ++d)
    operands.push_back(r.use_as(Scalar::I64, from.indices[d]));
  ir::TileCopy copy;
  copy.rows = rows, copy.columns = columns, copy.inside = inside, copy.pieces = pieces;
  r.function().insts[r.append(Op::CopyTile, {}, operands)].list = copy.list();
}

void copy_back(const place& to, node array, node at, unsigned elements) {
  Recorder& r = trace::recorder();
  std::vector<ir::ValueId> operands{r.resolve(to.array), r.resolve(array),
                                    r.use_as(Scalar::I32, at), r.constant(Scalar::I32, elements)};
  if (operands[0] == ir::none || operands[1] == ir::none) return;
  for (unsigned d = 0; d < to.rank; ++d) operands.push_back(r.use_as(Scalar::I64, to.indices[d]));
  r.function().insts[r.append(Op::CopyBack, {}, operands)].list.assign(1, elements);
}

void end_copies() { trace::recorder().append(Op::CopyGroup, {}, {}); }
void wait_for_copies(unsigned groups) {
  Recorder& r = trace::recorder();
  r.function().insts[r.append(Op::CopyWait, {}, {})].list.assign(1, groups);
}

}  // namespace krait::detail

namespace krait::trace {

void multiply_words(const ir::WordProduct& form, const WordProductOperands& of) {
  using ir::Scalar;
  Recorder& r = recorder();
  const ir::ValueId operands[] = {r.resolve(of.sums),
                                  r.use_as(Scalar::I64, of.sums_at),
                                  r.resolve(of.left),
                                  r.use_as(Scalar::I64, of.left_at),
                                  r.resolve(of.right),
                                  r.use_as(Scalar::I64, of.right_at),
                                  r.use_as(Scalar::I64, of.words)};
  r.function().insts[r.append(ir::Op::WordProduct, {}, operands)].list = form.list();
}

}  // namespace krait::trace
