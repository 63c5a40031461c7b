// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions, fragments and descriptors follow the PTX ISA: "mma.sync", "ldmatrix", "cp.async",
// "wgmma.mma_async".
#include "codegen/nvptx/tiles.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include <fmt/core.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/nvptx/lower.h"
#include "codegen/reply.h"
#include "ir/walk.h"

namespace krait::codegen::nvptx {

using ir::Op;
using ir::Product;
using ir::Scalar;
using ir::ThreadTile;
using namespace llvm::Intrinsic;

namespace {

std::string ptx_type(Scalar s) {
  const std::string name(ir::name_of(s));
  if (ir::is_float(s) && ir::size_of(s) == 1) return name.substr(2);  // e4m3 and e5m2
  if (s == Scalar::F32) return "tf32";
  return ir::is_int(s) ? std::string(ir::is_signed_int(s) ? "s8" : "u8") : name;
}
const char* sums_type(Scalar s) {
  return s == Scalar::I32 ? "s32" : s == Scalar::F64 ? "f64" : "f32";
}

std::int64_t threads_of(const ir::Function& f) { return f.block[0] * f.block[1] * f.block[2]; }

/// Bytes of k that an instruction takes, except those of f64.
constexpr std::int64_t step_bytes = 32;
/// Elements of k in a word of f64: one for each lane that has the same row or column.
constexpr std::int64_t double_depth = 4;
/// Elements of k that an instruction of f64 takes, of as many as are left: a multiple of 4. One of
/// 16 takes as long as two of 4 that m8n8k4 has.
std::int64_t double_step(const support::PtxTarget& on, std::int64_t left) {
  if (on.sm < 90) return double_depth;
  return left >= 16 ? 16 : left >= 8 ? 8 : double_depth;
}
constexpr unsigned warpgroup_warps = 4, warpgroup_rows = 64, most_columns = 256;

std::string list(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) text += fmt::format("{}${}", i ? ", " : "", first + i);
  return text + "}";
}

}  // namespace

bool is_warpgroup_product(const ir::Inst& inst, const ir::Function& f,
                          const support::PtxTarget& on) {
  if (inst.op != Op::Product || !on.specific || on.sm != 90) return false;
  const Product p(inst);
  if (p.left == Scalar::F64) return false;
  const ThreadTile t = *ThreadTile::of(p.rows, p.columns, threads_of(f));
  const std::int64_t own = p.columns / t.across;  // columns of a warpgroup
  const auto lies_well = [](Scalar s, bool along_k) { return ir::size_of(s) == 2 || along_k; };
  // Columns across strips come in whole strips.
  const bool strips = p.right_transposed || own % 64 == 0 || t.across == 1;
  return t.down % warpgroup_warps == 0 && own <= most_columns && strips &&
         lies_well(p.left, !p.left_transposed) && lies_well(p.right, p.right_transposed);
}

Tiles::Tiles(scalar::Code& code, const support::PtxTarget& on)
    : Part(code), on_(on), fences_(f_, on) {
  bool any_tile_copy = false;
  std::int64_t most_left = 0;
  ir::for_each_inst(f_, [&](ir::InstId i, ir::RegionId) {
    const bool warpgroup = is_warpgroup_product(f_.insts[i], f_, on_);
    any_warpgroup_ = any_warpgroup_ || warpgroup;
    any_overlapped_ = any_overlapped_ || (warpgroup && Product(f_.insts[i]).overlapped);
    any_row_copy_ = any_row_copy_ || f_.insts[i].op == Op::CopyRow;
    any_tile_copy = any_tile_copy || f_.insts[i].op == Op::CopyTile;
    if (f_.insts[i].op == Op::CopyWait) most_left = std::max(most_left, f_.insts[i].list[0]);
  });
  // A barrier is taken again when all threads have waited for what it counted before: one group is
  // being begun beside those that are left.
  if (any_tile_copy) ring_ = std::int64_t(std::bit_ceil(std::uint64_t(most_left) + 2));
}

void Tiles::lower(const ir::Inst& inst) {
  switch (inst.op) {
    case Op::Product:
      return is_warpgroup_product(inst, f_, on_) ? warpgroup_product(inst) : product(inst);
    case Op::ProductEnd: return product_end(inst);
    case Op::CopyRow: return copy(inst);
    case Op::CopyBack: return copy_back(inst);
    case Op::CopyTile: return copy_tile(inst);
    case Op::CopyGroup: return copy_group();
    default: return copy_wait(inst.list[0]);
  }
}

void Tiles::before(ir::InstId i) {
  if (!any_warpgroup_ || !fences_.before(i)) return;
  statement(
      f_.in_clusters() ? "fence.proxy.async.shared::cluster;" : "fence.proxy.async.shared::cta;",
      {}, "");
}

