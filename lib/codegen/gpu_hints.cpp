// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is slow on a GPU whatever its make: accesses of a warp that lie in many pieces of memory,
// divisions of integers, and arrays of a thread that cannot lie in registers.
#include <fmt/core.h>

#include <bit>
#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>

#include "codegen/hints.h"
#include "ir/walk.h"
#include "passes/analysis/lane_steps.h"

namespace krait::codegen {
namespace {

using ir::Op;
using passes::LaneStep;
using Kind = LaneStep::Kind;

// What memory hands out at once: elements up to so many bytes, which lie side by side, waste
// nothing.
constexpr std::uint32_t sector = 32;

class Finder {
 public:
  Finder(const ir::Function& f, const std::vector<LaneStep>& steps, Hints& hints)
      : f_(f), steps_(steps), hints_(hints) {}

  void run() {
    ir::for_each_inst(f_, [&](ir::InstId id, ir::RegionId) {
      if (const ir::Inst& inst = f_.insts[id]; reaches_memory(inst))
        touched_[{inst.operands[0], steps_[inst.operands[1]].step}] += bytes_of(inst);
    });
    ir::for_each_inst(f_, [&](ir::InstId id, ir::RegionId) {
      const ir::Inst& inst = f_.insts[id];
      switch (inst.op) {
        case Op::Load:
        case Op::LoadVec: access(inst, false); break;
        case Op::Store:
        case Op::StoreVec: access(inst, true); break;
        case Op::Div:
        case Op::Rem: divide(inst); break;
        default: break;
      }
      compute(inst);
    });
  }

 private:
  const ir::Location& place(const ir::Inst& inst) const { return f_.locations[inst.loc]; }

  bool reaches_memory(const ir::Inst& inst) const {
    const bool accesses = inst.op == Op::Load || inst.op == Op::LoadVec || inst.op == Op::Store ||
                          inst.op == Op::StoreVec;
    return accesses && f_.type_of(inst.operands[0]).space == ir::Space::Global;
  }
  static std::int64_t bytes_of(const ir::Inst& inst) {
    const std::size_t numbers = inst.op == Op::LoadVec    ? inst.results.size()
                                : inst.op == Op::StoreVec ? inst.operands.size() - 2
                                                          : 1;
    return std::int64_t(numbers * ir::size_of(inst.type.scalar));
  }

  void access(const ir::Inst& inst, bool stores) {
    const ir::Type& array = f_.type_of(inst.operands[0]);
    const ir::ValueId index = inst.operands[1];
    if (array.space == ir::Space::Local) return local(inst);
    if (array.space == ir::Space::Shared) return banks(inst);
    if (!reaches_memory(inst)) return;
    const LaneStep s = steps_[index];
    if (s.kind == Kind::Same || s.kind == Kind::Unknown) return;
    if (s.kind == Kind::Step) {
      const std::int64_t bytes = s.step * array.elem_bytes;
      // Elements between two threads' that the thread accesses as well fill the gap.
      const bool one = std::abs(s.step) == 1;
      if (one ? array.elem_bytes <= sector
              : std::abs(bytes) <= touched_[{inst.operands[0], s.step}])
        return;
      hints_.add("strided", place(inst),
                 strided_text(stores, bytes, array.elem_bytes,
                              "so a warp's access is many pieces of memory instead of one"));
      return;
    }
    const Cause cause =
        s.kind == Kind::Data
            ? cause_of(f_, index, [&](ir::ValueId v) { return steps_[v].kind == Kind::Same; })
            : scaled_cause();
    hints_.add(
        stores ? "scatter" : "gather", place(inst),
        fmt::format(
            "uncoalesced access: {}, and a warp {} up to 32 pieces of memory instead of one. {}",
            cause.why, stores ? "writes" : "reads", cause.cure));
  }

  /// Registers have no numbers that are known only at run time.
  void local(const ir::Inst& inst) {
    if (f_.is_const(inst.operands[1])) return;
    hints_.add("local", place(inst),
               "local array: it is indexed by a number known only at launch, "
               "so it is in memory instead of registers. Index it by constants (a C++ loop unrolls "
               "while recording), or use a shared array");
  }

  /// Words of shared memory lie in 32 banks in turn, and a bank gives one word at a time (CUDA's
  /// programming guide).
  void banks(const ir::Inst& inst) {
    constexpr std::int64_t count = 32, word = 4;
    const LaneStep s = steps_[inst.operands[1]];
    const std::int64_t bytes = s.step * std::int64_t(f_.type_of(inst.operands[0]).elem_bytes);
    if (s.kind != Kind::Step || bytes == 0 || bytes % word != 0) return;
    // words of an access are separate turns anyway
    const std::int64_t each = std::max<std::int64_t>(bytes_of(inst) / word, 1);
    const std::int64_t ways = std::gcd(std::abs(bytes / word), count) / std::min(each, count);
    if (ways < 2) return;
    hints_.add(
        "banks", place(inst),
        fmt::format("bank conflicts: neighbouring threads access places {} bytes apart in a shared "
                    "array, so {} threads of a warp wait for one bank. "
                    "Make the rows of the array one element longer, or let neighbours use "
                    "neighbouring elements",
                    std::abs(bytes), ways));
  }

  /// Double precision that comes from single and goes back to it: a constant of C++ without its f.
  void compute(const ir::Inst& inst) {
    if (inst.type.scalar != ir::Scalar::F64 || inst.results.size() != 1 || inst.operands.size() < 2)
      return;
    if (ir::info(inst.op).family != ir::Family::Value && !ir::is_math(inst.op)) return;
    bool from_single = false;
    for (const ir::ValueId v : inst.operands) {
      const ir::Inst* d = f_.def(v);
      from_single = from_single || (d && d->op == Op::Cast &&
                                    f_.type_of(d->operands[0]).scalar == ir::Scalar::F32);
    }
    if (!from_single) return;
    hints_.add("doubles", place(inst),
               "double precision: a float is widened for this operation, "
               "and GPUs compute f64 at 1/2 to 1/64 of the speed of f32. "
               "Give constants their f (0.5f), and convert double values with kr::cast<float>");
  }

  void divide(const ir::Inst& inst) {
    const ir::Scalar s = inst.type.scalar;
    if (!ir::is_int(s)) return;
    const bool known = f_.is_const(inst.operands[1]);
    if (known && (ir::bits_of(s) < 64 || std::has_single_bit(f_.const_bits(inst.operands[1]))))
      return;
    const char* price = known                  ? "which takes a dozen instructions"
                        : ir::bits_of(s) == 64 ? "which takes about a hundred instructions"
                                               : "which takes some twenty instructions";
    hints_.add("division", place(inst), division_text(s, known, price));
  }

  const ir::Function& f_;
  const std::vector<LaneStep>& steps_;
  Hints& hints_;
  // by array and step: bytes that a thread accesses
  std::map<std::pair<ir::ValueId, std::int64_t>, std::int64_t> touched_;
};

}  // namespace

void find_gpu_hints(const ir::Module& module, Hints& hints) {
  const auto steps = passes::find_lane_steps(module);
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    Finder(module.functions[i], steps[i], hints).run();
}

}  // namespace krait::codegen
