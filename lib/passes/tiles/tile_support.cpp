// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What targets have for tiles. A product is left to tensor cores in native and fast mode alone:
// they round in an order of their own.
#include <algorithm>

#include "ir/tiles.h"
#include "passes/passes.h"

namespace krait::passes {
namespace {

using namespace ir;

bool interprets_product(const Inst&, FpMode) { return true; }
bool interprets_copy(const Inst&, const Function&) { return true; }

bool may_round_freely(FpMode fp) { return fp == FpMode::Native || fp == FpMode::Fast; }
bool is_integer_product(const Inst& inst) { return inst.type.scalar == Scalar::I32; }

/// mma.sync of sm_80 (PTX ISA, "mma"): halves, bf16, tf32 where the product asks for it, integers
/// of 8 bits of one sign or two, f64.
bool has_ptx80(const Inst& inst, FpMode fp) {
  if (inst.op == Op::ProductEnd) return true;
  const Product p(inst);
  if (is_integer_product(inst)) return true;
  if (!may_round_freely(fp)) return false;
  const unsigned size = size_of(p.left);
  return size == 2 || size == 8 || (size == 4 && inst.fast);
}
/// The same with floats of 8 bits: sm_89, PTX 8.4.
bool has_ptx89(const Inst& inst, FpMode fp) {
  if (inst.op == Op::ProductEnd) return true;
  const Product p(inst);
  const bool float8 = is_float(p.left) && size_of(p.left) == 1;
  return has_ptx80(inst, fp) || (float8 && may_round_freely(fp));
}
/// cp.async has 4, 8 or 16 bytes, at a multiple of them. Back go whole pieces.
bool copies_ptx(const Inst& inst, const Function& f) {
  const CopyOperands at = copy_operands(inst.op);
  const std::int64_t bytes = inst.list[0] * f.type_of(inst.operands[at.view]).elem_bytes;
  const ValueId count = inst.operands[at.count];
  const bool whole = f.is_const(count) && std::int64_t(f.const_bits(count)) >= inst.list[0];
  return f.facts.aligned && (bytes == 4 || bytes == 8 || bytes == 16) &&
         (inst.op == Op::CopyRow || whole);
}

/// Of the types that matrices are made of: of whole pieces, or of as many elements of one as is
/// found out at run time. (Pieces of f64, taken apart to their elements, gave a wrong sum in one of
/// 2,700 random kernels with halves, always the same, on an H100 with driver 580: seed 1180724090,
/// native.)
bool copies_spirv(const Inst& inst, const Function& f) {
  const ValueId count = inst.operands[copy_operands(inst.op).count];
  const bool known = f.is_const(count),
             whole = known && std::int64_t(f.const_bits(count)) == inst.list[0];
  const unsigned size = f.type_of(inst.operands[0]).elem_bytes;
  return inst.op == Op::CopyRow && f.facts.aligned && (!known || whole) && size == 2 &&
         inst.list[0] * size == piece_bytes;
}

/// cp.async.bulk.tensor of sm_90 (PTX ISA, "tensor copies"): boxes of at most 256 rows of 128
/// bytes, of at most five dimensions, by coordinates of 32 bits. It reads past what this kernel
/// writes.
bool tiles_ptx(const Inst& inst, const Function& f) {
  constexpr std::int64_t longest_box = 256;  // of a tensor map, in elements
  const TileCopy t(inst);
  const ValueId view = inst.operands[TileCopy::view];
  const Type& type = f.type_of(view);
  const auto params = f.given_params();
  const bool given = !f.called && std::find(params.begin(), params.end(), view) != params.end();
  return given && !type.writable && type.rank <= 5 && size_of(type.scalar) == type.elem_bytes &&
         f.facts.contiguous && f.facts.aligned && f.facts.small && f.facts.disjoint &&
         t.rows <= longest_box && t.rows % pieces_of_strip == 0 &&
         t.columns * type.elem_bytes % strip_bytes == 0;
}
/// Of halves and their like, of whole matrices of 16 by 16 by 16 (codegen/spirv/memory/tiles.h).
bool has_halves(const Inst& inst, FpMode fp) {
  return inst.op == Op::ProductEnd || (may_round_freely(fp) && Product(inst).left == Scalar::F16 &&
                                       Product(inst).right == Scalar::F16);
}
bool has_halves_and_bf16(const Inst& inst, FpMode fp) {
  if (has_halves(inst, fp)) return true;
  const Product p(inst);
  return may_round_freely(fp) && is_float(p.left) && size_of(p.left) == 2 && p.left == p.right;
}
bool interprets_tile(const Inst&, const Function&) { return true; }
bool has_no_tile(const Inst&, const Function&) { return false; }

}  // namespace

bool takes_words(const Inst& inst, FpMode fp) {
  const Product p(inst);
  constexpr std::int64_t side = 16;  // of a register, in sums
  if (p.columns % side != 0) return false;
  // of two bytes, that are the upper half of an f32
  const bool halves = is_float(p.left) && size_of(p.left) == 2 && p.left != Scalar::F16;
  return is_integer_product(inst) || (may_round_freely(fp) && halves);
}

TileSupport tile_support(const support::Target& target) {
  if (target.kind == support::TargetKind::Interpreter)
    return {.copies = true,
            .product = interprets_product,
            .copy = interprets_copy,
            .tile = interprets_tile};
  if (target.kind == support::TargetKind::Spirv && target.has_matrices()) {
    TileSupport has{.copy = copies_spirv, .pieces = true};
    has.padded = has.product =
        target.spirv.features.has(support::Feature::CoopBf16) ? has_halves_and_bf16 : has_halves;
    return has;
  }
  if (target.kind == support::TargetKind::Cpu) {
    // 32 and 16 registers, of which factors take some.
    TileSupport has;
    has.padded = [](const Inst&, FpMode) { return true; };
    if (target.cpu.has_tile_registers()) has.words = takes_words;
    has.block_sums = target.cpu.level() == CpuLevel::Avx512 ? 16 : 8;
    return has;
  }
  if (target.kind != support::TargetKind::Ptx || target.ptx.sm < 80) return {};
  const bool maps = target.ptx.sm >= 90 && target.ptx.isa >= 80;
  return {.copies = true,
          .product = target.has_float8() && target.ptx.isa >= 84 ? has_ptx89 : has_ptx80,
          .copy = copies_ptx,
          .tile = maps ? tiles_ptx : has_no_tile,
          .tile_maps = maps,
          .left_values = true};
}

}  // namespace krait::passes