void Tiles::before_barrier() {
  if (any_overlapped_) statement("wgmma.wait_group.sync.aligned 1;", {}, "");
}

// ---- pieces -------------------------------------------------------------------------------------

/// A statement with results of one type, then `inputs`; tied: the first operands are the results'
/// old values.
Tiles::Values Tiles::assemble(const std::string& text, llvm::Type* result, unsigned results,
                              const Values& operands, const std::string& inputs, bool tied,
                              bool effects) {
  const char* letter = result->isFloatTy() ? "f" : result->isDoubleTy() ? "d" : "r";
  std::string constraints;
  for (unsigned i = 0; i < results; ++i) constraints += fmt::format("{}={}", i ? "," : "", letter);
  if (tied)
    for (unsigned i = 0; i < results; ++i) constraints += fmt::format(",{}", i);
  constraints += inputs;
  if (effects) constraints += ",~{memory}";
  std::vector<llvm::Type*> types;
  for (const Value* v : operands) types.push_back(v->getType());
  llvm::Type* all =
      results == 1 ? result
                   : llvm::StructType::get(context_, std::vector<llvm::Type*>(results, result));
  auto* code =
      llvm::InlineAsm::get(llvm::FunctionType::get(all, types, false), text, constraints, effects);
  llvm::CallInst* call = b_.CreateCall(code, operands);
  call->setDoesNotThrow(), call->setConvergent();
  if (!effects) call->setDoesNotAccessMemory();
  if (results == 1) return {call};
  Values parts;
  for (unsigned i = 0; i < results; ++i) parts.push_back(b_.CreateExtractValue(call, i));
  return parts;
}

Tiles::Value* Tiles::thread() {
  Value* n = nullptr;
  constexpr ID ids[] = {nvvm_read_ptx_sreg_tid_x, nvvm_read_ptx_sreg_tid_y,
                        nvvm_read_ptx_sreg_tid_z};
  for (unsigned d = 3; d-- > 0;) {
    if (f_.block[d] == 1) continue;
    Value* at = b_.CreateIntrinsic(ids[d], {});
    n = n ? b_.CreateAdd(b_.CreateMul(n, number(f_.block[d])), at) : at;
  }
  return n ? n : number(0);
}

Tiles::Value* Tiles::warp() {
  return b_.CreateIntrinsic(nvvm_shfl_sync_idx_i32,
                            {number(-1), b_.CreateLShr(thread(), 5), number(0), number(31)});
}

Tiles::Value* Tiles::address(ir::ValueId array, ir::ValueId offset, unsigned elem_bytes) {
  Value* base = b_.CreatePtrToInt(arrays_.at(array).base, b_.getInt32Ty());
  Value* index = b_.CreateZExtOrTrunc(value(offset), b_.getInt32Ty());
  return b_.CreateAdd(base, b_.CreateMul(index, number(elem_bytes)));
}

/// 1, 2 or 4 matrices of 8 rows of 16 bytes, whose addresses the lanes give in turn.
Tiles::Values Tiles::matrices(Value* address, unsigned count, bool transposed) {
  const std::string text = fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, [${}];",
                                       count, transposed ? ".trans" : "", list(0, count), count);
  return assemble(text, b_.getInt32Ty(), count, {address}, ",r", false, true);
}

/// `bytes` bytes of neighbours in a row, or, `down`, in a column, as one number, read one element
/// at a time.
Tiles::Value* Tiles::word(Value* first, const ir::SharedTile& tile, Value* row, Value* column,
                          bool down, unsigned bytes) {
  const unsigned size = tile.elem_bytes;
  llvm::Type *element = b_.getIntNTy(size * 8), *type = b_.getIntNTy(bytes * 8);
  Value* all = nullptr;
  for (unsigned e = 0; e < bytes / size; ++e) {
    Value* r = down ? b_.CreateAdd(row, number(e)) : row;
    Value* c = down ? column : b_.CreateAdd(column, number(e));
    Value* in_strip = b_.CreateURem(c, number(tile.strip()));
    Value* line =
        b_.CreateAdd(b_.CreateMul(b_.CreateUDiv(c, number(tile.strip())), number(tile.rows)), r);
    Value* piece = b_.CreateXor(b_.CreateUDiv(in_strip, number(tile.piece())),
                                b_.CreateURem(r, number(ir::pieces_of_strip)));
    Value* at = b_.CreateAdd(
        b_.CreateMul(line, number(ir::strip_bytes)),
        b_.CreateAdd(b_.CreateMul(piece, number(ir::piece_bytes)),
                     b_.CreateMul(b_.CreateURem(c, number(tile.piece())), number(size))));
    Value* p =
        b_.CreateIntToPtr(b_.CreateAdd(first, at), llvm::PointerType::get(context_, shared_space));
    Value* x = b_.CreateZExt(b_.CreateAlignedLoad(element, p, llvm::Align(size)), type);
    all = all ? b_.CreateOr(all, b_.CreateShl(x, size * 8 * e)) : x;
  }
  return all;
}

