// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel's function, its parameters, and pure operations in the ways of PTX. A kernel parameter
// is one item of the argument block (ir/abi.h): PTX lays parameters out by natural alignment, as
// the block does, so a launch passes the block as it is.
#include "codegen/nvptx/lower.h"

#include <fmt/core.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/reply.h"
#include "ir/walk.h"
#include "support/blobs/ptx.h"

namespace krait::codegen::nvptx {

using ir::Op;
using ir::Scalar;
using llvm::Value;

namespace {

using What = ir::ArgumentSlot::What;

}  // namespace

ir::Overlap overlap_on(const support::PtxTarget& on, const ir::Function& kernel) {
  constexpr unsigned first_overlapping = 90;  // compute capability
  return on.sm >= first_overlapping ? kernel.overlap : ir::Overlap::None;
}

Lowering::Lowering(scalar::Code& code, const support::PtxTarget& on)
    : Target(code),
      numeric_(b_),
      tiles_(code, on),
      float_bits_(f_.values.size(), -1),
      overlap_(overlap_on(on, f_)) {
  for (const ir::Function& f : code.all.module.functions) {
    ir::for_each_inst(f, [&](ir::InstId i, ir::RegionId) {
      const ir::Inst& inst = f.insts[i];
      ir::Effect effect = ir::info(inst.op).effect;
      synchronises_ = synchronises_ || effect == ir::Effect::Sync || effect == ir::Effect::Atomic;
      reinterprets_ = reinterprets_ ||
                      (inst.op == Op::Bitcast && ir::is_float(f.type_of(inst.operands[0]).scalar));
    });
  }
}

void lower_module(Session& session, const ir::Module& module, const ir::ArgumentLayout& arguments,
                  const support::PtxTarget& on) {
  scalar::Lowered all{module, arguments};
  for (std::size_t i = module.functions.size(); i-- > 0;) {
    // they stand where it is called
    if (!module.functions[i].native.instructions.empty()) continue;
    scalar::Code code(session, all, i);
    Lowering target(code, on);
    scalar::lower(code, target);
  }
}

void Lowering::create_kernel() {
  std::vector<llvm::Type*> types;
  const ir::ArgumentLayout& layout = code_.all.arguments;
  for (const ir::ArgumentSlot& slot : layout.slots) {
    if (slot.what == What::SharedLength) {
      types.push_back(b_.getInt64Ty());
      continue;
    }
    ir::ValueId param = f_.params()[slot.param];
    switch (slot.what) {
      case What::SharedLength: break;
      case What::Bytes: types.push_back(b_.getPtrTy()); break;
      case What::Address: types.push_back(llvm::PointerType::get(context_, global_space)); break;
      case What::Scalar: types.push_back(memory_type(context_, f_.type_of(param).scalar)); break;
      case What::Extent:
      case What::Stride: types.push_back(b_.getIntNTy(slot.bytes * 8u)); break;
    }
  }
  for (const std::uint32_t bytes : support::padding_of(layout))
    types.push_back(b_.getIntNTy(bytes * 8));
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
  code_.function = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                          symbol_name(f_.name), code_.session.module());
  code_.function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  if (f_.block[0])
    code_.function->addFnAttr("nvvm.reqntid",
                              fmt::format("{},{},{}", f_.block[0], f_.block[1], f_.block[2]));
  else if (f_.bounds.threads)
    code_.function->addFnAttr("nvvm.maxntid", fmt::format("{}", f_.bounds.threads));
  if (f_.in_clusters())
    code_.function->addFnAttr("nvvm.cluster_dim",
                              fmt::format("{},{},{}", f_.cluster[0], f_.cluster[1], f_.cluster[2]));
  if (f_.bounds.blocks)
    code_.function->addFnAttr("nvvm.minctasm", fmt::format("{}", f_.bounds.blocks));
  if (f_.bounds.registers)
    code_.function->addFnAttr("nvvm.maxnreg", fmt::format("{}", f_.bounds.registers));
  code_.exit = llvm::BasicBlock::Create(context_, "exit");
}

