// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/memory/tiles.h"

#include <algorithm>
#include <utility>

#include "codegen/spirv/memory/memory.h"

namespace krait::codegen::spirv {

using ir::Product;
using ir::ThreadTile;
using spv::Op;

namespace {

// Of SPV_KHR_cooperative_matrix and SPV_KHR_bfloat16, which are newer than the headers that this is
// built with.
constexpr auto matrix_capability = spv::Capability(6022), bf16_capability = spv::Capability(5116),
               bf16_matrix_capability = spv::Capability(5118);
constexpr auto type_matrix = spv::Op(4456), load_matrix = spv::Op(4457),
               multiply_add = spv::Op(4459);
enum Order : std::uint32_t { by_rows, by_columns };
constexpr std::uint32_t bf16_encoding = 0;
enum Use : std::uint32_t { left_factor, right_factor, sums };

constexpr std::uint32_t side = 16;  // of the matrices, in all three directions
constexpr std::uint32_t of_lane = side * side / ThreadTile::warp;

}  // namespace

Id Tiles::component(Scalar s) {
  if (s == Scalar::F16) return e_.type(s);
  e_.m.head.capability(bf16_capability);
  e_.m.head.capability(bf16_matrix_capability);
  e_.m.head.extension("SPV_KHR_bfloat16");
  return e_.m.globals.encoded_float_type(16, bf16_encoding);
}

Id Tiles::matrix_type(Id component, std::uint32_t rows, std::uint32_t columns, std::uint32_t use) {
  e_.m.head.capability(matrix_capability);
  e_.m.head.extension("SPV_KHR_cooperative_matrix");
  const Id parts[] = {component, e_.u32(std::uint32_t(spv::Scope::Subgroup)), e_.u32(rows),
                      e_.u32(columns), e_.u32(use)};
  return e_.m.globals.type(type_matrix, parts);
}

/// SharedTile::place.
Id Tiles::place(const ir::SharedTile& tile, Id row, Id column) {
  const auto c = [&](std::int64_t x) { return e_.u32(std::uint32_t(x)); };
  const Id in_strip = u32(Op::OpBitwiseAnd, column, c(tile.strip() - 1));
  const Id strip = u32(Op::OpUDiv, column, c(tile.strip()));
  const Id line = u32(Op::OpIAdd, u32(Op::OpIMul, strip, c(tile.rows)), row);
  if (tile.padded) return u32(Op::OpIAdd, u32(Op::OpIMul, line, c(tile.pitch())), in_strip);
  const Id piece = u32(Op::OpBitwiseXor, u32(Op::OpUDiv, in_strip, c(tile.piece())),
                       u32(Op::OpBitwiseAnd, row, c(ir::pieces_of_strip - 1)));
  return u32(Op::OpIAdd, u32(Op::OpIMul, line, c(tile.strip())),
             u32(Op::OpIAdd, u32(Op::OpIMul, piece, c(tile.piece())),
                 u32(Op::OpBitwiseAnd, column, c(tile.piece() - 1))));
}

/// The 16 bits of an element of an array that is made of elements.
Id Tiles::element(const Factor& f, Id row, Id column) {
  const Id at = u32(Op::OpIAdd, f.offset, place(f.tile, row, column));
  return e_.resize(Scalar::U32, Scalar::U16,
                   e_.bits(Scalar::U16, arrays_[f.array].unit, memory_.shared_unit(f.array, at)));
}

/// The lane's elements k + 2 (lane mod 4) and the next of a row of the left factor, or of a column
/// of the right one, which is `fixed` from the warp's first; k and `fixed` are multiples of 8. What
/// does not depend on k is computed once: addresses would cost more than products.
Id Tiles::word(Factor& f, std::int64_t fixed, std::int64_t k) {
  const auto once = [&](std::int64_t which, const auto& make) {
    const auto [at, fresh] = f.starts.try_emplace({fixed, which}, 0);
    if (fresh) at->second = make();
    return at->second;
  };
  const auto pieces_of_line = std::int64_t(ir::pieces_of_strip);
  if (!arrays_[f.array].pieces) {
    const Id line = once(0, [&] { return u32(Op::OpIAdd, add(f.first, fixed), in_eight_); });
    Id halves[2];
    for (std::int64_t e = 0; e < 2; ++e) {
      const Id at = add(u32(Op::OpShiftLeftLogical, in_four_, e_.u32(1)), k + e);
      halves[e] = f.along_k ? element(f, line, at) : element(f, at, line);
    }
    return pair(halves[0], halves[1]);
  }
  const Id start = u32(Op::OpShiftRightLogical, f.offset, e_.u32(3));
  if (f.along_k) {
    const std::int64_t strip = k / f.tile.strip(), piece = k % f.tile.strip() / f.tile.piece();
    // Lines begin at multiples of 8: the lane's row in its eight is what pieces are swizzled by.
    // What is constant comes last.
    const auto [at, fresh] = f.starts.try_emplace({0, piece}, 0);
    if (fresh) {
      const Id line = u32(Op::OpIAdd, f.first, in_eight_);
      at->second =
          u32(Op::OpIAdd, u32(Op::OpIAdd, start, u32(Op::OpShiftLeftLogical, line, e_.u32(3))),
              u32(Op::OpBitwiseXor, in_eight_, e_.u32(std::uint32_t(piece))));
    }
    return memory_.shared_word(
        f.array, add(at->second, (strip * f.tile.rows + fixed) * pieces_of_line), in_four_);
  }
  Id halves[2];
  for (std::int64_t e = 0; e < 2; ++e) {
    const Id at = once(e, [&] {
      const Id piece = u32(Op::OpShiftRightLogical, add(f.first, fixed), e_.u32(3));
      const Id strip = u32(Op::OpShiftRightLogical, piece, e_.u32(3)),
               row = add(u32(Op::OpShiftLeftLogical, in_four_, e_.u32(1)), e);
      const Id line =
          u32(Op::OpIAdd, u32(Op::OpIMul, strip, e_.u32(std::uint32_t(f.tile.rows))), row);
      return u32(Op::OpIAdd, u32(Op::OpIAdd, start, u32(Op::OpShiftLeftLogical, line, e_.u32(3))),
                 u32(Op::OpBitwiseXor,
                     u32(Op::OpBitwiseAnd, piece, e_.u32(ir::pieces_of_strip - 1)), row));
    });
    const Id found = memory_.shared_word(f.array, add(at, k * pieces_of_line),
                                         u32(Op::OpShiftRightLogical, in_eight_, e_.u32(1)));
    halves[e] =
        u32(Op::OpShiftRightLogical, found,
            u32(Op::OpShiftLeftLogical, u32(Op::OpBitwiseAnd, in_eight_, e_.u32(1)), e_.u32(4)));
  }
  return pair(halves[0], halves[1]);
}

/// The matrix of the warp's 16 rows of the left factor, or columns of the right one, from `fixed`
/// on, and of 16 k, from a padded tile in pieces.
Id Tiles::load(Factor& f, std::int64_t fixed, std::int64_t k, std::uint32_t use) {
  const std::int64_t line_pieces = f.tile.pitch() / f.tile.piece();
  const auto strips = [&](Id column) {
    return u32(Op::OpUDiv, column, e_.u32(std::uint32_t(f.tile.strip())));
  };
  // Pieces from the array's first, but for the constant ones.
  const auto begin = [&](Id line, Id column) {
    const Id lines =
        u32(Op::OpIAdd, u32(Op::OpIMul, strips(column), e_.u32(std::uint32_t(f.tile.rows))), line);
    const Id in_strip = u32(Op::OpBitwiseAnd, column, e_.u32(std::uint32_t(f.tile.strip() - 1)));
    return u32(Op::OpIAdd,
               u32(Op::OpIAdd, u32(Op::OpUDiv, f.offset, e_.u32(std::uint32_t(f.tile.piece()))),
                   u32(Op::OpIMul, lines, e_.u32(std::uint32_t(line_pieces)))),
               u32(Op::OpUDiv, in_strip, e_.u32(std::uint32_t(f.tile.piece()))));
  };
  const std::int64_t column = f.along_k        ? k
                              : f.whole_strips ? fixed
                                               : 0,
                     own = f.along_k || f.whole_strips ? 0 : fixed;
  const auto [at, fresh] = f.starts.try_emplace({own, 0}, 0);
  if (fresh)
    at->second = f.along_k ? begin(f.first, e_.u32(0)) : begin(e_.u32(0), add(f.first, own));
  const std::int64_t lines = column / f.tile.strip() * f.tile.rows + (f.along_k ? fixed : k);
  const Id piece = add(at->second, lines * line_pieces + column % f.tile.strip() / f.tile.piece());
  const Id four = e_.m.globals.vector_type(e_.type(Scalar::U32), 4);
  const Id pointer = e_.m.code.emit(Op::OpAccessChain,
                                    e_.m.globals.pointer_type(spv::StorageClass::Workgroup, four),
                                    {arrays_[f.array].base, piece});
  const Order order = (use == left_factor) == f.along_k ? by_rows : by_columns;
  std::vector<Id> operands{pointer, e_.u32(order), e_.u32(std::uint32_t(line_pieces))};
  if (arrays_[f.array].coherent)
    operands.push_back(std::uint32_t(spv::MemoryAccessMask::NonPrivatePointer));
  return e_.m.code.emit(load_matrix, f.type, operands);
}

/// Of the low halves of two words.
Id Tiles::pair(Id low, Id high) {
  return u32(Op::OpBitwiseOr, u32(Op::OpBitwiseAnd, low, e_.u32(0xffff)),
             u32(Op::OpShiftLeftLogical, high, e_.u32(16)));
}

Id Tiles::matrix(const Factor& f, std::initializer_list<Id> words, Id component) {
  Id all = e_.undefined(f.type);
  std::uint32_t n = 0;
  for (const Id w : words) {
    const Id pair = e_.m.code.emit(Op::OpBitcast, e_.m.globals.vector_type(component, 2), {w});
    for (const std::uint32_t half : {0u, 1u})
      all = e_.m.code.emit(
          Op::OpCompositeInsert, f.type,
          {e_.m.code.emit(Op::OpCompositeExtract, component, {pair, half}), all, n++});
  }
  return all;
}

Tiles::Sums::Sums(const ir::Inst& product, const ir::Function& f)
    : tile(*ThreadTile::of(Product(product).rows, Product(product).columns,
                           f.block[0] * f.block[1] * f.block[2])),
      down(tile.row_blocks()),
      across(tile.column_blocks() / 2) {}

/// 4 are of the upper 8 rows and 4 of the others, of these 2 of the left 8 columns and 2 of the
/// others.
std::size_t Tiles::Sums::of(std::int64_t r, std::int64_t b, std::int64_t n) const {
  return std::size_t(tile.element(2 * r + n / 4, 2 * (2 * b + n / 2 % 2) + n % 2));
}

Id Tiles::sums_type() { return matrix_type(e_.type(Scalar::F32), side, side, sums); }

template <class ValueOf>
std::vector<Id> Tiles::put_together(const Sums& s, const ValueOf& value_of) {
  const Id type = sums_type();
  std::vector<Id> all;
  for (std::int64_t r = 0; r < s.down; ++r)
    for (std::int64_t b = 0; b < s.across; ++b) {
      Id elements[of_lane];
      for (std::uint32_t n = 0; n < of_lane; ++n) elements[n] = value_of(s.of(r, b, n));
      if (std::all_of(elements, elements + of_lane, [&](Id x) { return x == elements[0]; })) {
        all.push_back(e_.m.code.emit(Op::OpCompositeConstruct, type, {elements[0]}));
        continue;
      }
      Id m = e_.undefined(type);
      for (std::uint32_t n = 0; n < of_lane; ++n)
        m = e_.m.code.emit(Op::OpCompositeInsert, type, {elements[n], m, n});
      all.push_back(m);
    }
  return all;
}

template <class Define>
void Tiles::take_apart(const Sums& s, const std::vector<Id>& matrices, const Define& define) {
  for (std::int64_t r = 0; r < s.down; ++r)
    for (std::int64_t b = 0; b < s.across; ++b)
      for (std::uint32_t n = 0; n < of_lane; ++n)
        define(s.of(r, b, n), e_.m.code.emit(Op::OpCompositeExtract, e_.type(Scalar::F32),
                                             {matrices[std::size_t(r * s.across + b)], n}));
}

bool Tiles::multiplies_in(const ir::Function& f, const ir::Inst& loop) {
  bool found = false;
  ir::for_each_inst(f, loop.regions[0],
                    [&](ir::InstId i, ir::RegionId) { found |= f.insts[i].op == ir::Op::Product; });
  return found;
}

void Tiles::enter_loop(const ir::Inst& loop) {
  if (loop.op != ir::Op::For) return;
  ir::ProductChain chain = ir::product_chain(f_, uses_, loop);
  if (chain.products.empty()) return;
  const Sums s(f_.insts[chain.products[0]], f_);
  std::vector<Id> variables;
  for (const Id m :
       put_together(s, [&](std::size_t e) { return value(loop.operands[1 + chain.carried[e]]); })) {
    variables.push_back(e_.m.code.local_variable(sums_type()));
    e_.m.code.emit_void(Op::OpStore, {variables.back(), m});
  }
  for (const ir::InstId p : chain.products) variables_[&f_.insts[p]] = variables;
  chains_[&loop] = std::move(chain);
}

void Tiles::leave_loop(const ir::Inst& loop) {
  const auto chain = chains_.find(&loop);
  if (chain == chains_.end()) return;
  const ir::Inst& product = f_.insts[chain->second.products[0]];
  std::vector<Id> matrices;
  for (const Id v : variables_.at(&product))
    matrices.push_back(e_.m.code.emit(Op::OpLoad, sums_type(), {v}));
  take_apart(Sums(product, f_), matrices,
             [&](std::size_t e, Id x) { ids_[loop.results[chain->second.carried[e]]] = x; });
}

// Matrices of 16 by 16 are all that drivers list for both types. In a thread's elements of a factor
// blocks of 8 rows of the left one, or columns of the right one, come one behind the other, and in
// these blocks of 8 along k.
void Tiles::product(const ir::Inst& i) {
  const Product p(i);
  const Sums s(i, f_);
  const ThreadTile& t = s.tile;
  const Id of = component(p.left), type = sums_type();
  // Where this thread stands in its warp, and its warp in the block: both choose its words below.
  const Id thread = e_.m.code.emit(
      Op::OpLoad, e_.type(Scalar::U32),
      {e_.m.globals.builtin(spv::BuiltIn::LocalInvocationIndex, e_.type(Scalar::U32))});
  const Id lane = u32(Op::OpBitwiseAnd, thread, e_.u32(ThreadTile::warp - 1)),
           warp = u32(Op::OpUDiv, thread, e_.u32(ThreadTile::warp));
  in_four_ = u32(Op::OpBitwiseAnd, lane, e_.u32(3)),
  in_eight_ = u32(Op::OpShiftRightLogical, lane, e_.u32(2));
  const auto c = [&](std::int64_t x) { return e_.u32(std::uint32_t(x)); };
  const Id row = u32(Op::OpIMul, u32(Op::OpUMod, warp, c(t.down)), c(ThreadTile::block_rows));
  const Id column =
      t.across == 1 ? c(0)
                    : u32(Op::OpIMul, u32(Op::OpUDiv, warp, c(t.down)), c(p.columns / t.across));
  const auto factor = [&](std::size_t operand, const ir::SharedTile& tile, bool along_k,
                          std::uint32_t use, Id first) {
    const ir::ValueId offset = i.operands[operand + 1];
    return Factor{i.operands[operand],
                  e_.resize(Scalar::U32, scalar(offset), value(offset)),
                  tile,
                  along_k,
                  matrix_type(of, side, side, use),
                  first,
                  use == right_factor && p.columns / t.across % tile.strip() == 0,
                  {}};
  };
  Factor left = factor(0, p.left_tile(), !p.left_transposed, left_factor, row),
         right = factor(2, p.right_tile(), p.right_transposed, right_factor, column);
  // Sums that a loop carries lie in variables as matrices from before the loop until after it;
  // others are put together from the threads' elements here, and taken apart at the end.
  const auto kept = variables_.find(&i);
  std::vector<Id> all;
  if (kept == variables_.end())
    all = put_together(s, [&](std::size_t e) { return value(i.operands[ir::product_lead + e]); });
  else
    for (const Id v : kept->second) all.push_back(e_.m.code.emit(Op::OpLoad, type, {v}));
  // A step of 16 along k: the rows are loaded once and meet every column.
  for (std::int64_t k = 0; k < p.depth; k += side) {
    const std::int64_t further = k + side / 2;
    std::vector<Id> rows;
    for (std::int64_t r = 0; r < s.down; ++r) {
      const std::int64_t upper = t.fixed_row(2 * r), lower = t.fixed_row(2 * r + 1);
      if (is_loaded(left)) {
        rows.push_back(load(left, upper, k, left_factor));
        continue;
      }
      rows.push_back(matrix(left,
                            {word(left, upper, k), word(left, upper, further), word(left, lower, k),
                             word(left, lower, further)},
                            of));
    }
    for (std::int64_t b = 0; b < s.across; ++b) {
      const std::int64_t first = ThreadTile::fixed_column(4 * b),
                         second = ThreadTile::fixed_column(4 * b + 2);
      const Id columns = is_loaded(right)
                             ? load(right, first, k, right_factor)
                             : matrix(right,
                                      {word(right, first, k), word(right, first, further),
                                       word(right, second, k), word(right, second, further)},
                                      of);
      for (std::int64_t r = 0; r < s.down; ++r) {
        Id& m = all[std::size_t(r * s.across + b)];
        m = e_.m.code.emit(multiply_add, type, {rows[std::size_t(r)], columns, m});
      }
    }
  }
  if (kept == variables_.end())
    return take_apart(s, all, [&](std::size_t e, Id x) { ids_[i.results[e]] = x; });
  for (std::size_t n = 0; n < all.size(); ++n)
    e_.m.code.emit_void(Op::OpStore, {kept->second[n], all[n]});
  for (std::size_t e = 0; e < i.results.size(); ++e)
    ids_[i.results[e]] = value(i.operands[ir::product_lead + e]);
}

void Tiles::product_end(const ir::Inst& i) {
  for (std::size_t e = 0; e < i.results.size(); ++e) ids_[i.results[e]] = value(i.operands[e]);
}

void Tiles::before(const ir::Inst& i) {
  const ir::Effect effect = ir::info(i.op).effect;
  if (i.op == ir::Op::CopyRow || effect == ir::Effect::Pure || effect == ir::Effect::Cross) return;
  for (const Loaded& each : std::exchange(loaded_, {}))
    memory_.store_piece(each.array, each.index, each.piece);
}

/// A piece of 16 bytes, with zeros behind the first elements that it is told to read; nothing where
/// their number is negative.
void Tiles::copy(const ir::Inst& i) {
  constexpr auto at = ir::copy_operands(ir::Op::CopyRow);
  const unsigned size = f_.type_of(i.operands[at.shared]).elem_bytes;
  const Id four = e_.m.globals.vector_type(e_.type(Scalar::U32), 4);
  const auto load = [&] { return memory_.view_piece(i.operands[at.view], i.operands[at.indices]); };
  const auto store = [&](Id piece) {
    memory_.store_piece(i.operands[at.shared], i.operands[at.shared + 1], piece);
  };
  const ir::ValueId count = i.operands[at.count];
  if (f_.is_const(count))
    return loaded_.push_back({i.operands[at.shared], i.operands[at.shared + 1], load()});

  const Id given = e_.resize(Scalar::I32, scalar(count), value(count));
  const auto guarded = [&](Id condition, const auto& body) {
    const Id there = e_.blocks.label(), after = e_.blocks.label();
    e_.blocks.selection_merge(after);
    e_.blocks.branch(condition, there, after);
    e_.blocks.begin(there);
    body();
    e_.blocks.branch(after);
    e_.blocks.begin(after);
  };
  const Id before = e_.blocks.block(), zeros = e_.m.globals.null(four);
  Id read = 0, from = 0;
  guarded(e_.op(Op::OpSGreaterThan, Scalar::Bool, {given, e_.constant(Scalar::I32, 0)}), [&] {
    const Id all = load();
    std::vector<Id> words;
    for (unsigned w = 0; w < 4; ++w) {
      // Bits of this word that are asked for, at least 0 and at most 32.
      const auto limit = [&](Op less, Id x, Id bound) {
        return e_.select(Scalar::I32, e_.op(less, Scalar::Bool, {x, bound}), bound, x);
      };
      Id bits = e_.op(Op::OpISub, Scalar::I32,
                      {e_.op(Op::OpIMul, Scalar::I32, {given, e_.constant(Scalar::I32, 8 * size)}),
                       e_.constant(Scalar::I32, 32 * w)});
      bits = limit(Op::OpSGreaterThan, limit(Op::OpSLessThan, bits, e_.constant(Scalar::I32, 0)),
                   e_.constant(Scalar::I32, 32));
      const Id word = e_.m.code.emit(Op::OpCompositeExtract, e_.type(Scalar::U32), {all, w});
      words.push_back(
          e_.m.code.emit(Op::OpBitFieldUExtract, e_.type(Scalar::U32), {word, e_.u32(0), bits}));
    }
    read = e_.composite(four, words), from = e_.blocks.block();
  });
  const Id piece = e_.blocks.phi(four, {{zeros, before}, {read, from}});
  guarded(e_.op(Op::OpSGreaterThanEqual, Scalar::Bool, {given, e_.constant(Scalar::I32, 0)}),
          [&] { store(piece); });
}

}  // namespace krait::codegen::spirv