/// The element of k that a lane has in a word of f64. Its order is free as long as both factors
/// have the same. Sixteen lanes read at once: for them to meet in no bank, those of a row (or
/// column) take 0, 3, 12 and 15 of 16 elements, and of the next words the same xor 1, 4 and 5. Rows
/// of k that lie apart by 3 and 12 have their pieces in different quarters of the strip, elements
/// of a row in different halves and halves of pieces.
Tiles::Value* Tiles::double_line(const Product& p, std::int64_t k) {
  Value* of_lane = b_.CreateAnd(thread(), number(3));
  constexpr std::int64_t run = 16;
  const std::int64_t first = k / run * run, word = (k - first) / double_depth;
  if (p.depth - first < run) return b_.CreateAdd(number(k), of_lane);
  Value* spread = b_.CreateOr(b_.CreateMul(b_.CreateAnd(of_lane, number(1)), number(3)),
                              b_.CreateMul(b_.CreateAnd(of_lane, number(2)), number(6)));
  return b_.CreateAdd(number(first), b_.CreateXor(spread, number((word & 1) | (word & 2) << 1)));
}

/// The four registers of 16 rows from `row` on and 32 bytes of k; of f64: two, of 4 numbers each.
Tiles::Values Tiles::left_words(const Product& p, Value* first, Value* row, std::int64_t k) {
  const ir::SharedTile tile = p.left_tile();
  const unsigned size = tile.elem_bytes;
  Value* lane = b_.CreateAnd(thread(), number(31));
  if (size == 8 || (p.left_transposed && size != 2)) {
    Values words;
    const unsigned bytes = size == 8 ? 8 : 4, per_lane = bytes / size;
    for (unsigned w = 0; w < (size == 8 ? 2u : 4u); ++w) {
      Value* at_row = b_.CreateAdd(b_.CreateAdd(row, number(w % 2 * 8)), b_.CreateLShr(lane, 2));
      Value* at_k =
          size == 8 ? double_line(p, k)
                    : b_.CreateAdd(number(k + std::int64_t(w / 2 * 4 * per_lane)),
                                   b_.CreateMul(b_.CreateAnd(lane, number(3)), number(per_lane)));
      words.push_back(p.left_transposed ? word(first, tile, at_k, at_row, true, bytes)
                                        : word(first, tile, at_row, at_k, false, bytes));
    }
    return words;
  }
  Value *in8 = b_.CreateAnd(lane, number(7)),
        *low = b_.CreateAnd(b_.CreateLShr(lane, 3), number(1)), *high = b_.CreateLShr(lane, 4);
  const auto at = [&](Value* line, Value* piece) {
    return b_.CreateAdd(first, b_.CreateAdd(b_.CreateMul(line, number(ir::strip_bytes)),
                                            b_.CreateMul(piece, number(ir::piece_bytes))));
  };
  if (p.left_transposed) {
    Value* column = b_.CreateAdd(row, b_.CreateMul(low, number(8)));
    Value* line =
        b_.CreateAdd(b_.CreateMul(b_.CreateLShr(column, 6), number(tile.rows)),
                     b_.CreateAdd(b_.CreateAdd(number(k), in8), b_.CreateMul(high, number(8))));
    return matrices(at(line, b_.CreateXor(b_.CreateLShr(b_.CreateAnd(column, number(63)), 3), in8)),
                    4, true);
  }
  const std::int64_t bytes = k * size;
  Value* line = b_.CreateAdd(number(bytes / ir::strip_bytes * tile.rows),
                             b_.CreateAdd(row, b_.CreateAnd(lane, number(15))));
  Value* piece =
      b_.CreateXor(b_.CreateXor(high, in8), number(bytes % ir::strip_bytes / ir::piece_bytes));
  return matrices(at(line, piece), 4, false);
}