void Lowering::bind_kernel() {
  const ir::ArgumentLayout& layout = code_.all.arguments;
  for (std::size_t i = 0; i < layout.slots.size(); ++i) {
    const ir::ArgumentSlot& slot = layout.slots[i];
    llvm::Argument* argument = code_.function->getArg(unsigned(i));
    if (slot.what == What::SharedLength) {
      argument->addAttr(llvm::Attribute::get(
          context_, llvm::Attribute::Range,
          llvm::ConstantRange(llvm::APInt(64, 0), llvm::APInt(64, std::uint64_t(1) << 31))));
      shared_lengths_.push_back(argument);
      continue;
    }
    ir::ValueId param = f_.params()[slot.param];
    const ir::Type& type = f_.type_of(param);
    switch (slot.what) {
      case What::SharedLength: break;
      case What::Scalar: values_[param] = scalar::from_memory(b_, argument, type.scalar); break;
      case What::Bytes:  // the parameter itself: its loads become ld.param
        argument->addAttr(llvm::Attribute::getWithByValType(
            context_, llvm::ArrayType::get(b_.getInt8Ty(), slot.bytes)));
        argument->addAttr(llvm::Attribute::getWithAlignment(
            context_, llvm::Align(slot.param < layout.given ? 16 : support::tile_map_alignment)));
        if (slot.param >= layout.given)
          // read where it lies
          argument->addAttr(llvm::Attribute::get(context_, "nvvm.grid_constant"));
        argument->addAttr(llvm::Attribute::ReadOnly);
        argument->addAttr(llvm::Attribute::NoAlias);
        arrays_[param] = {argument, type, {}, {}};
        break;
      case What::Address: {
        arrays_[param] = {argument, type, {}, {}};
        bool written = is_written(param);
        // Other threads may write what this one reads after a barrier; noalias would let LLVM keep
        // the old value.
        if (overlap_ != ir::Overlap::Second) {
          if (f_.facts.disjoint && (!written || !synchronises_))
            argument->addAttr(llvm::Attribute::NoAlias);
          if (!written) argument->addAttr(llvm::Attribute::ReadOnly);
        }
        if (f_.facts.aligned)
          argument->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(16)));
        break;
      }
      case What::Extent:
        if (slot.bytes == 4) {
          llvm::ConstantRange range(llvm::APInt(32, 0), llvm::APInt(32, 0x80000000u));
          argument->addAttr(llvm::Attribute::get(context_, llvm::Attribute::Range, range));
        }
        arrays_[param].extents[slot.dimension] =
            b_.CreateZExt(argument, b_.getInt64Ty(), "", slot.bytes == 4);
        break;
      case What::Stride: arrays_[param].strides[slot.dimension] = argument; break;
    }
  }
  for (ir::ValueId param : f_.params())
    if (f_.type_of(param).space == ir::Space::Global && f_.facts.contiguous)
      make_strides(arrays_[param]);
  place_shared();
  tiles_.begin();
  if (overlap_ == ir::Overlap::First)
    b_.CreateIntrinsic(llvm::Intrinsic::nvvm_griddepcontrol_launch_dependents, {});
  // No load may pass it: what the launch before writes is there behind it.
  if (overlap_ == ir::Overlap::Second)
    b_.CreateIntrinsic(llvm::Intrinsic::nvvm_griddepcontrol_wait, {});
}

