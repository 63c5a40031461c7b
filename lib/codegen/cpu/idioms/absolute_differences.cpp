// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of |a - b| over the eight bytes that two loads give each lane: x86 has one instruction for
// them, psadbw. A chain of sums, of which eight terms are such differences, is lowered where it
// ends; sums of integers may be taken in any order.
#include "codegen/cpu/idioms/absolute_differences.h"

#include <algorithm>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/cpu/emit/pure.h"
#include "codegen/cpu/access/row_accesses.h"
#include "ir/walk.h"

namespace krait::codegen::cpu {

using ir::Op;
using ir::Scalar;

namespace {

constexpr std::size_t bytes_of_sum = 8;

/// What looks for chains in one region.
class Chains {
 public:
  Chains(const ir::Function& f, const std::vector<std::uint32_t>& uses, ir::RegionId region)
      : f_(f), uses_(uses), region_(region) {}

  std::map<ir::InstId, ByteSums> find() {
    const auto& insts = f_.regions[region_].insts;
    own_.assign(f_.insts.size(), false);
    for (const ir::InstId i : insts) own_[i] = true;
    std::vector<bool> within(f_.insts.size(), false);
    for (auto i = insts.rbegin(); i != insts.rend(); ++i) {
      const ir::Inst& inst = f_.insts[*i];
      if (inst.op != Op::Add || within[*i] || !is_wide(inst.type.scalar)) continue;
      ByteSums sums;
      terms_.clear();
      take_apart(inst, sums, within);
      if (sums_of_bytes(sums)) {
        std::reverse(sums.inner.begin(), sums.inner.end());
        found_.emplace(*i, std::move(sums));
      }
    }
    return std::move(found_);
  }

 private:
  struct Term {
    ir::InstId a = ir::none, b = ir::none;
    unsigned byte = 0;
    ir::ValueId value = ir::none;
    ir::InstId difference = ir::none;
  };

  static bool is_wide(Scalar s) { return ir::is_int(s) && ir::bits_of(s) >= 16; }
  const ir::Inst* own(ir::ValueId v, Op op) const {
    const ir::InstId i = f_.values[v].def;
    return i != ir::none && own_[i] && f_.insts[i].op == op ? &f_.insts[i] : nullptr;
  }

  void take_apart(const ir::Inst& add, ByteSums& sums, std::vector<bool>& within) {
    for (const ir::ValueId v : add.operands) {
      const ir::Inst* inner = own(v, Op::Add);
      if (inner && uses_[v] == 1) {
        within[f_.values[v].def] = true;
        sums.inner.push_back(f_.values[v].def);
        take_apart(*inner, sums, within);
      } else if (const auto term = difference(v)) {
        terms_.push_back(*term);
      } else {
        sums.rest.push_back(v);
      }
    }
  }

  /// A byte of a load, widened.
  const ir::Inst* byte_of_load(ir::ValueId v, unsigned& byte) const {
    const ir::Inst* cast = f_.def(v);
    if (!cast || cast->op != Op::Cast || f_.type_of(cast->operands[0]).scalar != Scalar::U8)
      return nullptr;
    const ir::Inst* load = own(cast->operands[0], Op::LoadVec);
    if (!load || load->results.size() != bytes_of_sum) return nullptr;
    byte = unsigned(std::find(load->results.begin(), load->results.end(), cast->operands[0]) -
                    load->results.begin());
    return load;
  }
  /// |a - b| of the same byte of two loads, in a type that holds every difference.
  std::optional<Term> difference(ir::ValueId v) const {
    const ir::Inst* size = own(v, Op::Abs);
    if (!size || uses_[v] != 1 || !ir::is_signed_int(size->type.scalar) ||
        !is_wide(size->type.scalar))
      return {};
    const ir::Inst* minus = f_.def(size->operands[0]);
    if (!minus || minus->op != Op::Sub) return {};
    unsigned byte = 0, other = 0;
    const ir::Inst *a = byte_of_load(minus->operands[0], byte),
                   *b = byte_of_load(minus->operands[1], other);
    if (!a || !b || byte != other) return {};
    return Term{ir::InstId(a - f_.insts.data()), ir::InstId(b - f_.insts.data()), byte, v,
                f_.values[v].def};
  }