/// The two registers of 8 columns from `column` on and 32 bytes of k, for one or two blocks of 8;
/// of f64: one, of 4 numbers.
Tiles::Values Tiles::right_words(const Product& p, Value* first, Value* column, std::int64_t k,
                                 unsigned blocks) {
  const ir::SharedTile tile = p.right_tile();
  const unsigned size = tile.elem_bytes;
  Value* lane = b_.CreateAnd(thread(), number(31));
  if (size == 8 || (!p.right_transposed && size != 2)) {
    Values words;
    const unsigned bytes = size == 8 ? 8 : 4, per_lane = bytes / size,
                   per_block = size == 8 ? 1 : 2;
    for (unsigned w = 0; w < per_block * blocks; ++w) {
      Value* at_column =
          b_.CreateAdd(b_.CreateAdd(column, number(w / per_block * 8)), b_.CreateLShr(lane, 2));
      Value* at_k =
          size == 8 ? double_line(p, k)
                    : b_.CreateAdd(number(k + std::int64_t(w % per_block * 4 * per_lane)),
                                   b_.CreateMul(b_.CreateAnd(lane, number(3)), number(per_lane)));
      words.push_back(p.right_transposed ? word(first, tile, at_column, at_k, false, bytes)
                                         : word(first, tile, at_k, at_column, true, bytes));
    }
    return words;
  }
  Value *in8 = b_.CreateAnd(lane, number(7)),
        *low = b_.CreateAnd(b_.CreateLShr(lane, 3), number(1)), *high = b_.CreateLShr(lane, 4);
  const auto at = [&](Value* line, Value* piece) {
    return b_.CreateAdd(first, b_.CreateAdd(b_.CreateMul(line, number(ir::strip_bytes)),
                                            b_.CreateMul(piece, number(ir::piece_bytes))));
  };
  if (blocks == 1) high = number(0);  // only the first half of the lanes gives addresses
  if (!p.right_transposed) {
    Value* from = b_.CreateAdd(column, b_.CreateMul(high, number(8)));
    Value* line =
        b_.CreateAdd(b_.CreateMul(b_.CreateLShr(from, 6), number(tile.rows)),
                     b_.CreateAdd(b_.CreateAdd(number(k), in8), b_.CreateMul(low, number(8))));
    return matrices(at(line, b_.CreateXor(b_.CreateLShr(b_.CreateAnd(from, number(63)), 3), in8)),
                    2 * blocks, true);
  }
  const std::int64_t bytes = k * size;
  Value* line = b_.CreateAdd(b_.CreateAdd(number(bytes / ir::strip_bytes * tile.rows), column),
                             b_.CreateAdd(in8, b_.CreateMul(high, number(8))));
  Value* piece =
      b_.CreateXor(b_.CreateXor(low, in8), number(bytes % ir::strip_bytes / ir::piece_bytes));
  return matrices(at(line, piece), 2 * blocks, false);
}

/// The four registers of 16 rows and 16 elements of k, of 16 bits each, that the threads hold:
/// block of rows i.
Tiles::Values Tiles::left_words(const ir::Inst& inst, const ThreadTile& held, std::int64_t i,
                                std::int64_t k) {
  const std::span<const ir::ValueId> elements = ir::left_values(inst);
  Values words;
  for (std::int64_t w = 0; w < 4; ++w) {
    const std::int64_t row = 2 * i + w % 2, column = (k / ThreadTile::block_columns + w / 2) * 2;
    Value *low = value(elements[std::size_t(held.element(row, column))]),
          *high = value(elements[std::size_t(held.element(row, column + 1))]);
    Value* pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(low->getType(), 2));
    pair = b_.CreateInsertElement(b_.CreateInsertElement(pair, low, std::uint64_t(0)), high, 1);
    words.push_back(b_.CreateBitCast(pair, b_.getInt32Ty()));
  }
  return words;
}

// ---- mma.sync -----------------------------------------------------------------------------------

/// Four sums, of a block of 16 rows and 8 columns: those of row l / 4, then those of row l / 4 + 8.
void Tiles::multiply(const ir::Inst& inst, const Product& p, Value** sums, const Values& left,
                     const Values& right) {
  const char* type = sums_type(inst.type.scalar);
  const auto statement = [&](unsigned rows, std::int64_t depth, Value** of, const Values& a,
                             const Values& b) {
    // behind results come the sums' old values
    const unsigned results = rows / 4, first = 2 * results;
    const auto letter = p.left == Scalar::F64 ? ",d" : ",r";
    const std::string text =
        fmt::format("mma.sync.aligned.m{}n8k{}.row.col.{}.{}.{}.{} {}, {}, {}, {};", rows, depth,
                    type, ptx_type(p.left), ptx_type(p.right), type, list(0, results),
                    list(first, unsigned(a.size())),
                    list(first + unsigned(a.size()), unsigned(b.size())), list(results, results));
    Values operands(of, of + results);
    operands.insert(operands.end(), a.begin(), a.end());
    operands.insert(operands.end(), b.begin(), b.end());
    std::string inputs;
    for (std::size_t i = 0; i < a.size() + b.size(); ++i) inputs += letter;
    const Values out = assemble(text, sums[0]->getType(), results, operands, inputs, true, false);
    std::copy(out.begin(), out.end(), of);
  };
  if (p.left != Scalar::F64)
    return statement(16, step_bytes / ir::size_of(p.left), sums, left, right);
  const auto doubles = [&](const Values& words) {
    Values all;
    for (Value* w : words) all.push_back(b_.CreateBitCast(w, b_.getDoubleTy()));
    return all;
  };
  const Values a = doubles(left), b = doubles(right);
  if (on_.sm >= 90) return statement(16, double_depth * std::int64_t(b.size()), sums, a, b);
  for (unsigned half = 0; half < 2; ++half)
    statement(8, double_depth, sums + 2 * half, {a[half]}, b);
}