/// Whether an integer may be the bits of a float, or become them when LLVM drops what later
/// narrowing makes void.
bool Lowering::may_hold_float_bits(ir::ValueId v) {
  if (!reinterprets_) return false;
  if (float_bits_[v] >= 0) return float_bits_[v];
  const ir::Inst* def = f_.def(v);
  bool may = false;
  if (!def) {
    const ir::RegionId region = f_.values[v].region;
    const ir::InstId loop = region == f_.body ? ir::none : f_.regions[region].parent;
    const bool counter = loop != ir::none && f_.insts[loop].op != ir::Op::Loop &&
                         ir::is_loop(f_.insts[loop].op) && f_.regions[region].params[0] == v;
    may = f_.called || (region != f_.body && !counter);
  } else if (def->op == Op::Bitcast && ir::is_float(f_.type_of(def->operands[0]).scalar)) {
    may = true;
  } else {
    ir::Effect effect = ir::info(def->op).effect;
    may = effect == ir::Effect::Control || effect == ir::Effect::Slot || effect == ir::Effect::Call;
    if (effect == ir::Effect::Pure || effect == ir::Effect::Cross)
      for (ir::ValueId operand : def->operands)
        may = may || (ir::is_int(f_.type_of(operand).scalar) && may_hold_float_bits(operand));
  }
  float_bits_[v] = may;
  return may;
}

/// The value in a register of its own. ptxas (CUDA 13.0, all devices) takes a store of 8, 16 or 32
/// bits from a wider register that a float instruction wrote for a conversion of the float to an
/// integer; after a mov it stores the bits.
Value* Lowering::copy_register(Value* x) {
  unsigned bits = x->getType()->getIntegerBitWidth();
  const char* code = bits == 16   ? "mov.b16 $0, $1;"
                     : bits == 32 ? "mov.b32 $0, $1;"
                                  : "mov.b64 $0, $1;";
  const char* registers = bits == 16 ? "=h,h" : bits == 32 ? "=r,r" : "=l,l";
  auto* type = llvm::FunctionType::get(x->getType(), {x->getType()}, false);
  return b_.CreateCall(llvm::InlineAsm::get(type, code, registers, false), {x});
}

/// rcp.approx.ftz.f64 takes the upper half of x and gives the upper half of a result, some 2^-19
/// off; with e = 1 - x r, the series r (1 + e + e^2) leaves 2^-57 before its last rounding. NaN for
/// 0 and infinity.
Value* Lowering::reciprocal_f64(Value* x) {
  const auto fma = [&](Value* a, Value* b, Value* c) -> Value* {
    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {b_.getDoubleTy()}, {a, b, c});
  };
  Value* r = b_.CreateIntrinsic(llvm::Intrinsic::nvvm_rcp_approx_ftz_d, {x});
  Value* e = fma(b_.CreateFNeg(x), r, llvm::ConstantFP::get(b_.getDoubleTy(), 1));
  return fma(fma(e, e, e), r, r);
}

/// 1 / x or sqrt x in a body whose error bound allows for one ULP of it (PTX ISA, rcp and sqrt); x
/// and the result are normal there. Null for other operations.
Value* Lowering::approximate(const ir::Inst& inst) {
  const bool single = inst.type.scalar == Scalar::F32, root = inst.op == Op::Sqrt;
  if (!inst.fast || !(root || inst.op == Op::Div) || (single && f_.fp == ir::FpMode::Fast))
    return nullptr;
  const auto* numerator = llvm::dyn_cast<llvm::ConstantFP>(value(inst.operands.front()));
  const bool reciprocal = !root && numerator && numerator->isExactlyValue(1);
  Value* x = value(inst.operands.back());
  if (reciprocal && inst.type.scalar == Scalar::F64) return reciprocal_f64(x);
  if (!single || !(root || reciprocal)) return nullptr;
  return b_.CreateIntrinsic(
      root ? llvm::Intrinsic::nvvm_sqrt_approx_ftz_f : llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {x});
}