  /// Whether all eight bytes of any two loads are among the terms; the others become summands of
  /// their own.
  bool sums_of_bytes(ByteSums& sums) {
    std::map<std::pair<ir::InstId, ir::InstId>, std::vector<const Term*>> by_loads;
    for (const Term& t : terms_) by_loads[{t.a, t.b}].push_back(&t);
    for (const auto& [loads, terms] : by_loads) {
      unsigned bytes = 0;
      for (const Term* t : terms) bytes |= 1u << t->byte;
      if (terms.size() == bytes_of_sum && bytes == 0xff) {
        sums.loads.push_back(loads);
        for (const Term* t : terms) sums.inner.push_back(t->difference);
      } else {
        for (const Term* t : terms) sums.rest.push_back(t->value);
      }
    }
    return !sums.loads.empty();
  }

  const ir::Function& f_;
  const std::vector<std::uint32_t>& uses_;
  ir::RegionId region_;
  std::vector<bool> own_;
  std::vector<Term> terms_;
  std::map<ir::InstId, ByteSums> found_;
};

}  // namespace

AbsoluteDifferences::AbsoluteDifferences(const Common& common, const Rows& rows, Pure& pure)
    : Part(common), rows_(rows), pure_(pure) {
  if (shape_.machine.uses(Idiom::AbsoluteDifferences) &&
      (!code_.traits.barriers || code_.whole_block))
    find_byte_sums();
}

void AbsoluteDifferences::find_byte_sums() {
  const auto loads_bytes = [](const ir::Inst& i) {
    return i.op == Op::LoadVec && i.type.scalar == Scalar::U8 && i.results.size() == bytes_of_sum;
  };
  if (shape_.lanes == 1 || !ir::any_inst(f_, loads_bytes)) return;
  ir::for_each_region(f_, [&](ir::RegionId r) { sums_.merge(Chains(f_, uses_, r).find()); });
  for (const auto& [root, sums] : sums_)
    for (const ir::InstId i : sums.inner) within_.insert(i);
}

/// False where the instruction is no part of a sum of bytes' differences; else it is lowered, or at
/// the end of its chain will be.
bool AbsoluteDifferences::emit_byte_sum(ir::InstId id) {
  if (within_.contains(id)) return true;
  const auto found = sums_.find(id);
  if (found == sums_.end()) return false;
  const ByteSums& sums = found->second;
  const ir::Inst& root = f_.insts[id];
  const auto rows = [&](ir::InstId load) { return rows_.numbers_of_loads.find(load); };
  for (const auto& [a, b] : sums.loads) {
    if (rows(a) != rows_.numbers_of_loads.end() && rows(b) != rows_.numbers_of_loads.end())
      continue;
    for (const ir::InstId i : sums.inner) pure_.emit_pure(f_.insts[i]);
    return false;
  }
  const Scalar s = root.type.scalar;
  Lowered result{Lowered::Form::Parts, {}, 0};
  for (unsigned p = 0; p < shape_.parts; ++p) {
    V sum = nullptr;
    const auto plus = [&](V x) { sum = sum ? b_.CreateAdd(sum, x) : x; };
    for (const ir::ValueId v : sums.rest) plus(values_.part(v, p));
    for (const auto& [a, b] : sums.loads)
      plus(b_.CreateZExtOrTrunc(sum_differences(rows(a)->second[p], rows(b)->second[p]),
                                values_.lane_type(s)));
    result.v.push_back(sum);
  }
  values_.set(root.results[0], std::move(result));
  return true;
}

/// Of numbers of 8 bytes, by lane.
V AbsoluteDifferences::sum_differences(V a, V b) {
  const unsigned bytes = bytes_of_sum * shape_.lanes;
  const bool avx512 = shape_.machine.level == CpuLevel::Avx512 && bytes >= 64,
             avx2 = shape_.machine.level >= CpuLevel::Avx2 && bytes >= 32;
  const unsigned width = avx512 ? 64 : avx2 ? 32 : 16;
  const auto id = avx512 ? llvm::Intrinsic::x86_avx512_psad_bw_512
                  : avx2 ? llvm::Intrinsic::x86_avx2_psad_bw
                         : llvm::Intrinsic::x86_sse2_psad_bw;
  const V x = b_.CreateBitCast(a, llvm::FixedVectorType::get(b_.getInt8Ty(), bytes)),
          y = b_.CreateBitCast(b, x->getType());
  V all = llvm::PoisonValue::get(a->getType());
  for (unsigned first = 0; first < bytes; first += width) {
    llvm::Type* piece = llvm::FixedVectorType::get(b_.getInt8Ty(), width);
    const V sums = b_.CreateIntrinsic(id, {},
                                      {b_.CreateExtractVector(piece, x, std::uint64_t(first)),
                                       b_.CreateExtractVector(piece, y, std::uint64_t(first))});
    all = b_.CreateInsertVector(a->getType(), all, sums, std::uint64_t(first / bytes_of_sum));
  }
  return all;
}

}  // namespace krait::codegen::cpu