void Tiles::product(const ir::Inst& inst) {
  const Product p(inst);
  const ThreadTile t = *ThreadTile::of(p.rows, p.columns, threads_of(f_));
  const bool wide = p.left == Scalar::F64;
  Value *left = address(inst.operands[0], inst.operands[1], ir::size_of(p.left)),
        *right = address(inst.operands[2], inst.operands[3], ir::size_of(p.right)), *own = warp();
  Value* first_row =
      b_.CreateMul(b_.CreateURem(own, number(t.down)), number(ThreadTile::block_rows));
  Value* first_column =
      b_.CreateMul(b_.CreateUDiv(own, number(t.down)), number(p.columns / t.across));
  const bool held = !ir::left_values(inst).empty();
  Values sums;
  for (const ir::ValueId v : ir::product_sums(inst)) sums.push_back(value(v));
  for (std::int64_t k = 0, step = 0; k < p.depth; k += step) {
    step = wide ? double_step(on_, p.depth - k) : step_bytes / ir::size_of(p.left);
    // elements of k in what is read at once
    const std::int64_t of_words = wide ? double_depth : step;
    std::vector<Values> rows(std::size_t(t.row_blocks()));
    for (std::int64_t i = 0; i < t.row_blocks(); ++i)
      for (std::int64_t part = k; part < k + step; part += of_words) {
        const Values words =
            held ? left_words(inst, *ThreadTile::of(p.rows, p.depth, threads_of(f_)), i, part)
                 : left_words(p, left, b_.CreateAdd(first_row, number(t.fixed_row(2 * i))), part);
        rows[std::size_t(i)].insert(rows[std::size_t(i)].end(), words.begin(), words.end());
      }
    for (std::int64_t j = 0; j < t.column_blocks(); j += 2) {
      const unsigned blocks = j + 1 < t.column_blocks() ? 2 : 1;
      Value* column = b_.CreateAdd(first_column, number(j * ThreadTile::block_columns));
      std::vector<Values> columns(blocks);
      for (std::int64_t part = k; part < k + step; part += of_words) {
        const Values words = right_words(p, right, column, part, blocks);
        const auto of_block = std::ptrdiff_t(words.size() / blocks);
        for (unsigned b = 0; b < blocks; ++b)
          columns[b].insert(columns[b].end(), words.begin() + b * of_block,
                            words.begin() + (b + 1) * of_block);
      }
      for (unsigned b = 0; b < blocks; ++b)
        for (std::size_t i = 0; i < rows.size(); ++i)
          multiply(inst, p, &sums[std::size_t(t.element(std::int64_t(i) * 2, (j + b) * 2))],
                   rows[i], columns[b]);
    }
  }
  for (std::size_t e = 0; e < sums.size(); ++e) values_[inst.results[e]] = sums[e];
}

// ---- wgmma --------------------------------------------------------------------------------------