/// |x - y| of numbers of 8 or 16 bits that were widened to 32: in LLVM's hands it becomes a
/// difference of their minimum and maximum in
/// 16 bits, which the hardware does not have. Null: it is none.
Value* Lowering::distance(const ir::Inst& inst) {
  if (inst.op != Op::Abs || inst.type.scalar != Scalar::I32) return nullptr;
  const ir::Inst* difference = f_.def(inst.operands[0]);
  if (!difference || difference->op != Op::Sub) return nullptr;
  for (const ir::ValueId v : difference->operands) {
    const ir::Inst* cast = f_.def(v);
    if (!cast || cast->op != Op::Cast || !ir::is_int(f_.type_of(cast->operands[0]).scalar) ||
        ir::size_of(f_.type_of(cast->operands[0]).scalar) > 2)
      return nullptr;
  }
  return b_.CreateIntrinsic(
      llvm::Intrinsic::nvvm_sad_i,
      {value(difference->operands[0]), value(difference->operands[1]), b_.getInt32(0)});
}

Value* Lowering::pure(const ir::Inst& inst) {
  std::vector<Value*> operands;
  for (ir::ValueId v : inst.operands) operands.push_back(value(v));
  Scalar from = f_.type_of(inst.operands[inst.op == Op::Select ? 1 : 0]).scalar,
         to = inst.type.scalar;
  if (inst.op == Op::Cast && ir::is_float(from) && ir::size_of(from) == 1)
    operands[0] = from_float8(from, operands[0]), from = Scalar::F32;
  bool narrows = inst.op == Op::Cast && ir::is_int(from) && ir::is_int(to) &&
                 ir::size_of(to) < ir::size_of(from);
  if (narrows && may_hold_float_bits(inst.operands[0])) operands[0] = copy_register(operands[0]);
  if (inst.op == Op::CastSat) return to_float8(to, operands[0]);
  if (Value* near = approximate(inst)) return near;
  if (Value* apart = distance(inst)) return apart;
  // On 32 bits, as expand_ops leaves no others; prmt takes the fourth bit of a selector for
  // something else.
  if (inst.op == Op::BytePermute)
    return b_.CreateIntrinsic(
        llvm::Intrinsic::nvvm_prmt,
        {operands[0], operands[1], b_.CreateAnd(operands[2], b_.getInt32(0x7777))});
  if (inst.op == Op::DotBytes || inst.op == Op::DotMixed) {  // of 32 bits, too
    const auto instruction = inst.op == Op::DotMixed ? llvm::Intrinsic::nvvm_idp4a_u_s
                             : ir::is_signed_int(to) ? llvm::Intrinsic::nvvm_idp4a_s_s
                                                     : llvm::Intrinsic::nvvm_idp4a_u_u;
    return b_.CreateIntrinsic(instruction, operands);
  }
  return numeric_.emit(inst.op, to, from, operands, is_fast(inst));
}

/// The conversions that lower_types leaves, by instructions that have two numbers; the lower one is
/// used. Of a half its value in 32 bits.
Value* Lowering::to_float8(Scalar to, Value* x) {
  if (x->getType()->isHalfTy()) x = b_.CreateFPExt(x, b_.getFloatTy());
  const auto instruction = to == Scalar::F8E4M3 ? llvm::Intrinsic::nvvm_ff_to_e4m3x2_rn
                                                : llvm::Intrinsic::nvvm_ff_to_e5m2x2_rn;
  return b_.CreateTrunc(
      b_.CreateIntrinsic(instruction, {llvm::ConstantFP::get(b_.getFloatTy(), 0), x}),
      b_.getInt8Ty());
}
Value* Lowering::from_float8(Scalar from, Value* x) {
  const auto instruction = from == Scalar::F8E4M3 ? llvm::Intrinsic::nvvm_e4m3x2_to_f16x2_rn
                                                  : llvm::Intrinsic::nvvm_e5m2x2_to_f16x2_rn;
  Value* halves = b_.CreateIntrinsic(instruction, {b_.CreateZExt(x, b_.getInt16Ty())});
  return b_.CreateFPExt(b_.CreateExtractElement(halves, std::uint64_t(0)), b_.getFloatTy());
}

}  // namespace krait::codegen::nvptx
