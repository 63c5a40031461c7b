// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, constants and single instructions.
#include "codegen/spirv/kit/emitter.h"

#include <fmt/core.h>
#include <spirv/unified1/OpenCL.std.h>

#include "support/blobs/spirv.h"

namespace krait::codegen::spirv {
namespace {

std::uint32_t opencl_function(GLSLstd450 which) {
  using namespace OpenCLLIB;
  switch (which) {
    case GLSLstd450FAbs: return Fabs;
    case GLSLstd450NMin: return Fmin;
    case GLSLstd450NMax: return Fmax;
    case GLSLstd450Sqrt: return Sqrt;
    case GLSLstd450InverseSqrt: return Rsqrt;
    case GLSLstd450Fma: return Fma;
    case GLSLstd450Floor: return Floor;
    case GLSLstd450Ceil: return Ceil;
    case GLSLstd450Trunc: return Trunc;
    case GLSLstd450RoundEven: return Rint;
    case GLSLstd450Exp: return Native_exp;
    case GLSLstd450Exp2: return Native_exp2;
    case GLSLstd450Log: return Native_log;
    case GLSLstd450Log2: return Native_log2;
    case GLSLstd450Sin: return Native_sin;
    case GLSLstd450Cos: return Native_cos;
    case GLSLstd450Tan: return Native_tan;
    case GLSLstd450Tanh: return Tanh;
    case GLSLstd450Atan2: return Atan2;
    default: defect(fmt::format("function {} of GLSL.std.450 has none of OpenCL.std", int(which)));
  }
}

}  // namespace

void Emitter::need(Feature feature, std::string_view of_what) {
  // The rules of OpenCL 1.2 have no sub-groups, whatever a target's text says.
  if (kernel() && feature == Feature::Warp)
    unsupported(fmt::format(
        "{}: {} needs sub-groups (the device feature \"{}\"), which Krait does not use on OpenCL",
        where, of_what, support::word_of(feature)));
  if (!has(feature))
    unsupported(fmt::format("{}: {} needs the device feature \"{}\", which the device lacks", where,
                            of_what, support::word_of(feature)));
}

Id Emitter::type(Scalar s) {
  if (s == Scalar::Void) return m.globals.void_type();
  if (s == Scalar::Bool) return m.globals.bool_type();
  const unsigned bits = ir::bits_of(s);
  if (ir::is_int(s)) {
    if (bits == 8) need(Feature::I8, "an 8-bit integer");
    if (bits == 16) need(Feature::I16, "a 16-bit integer");
    if (bits == 64) need(Feature::I64, "a 64-bit integer");
    return m.globals.int_type(bits);
  }
  if (bits == 16) need(Feature::F16, "a 16-bit float");
  if (bits == 64) need(Feature::F64, "a 64-bit float");
  return m.globals.float_type(bits);
}

Id Emitter::constant(Scalar s, std::uint64_t value) {
  if (s == Scalar::Bool) return m.globals.constant_bool(value != 0);
  Id id = m.globals.constant(type(s), ir::bits_of(s), value);
  if (ir::is_int(s) && ir::bits_of(s) == 64) constants64_[id] = std::int64_t(value);
  return id;
}

void Emitter::declare_push_words(std::uint32_t count) {
  Id block =
      m.globals.struct_type(list({m.globals.strided_array_type(type(Scalar::U32), u32(count), 4)}));
  m.head.decorate(block, spv::Decoration::Block);
  m.head.decorate_member(block, 0, spv::Decoration::Offset, {0});
  push_ = m.globals.variable(spv::StorageClass::PushConstant, block);
}

Id Emitter::push_word(std::uint32_t offset) {
  const Id word = type(Scalar::U32);
  return m.code.emit(spv::Op::OpLoad, word,
                     {m.code.emit(spv::Op::OpAccessChain,
                                  m.globals.pointer_type(spv::StorageClass::PushConstant, word),
                                  {push_, u32(0), u32(offset / 4)})});
}

// NVIDIA's driver knows how large the number of a thread in its block can be; Mesa's writes push
// constants into the code.
Id Emitter::hidden_zero(Scalar u) {
  if (!kernel() && !has(Feature::Hide0))
    return resize(u, Scalar::U32, push_word(support::spirv_zero_offset));
  const Scalar s = kernel() ? Scalar::U64 : Scalar::U32;
  Id index = m.code.emit(spv::Op::OpLoad, type(s),
                         {m.globals.builtin(spv::BuiltIn::LocalInvocationIndex, type(s))});
  // no block has 2^31 threads
  return resize(u, s, op(spv::Op::OpShiftRightLogical, s, {index, u32(31)}));
}

// Translators pass a count on to LLVM as it is, which asks for one as wide as the number.
Id Emitter::op(spv::Op o, Scalar result, std::initializer_list<Id> operands) {
  const bool shifts = o == spv::Op::OpShiftLeftLogical || o == spv::Op::OpShiftRightLogical ||
                      o == spv::Op::OpShiftRightArithmetic;
  if (!kernel() || !shifts || ir::bits_of(result) == 32)
    return m.code.emit(o, type(result), operands);
  return m.code.emit(
      o, type(result),
      {operands.begin()[0], m.code.emit(spv::Op::OpUConvert, type(result), {operands.begin()[1]})});
}

// In fast mode too: the bodies of functions rely on exact sums, and a driver that takes (x + c) - c
// for x makes log(1 + x) zero.
Id Emitter::exact(spv::Op o, Scalar result, std::initializer_list<Id> operands) {
  Id id = op(o, result, operands);
  // kernels have a mode for all
  if (!kernel()) m.head.decorate(id, spv::Decoration::NoContraction);
  if (any_order) {
    using enum spv::FPFastMathModeMask;
    m.head.capability(spv::Capability::FPFastMathModeINTEL);
    m.head.extension("SPV_INTEL_fp_fast_math_mode");
    const auto allowed =
        AllowContractFastINTEL | (o == spv::Op::OpFMul ? MaskNone : AllowReassocINTEL);
    m.head.decorate(id, spv::Decoration::FPFastMathMode, {std::uint32_t(allowed)});
  }
  return id;
}

Id Emitter::ext(GLSLstd450 which, Scalar result, std::initializer_list<Id> operands) {
  Words all{m.head.extended(), kernel() ? opencl_function(which) : std::uint32_t(which)};
  all.insert(all.end(), operands);
  return m.code.emit(spv::Op::OpExtInst, type(result), all);
}

Id Emitter::highest_bit(Scalar result, Id x) {
  if (!kernel()) return ext(GLSLstd450FindUMsb, result, {x});
  return op(spv::Op::OpISub, result,
            {u32(31), m.code.emit(spv::Op::OpExtInst, type(result),
                                  {m.head.extended(), OpenCLLIB::Clz, x})});
}

// SPIRV-LLVM-Translator 14 and 15 end the process at OpCompositeConstruct of what is not constant.
Id Emitter::composite(Id type, std::span<const Id> parts) {
  if (!kernel()) return m.code.emit(spv::Op::OpCompositeConstruct, type, parts);
  Id all = undefined(type);
  for (std::uint32_t n = 0; n < parts.size(); ++n)
    all = m.code.emit(spv::Op::OpCompositeInsert, type, {parts[n], all, n});
  return all;
}

Id Emitter::bits(Scalar to, Scalar from, Id x) {
  return type(to) == type(from) ? x : op(spv::Op::OpBitcast, to, {x});
}

Id Emitter::resize(Scalar to, Scalar from, Id x) {
  if (type(to) == type(from)) return x;
  if (ir::bits_of(to) == 32)
    if (auto known = extended_.find(x); known != extended_.end()) return known->second;
  const bool sign = ir::is_signed_int(from) && ir::size_of(to) > ir::size_of(from);
  Id id = op(sign ? spv::Op::OpSConvert : spv::Op::OpUConvert, to, {x});
  if (sign && from == Scalar::I32) extended_[id] = x;
  // NVIDIA's driver (580) takes shifts by 8 that are or-ed together for a swap of the two bytes,
  // and its operand for dead where a division of 64 bits, a function there, comes between.
  if (from == Scalar::U16 && ir::size_of(to) > 2 && has(Feature::Swap16))
    id = op(spv::Op::OpBitwiseXor, to, {id, hidden_zero(to)});
  return id;
}

Id Emitter::as_i32(Id x) {
  if (const auto known = extended_.find(x); known != extended_.end()) return known->second;
  const auto c = constants64_.find(x);
  if (c == constants64_.end() || c->second != std::int32_t(c->second)) return 0;
  return constant(Scalar::I32, std::uint32_t(c->second));
}

Id Emitter::widened_id(Id x) {
  Id id = op(spv::Op::OpUConvert, Scalar::I64, {x});
  extended_[id] = x;
  return id;
}

}  // namespace krait::codegen::spirv