/// All of a product's instructions are one statement: what holds sums must not be touched between
/// its first and its last.
void Tiles::warpgroup_product(const ir::Inst& inst) {
  const Product p(inst);
  const ThreadTile t = *ThreadTile::of(p.rows, p.columns, threads_of(f_));
  const std::int64_t own = p.columns / t.across, groups = t.down / warpgroup_warps;
  const unsigned size = ir::size_of(p.left);
  const auto sums = unsigned(inst.results.size()), of_block = unsigned(own / 2);
  Value* group = b_.CreateLShr(warp(), 2);
  Value *down = b_.CreateURem(group, number(groups)),
        *across = b_.CreateUDiv(group, number(groups));

  // The address without its last 4 bits; distance of neighbouring strips (of factors that lie along
  // rows or columns), of 8 rows; 128-byte swizzle.
  const auto descriptor = [&](Value* address, std::int64_t strips) {
    const std::uint64_t fixed =
        std::uint64_t(strips >> 4) << 16 | std::uint64_t(1024 >> 4) << 32 | std::uint64_t(1) << 62;
    Value* at = b_.CreateAnd(b_.CreateLShr(address, 4), number(0x3fff));
    return b_.CreateOr(b_.CreateZExt(at, b_.getInt64Ty()), b_.getInt64(fixed));
  };
  const auto first = [&](std::size_t operand, const ir::SharedTile& tile, bool along_k,
                         Value* line) {
    Value* start = address(inst.operands[operand], inst.operands[operand + 1], tile.elem_bytes);
    // Along k: lines are rows of the tile. Else they are columns, whole strips of them.
    Value* by = along_k ? b_.CreateMul(line, number(ir::strip_bytes))
                        : b_.CreateMul(b_.CreateUDiv(line, number(tile.strip())),
                                       number(tile.rows * ir::strip_bytes));
    return descriptor(b_.CreateAdd(start, by), along_k ? 16 : tile.rows * ir::strip_bytes);
  };
  // in units of 16 bytes
  const auto further = [&](const ir::SharedTile& tile, bool along_k, std::int64_t k) {
    const std::int64_t bytes = k * tile.elem_bytes;
    return (along_k
                ? bytes / ir::strip_bytes * tile.rows * ir::strip_bytes + bytes % ir::strip_bytes
                : k * ir::strip_bytes) >>
           4;
  };
  const bool held = !ir::left_values(inst).empty();
  Values operands;
  for (const ir::ValueId v : ir::product_sums(inst)) operands.push_back(value(v));
  for (std::int64_t i = 0; i < t.row_blocks() && !held; ++i) {
    Value* row = b_.CreateAdd(b_.CreateMul(down, number(warpgroup_rows)),
                              number(i * t.down * ThreadTile::block_rows));
    operands.push_back(first(0, p.left_tile(), !p.left_transposed, row));
  }
  operands.push_back(
      first(2, p.right_tile(), p.right_transposed, b_.CreateMul(across, number(own))));

  std::string
      text =
          "{ .reg .pred %on; .reg .b64 %left, %right; setp.eq.b32 %on, 0, 0; wgmma.fence.sync.aligned; ",
      inputs;
  const bool integers = inst.type.scalar == Scalar::I32, halves = size == 2;
  const unsigned first_left = 2 * sums, right = first_left + (held ? 0 : unsigned(t.row_blocks()));
  const std::size_t described = operands.size();
  for (std::int64_t k = 0; k < p.depth; k += step_bytes / size)
    for (unsigned i = 0; i < unsigned(t.row_blocks()); ++i) {
      std::string left = "%left", turned = fmt::format("{}, ", int(p.left_transposed));
      if (held) {
        const Values words =
            left_words(inst, *ThreadTile::of(p.rows, p.depth, threads_of(f_)), i, k);
        left = list(sums + unsigned(operands.size()), unsigned(words.size())), turned.clear();
        operands.insert(operands.end(), words.begin(), words.end());
      } else {
        text += fmt::format("add.s64 %left, ${}, {}; ", first_left + i,
                            further(p.left_tile(), !p.left_transposed, k));
      }
      text += fmt::format("add.s64 %right, ${}, {}; ", right,
                          further(p.right_tile(), p.right_transposed, k));
      text += fmt::format(
          "wgmma.mma_async.sync.aligned.m64n{}k{}.{}.{}.{} {}, {}, %right, %on{}{}; ", own,
          step_bytes / size, sums_type(inst.type.scalar), ptx_type(p.left), ptx_type(p.right),
          list(i * of_block, of_block), left, integers ? "" : ", 1, 1",
          halves ? fmt::format(", {}{}", turned, int(!p.right_transposed)) : "");
    }
  text += "wgmma.commit_group.sync.aligned; ";
  text += p.overlapped ? "}" : "wgmma.wait_group.sync.aligned 0; }";
  for (std::size_t i = sums; i < operands.size(); ++i) inputs += i < described ? ",l" : ",r";
  const Values out = assemble(text, operands[0]->getType(), sums, operands, inputs, true, true);
  for (std::size_t e = 0; e < out.size(); ++e) values_[inst.results[e]] = out[e];
}

/// The statement names the sums, so that nothing that reads them can stand before it.
void Tiles::product_end(const ir::Inst& inst) {
  Values sums;
  for (const ir::ValueId v : inst.operands) sums.push_back(value(v));
  if (any_warpgroup_)
    sums = assemble("wgmma.wait_group.sync.aligned 0;", sums[0]->getType(), unsigned(sums.size()),
                    sums, "", true, true);
  for (std::size_t e = 0; e < sums.size(); ++e) values_[inst.results[e]] = sums[e];
}

// ---- copies -------------------------------------------------------------------------------------

/// The address of a copy's first element in its view.
Tiles::Value* Tiles::in_view(const ir::Inst& inst, unsigned size) {
  const ir::CopyOperands at = ir::copy_operands(inst.op);
  const ir::ValueId index = inst.operands[at.indices];
  Value* wide = ir::is_signed_int(f_.type_of(index).scalar)
                    ? b_.CreateSExt(value(index), b_.getInt64Ty())
                    : b_.CreateZExt(value(index), b_.getInt64Ty());
  return b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), size),
                      arrays_.at(inst.operands[at.view]).base, wide);
}

/// cp.async writes zeros behind the bytes that it is told to read.
void Tiles::copy(const ir::Inst& inst) {
  const unsigned size = f_.type_of(inst.operands[0]).elem_bytes;
  const auto bytes = unsigned(inst.list[0]) * size;
  Value *to = address(inst.operands[0], inst.operands[1], size), *p = in_view(inst, size);
  Value* given =
      b_.CreateMul(b_.CreateSExtOrTrunc(value(inst.operands[2]), b_.getInt32Ty()), number(size));
  const auto* all = llvm::dyn_cast<llvm::ConstantInt>(given);
  const bool whole = all && all->getZExtValue() >= bytes;
  const std::string_view cached = bytes == 16 ? "cg" : "ca";
  const std::string text =
      whole ? fmt::format("cp.async.{}.shared.global [$0], [$1], {};", cached, bytes)
            : fmt::format(
                  "{{ .reg .pred %any; setp.ge.s32 %any, $2, 0; @%any cp.async.{}.shared.global "
                  "[$0], [$1], {}, $2; }}",
                  cached, bytes);
  std::vector<llvm::Type*> types{to->getType(), p->getType()};
  Values operands{to, p};
  if (!whole) types.push_back(given->getType()), operands.push_back(given);
  auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(b_.getVoidTy(), types, false), text,
                                    whole ? "r,l,~{memory}" : "r,l,r,~{memory}", true);
  b_.CreateCall(code, operands)->setDoesNotThrow();
}

void Tiles::copy_back(const ir::Inst& inst) {
  const ir::CopyOperands at = ir::copy_operands(inst.op);
  const unsigned size = f_.type_of(inst.operands[at.view]).elem_bytes;
  const auto bytes = unsigned(inst.list[0]) * size;
  Value* from = b_.CreateGEP(
      llvm::ArrayType::get(b_.getInt8Ty(), size), arrays_.at(inst.operands[at.shared]).base,
      b_.CreateSExtOrTrunc(value(inst.operands[at.shared + 1]), b_.getInt64Ty()));
  llvm::Type* piece = llvm::FixedVectorType::get(b_.getInt32Ty(), bytes / 4);
  b_.CreateAlignedStore(b_.CreateAlignedLoad(piece, from, llvm::Align(bytes)), in_view(inst, size),
                        llvm::Align(bytes));
}

// ---- copies of tiles ----------------------------------------------------------------------------
// The block's first thread asks for them, and a barrier in shared memory counts a group's bytes as
// they come (PTX ISA, mbarrier, and cp.async.bulk.tensor); all threads wait for its phase. Their
// order among products is that of the barriers of the block.

void Tiles::statement(const std::string& text, const Values& operands, const std::string& inputs) {
  std::vector<llvm::Type*> types;
  for (const Value* v : operands) types.push_back(v->getType());
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
  const std::string constraints = inputs + (inputs.empty() ? "" : ",") + "~{memory}";
  b_.CreateCall(llvm::InlineAsm::get(type, text, constraints, true), operands)->setConvergent();
}

void Tiles::begin() {
  if (ring_ == 0) return;
  auto* array = llvm::ArrayType::get(b_.getInt64Ty(), std::uint64_t(ring_));
  auto* memory =
      new llvm::GlobalVariable(code_.session.module(), array, false,
                               llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(array),
                               "copies", nullptr, llvm::GlobalValue::NotThreadLocal, shared_space);
  memory->setAlignment(llvm::Align(8));
  barriers_ = b_.CreatePtrToInt(memory, b_.getInt32Ty());
  for (Value** const local : {&begun_, &waited_, &bytes_}) {
    *local = b_.CreateAlloca(b_.getInt32Ty());
    b_.CreateStore(number(0), *local);
  }
  std::string text = "{ .reg .pred %first; setp.eq.s32 %first, $0, 0; ";
  for (std::int64_t i = 0; i < ring_; ++i)
    text += fmt::format("@%first mbarrier.init.shared::cta.b64 [$1 + {}], 1; ", i * 8);
  statement(
      text +
          "@%first fence.mbarrier_init.release.cluster; @%first fence.proxy.async; bar.sync 0; }",
      {thread(), barriers_}, "r,r");
}

/// The address of the barrier that counts a group.
Tiles::Value* Tiles::phase(Value* group) {
  return b_.CreateAdd(barriers_, b_.CreateShl(b_.CreateAnd(group, number(ring_ - 1)), 3));
}

void Tiles::copy_tile(const ir::Inst& inst) {
  const ir::TileCopy copy(inst);
  const ir::ValueId view = inst.operands[ir::TileCopy::view];
  const unsigned rank = f_.type_of(view).rank, size = f_.type_of(view).elem_bytes;
  const ir::SharedTile tile{copy.rows, copy.columns, size};
  Values coordinates;  // from the innermost on; what does not fit in 32 bits is outside of any view
  for (unsigned d = rank; d-- > 0;) {
    const ir::ValueId index = inst.operands[ir::TileCopy::indices + d];
    Value* wide = ir::is_signed_int(f_.type_of(index).scalar)
                      ? b_.CreateSExt(value(index), b_.getInt64Ty())
                      : b_.CreateZExt(value(index), b_.getInt64Ty());
    for (const auto& [bound, limit] : {std::pair{llvm::Intrinsic::smax, std::int64_t(INT32_MIN)},
                                       std::pair{llvm::Intrinsic::smin, std::int64_t(INT32_MAX)}})
      wide = b_.CreateBinaryIntrinsic(bound, wide, b_.getInt64(std::uint64_t(limit)));
    coordinates.push_back(b_.CreateTrunc(wide, b_.getInt32Ty()));
  }
  Value* to =
      address(inst.operands[ir::TileCopy::shared], inst.operands[ir::TileCopy::offset], size);
  Value* map = arrays_.at(inst.operands[ir::TileCopy::indices + rank]).base;
  Value* barrier = phase(b_.CreateLoad(b_.getInt32Ty(), begun_));
  for (std::int64_t strip = 0; strip < copy.columns / tile.strip(); ++strip) {
    Values operands{thread(), b_.CreateAdd(to, number(strip * copy.rows * ir::strip_bytes)), map,
                    barrier};
    operands.insert(operands.end(), coordinates.begin(), coordinates.end());
    operands[4] = b_.CreateAdd(coordinates[0], number(strip * tile.strip()));
    std::string inputs = "r,r,l,r";
    for (unsigned d = 0; d < rank; ++d) inputs += ",r";
    statement(
        fmt::format(
            "{{ .reg .pred %first; setp.eq.s32 %first, $0, 0; @%first "
            "cp.async.bulk.tensor.{}d.shared::cluster.global.mbarrier::complete_tx::bytes [$1], "
            "[$2, {}], [$3]; }}",
            rank, list(4, rank)),
        operands, inputs);
  }
  b_.CreateStore(b_.CreateAdd(b_.CreateLoad(b_.getInt32Ty(), bytes_), number(tile.size() * size)),
                 bytes_);
}

void Tiles::copy_group() {
  if (any_row_copy_) b_.CreateIntrinsic(nvvm_cp_async_commit_group, {});
  if (ring_ == 0) return;
  Value* group = b_.CreateLoad(b_.getInt32Ty(), begun_);
  statement(
      "{ .reg .pred %first; setp.eq.s32 %first, $0, 0; @%first "
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], $2; }",
      {thread(), phase(group), b_.CreateLoad(b_.getInt32Ty(), bytes_)}, "r,r,r");
  b_.CreateStore(b_.CreateAdd(group, number(1)), begun_);
  b_.CreateStore(number(0), bytes_);
}

void Tiles::copy_wait(std::int64_t groups) {
  if (any_row_copy_) b_.CreateIntrinsic(nvvm_cp_async_wait_group, {number(groups)});
  if (ring_ == 0) return;
  llvm::BasicBlock *test = new_block("groups"), *wait = new_block("wait"),
                   *done = new_block("arrived");
  b_.CreateBr(test);
  b_.SetInsertPoint(test);
  Value* group = b_.CreateLoad(b_.getInt32Ty(), waited_);
  b_.CreateCondBr(
      b_.CreateICmpSLT(b_.CreateAdd(group, number(groups)), b_.CreateLoad(b_.getInt32Ty(), begun_)),
      wait, done);
  b_.SetInsertPoint(wait);
  statement(
      "{ .reg .pred %done; again: mbarrier.try_wait.parity.shared::cta.b64 %done, [$0], $1; "
      "@!%done bra again; }",
      {phase(group),
       b_.CreateAnd(b_.CreateLShr(group, std::uint64_t(std::countr_zero(std::uint64_t(ring_)))),
                    number(1))},
      "r,r");
  b_.CreateStore(b_.CreateAdd(group, number(1)), waited_);
  b_.CreateBr(test);
  b_.SetInsertPoint(done);
}

}  // namespace krait::codegen::nvptx
