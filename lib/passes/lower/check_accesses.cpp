// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of a checked function come under a test of their indices. One that is outside its array
// is a fault that names the array and the indices, reads 0 and writes nothing. An assumption
// becomes a fault where it does not hold. What the checks protect needs no other protection, so
// they are plain IR: no later pass and no back end knows of them.
#include <fmt/core.h>

#include "ir/report.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Checker {
 public:
  explicit Checker(Function& f) : f_(f), b_(f), uses_(use_counts(f)) {}
  void run() {
    walk(f_.body);
    f_.checked = false;
  }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      b_.at(r);
      if (is_access(f_.insts[i].op)) {
        guard(i);
        continue;
      }
      if (f_.insts[i].op == Op::Assume) {
        test(f_.insts[i]);
        continue;
      }
      f_.regions[r].insts.push_back(i);
      if (f_.insts[i].op == Op::Shared && f_.insts[i].list[0] == 0 &&
          !uses_[f_.insts[i].results[0]])
        test_length(f_.insts[i]);
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
    }
  }

  /// The access moves into an if, which takes over its results.
  void guard(InstId i) {
    const Inst access = f_.insts[i];
    const ValueId array = access.operands[0];
    const unsigned rank = f_.type_of(array).rank;
    b_.location(access.loc);
    std::vector<ValueId> reported;
    std::vector<ValueId> extents;
    ValueId inside = none;
    for (unsigned d = 0; d < rank; ++d) {
      const ValueId index = b_.cast(Scalar::I64, access.operands[1 + d]);
      reported.push_back(index), extents.push_back(extent_of(f_, b_, array, d));
      // A negative index is a large unsigned one.
      const ValueId below =
          b_.compare(Op::Lt, {b_.cast(Scalar::U64, index), b_.cast(Scalar::U64, extents.back())});
      inside = d == 0 ? below : b_.binary(Op::And, {inside, below});
    }
    reported.insert(reported.end(), extents.begin(), extents.end());

    const RegionId here = b_.region();
    const InstId branch =
        b_.append(Op::If, access.results.empty() ? Type{} : access.type, std::span(&inside, 1));
    f_.insts[branch].results = access.results;
    for (const ValueId v : access.results) f_.values[v].def = branch;
    f_.insts[i].results.clear();
    std::vector<ValueId> got, zeros;
    for (const ValueId v : access.results) got.push_back(b_.add_result(i, Type(f_.type_of(v))));
    b_.at(b_.new_region(branch));
    f_.regions[b_.region()].insts.push_back(i);
    b_.append(Op::Yield, {}, got);

    b_.at(b_.new_region(branch));
    const InstId fault = b_.append(Op::Fault, {}, reported);
    f_.insts[fault].text = text(access.op, array, rank);
    for (const ValueId v : access.results) zeros.push_back(b_.constant(f_.type_of(v).scalar, 0));
    b_.append(Op::Yield, {}, zeros);
    b_.at(here);
  }

  void test(const Inst& assumption) {
    b_.location(assumption.loc);
    test(assumption.operands[0], broken_assumption, {});
  }
  void test(ValueId holds, const std::string& text, std::span<const ValueId> reported) {
    const RegionId here = b_.region();
    const InstId branch = b_.append(Op::If, {}, std::span(&holds, 1));
    b_.at(b_.new_region(branch)), b_.append(Op::Yield, {}, {});
    b_.at(b_.new_region(branch));
    f_.insts[b_.append(Op::Fault, {}, reported)].text = text;
    b_.append(Op::Yield, {}, {});
    b_.at(here);
  }
  /// Of an array that nothing uses: nobody lays it out at the launch, and looks at its length then.
  void test_length(Inst array) {  // a copy: what is appended moves the others
    const std::int64_t bytes = element_bytes(array), most = (std::int64_t(1) << 31) / bytes;
    b_.location(array.loc);
    const ValueId length = b_.cast(Scalar::I64, array.operands[0]);
    const ValueId limit = b_.constant(Scalar::U64, std::uint64_t(most));
    const ValueId holds = b_.compare(Op::Le, {b_.cast(Scalar::U64, length), limit});
    test(holds,
         fmt::format(
             "dynamic_shared of {} elements of {} bytes: the number is computed at each launch "
             "and must be from 0 to {}",
             "{}", bytes, most),
         std::span(&length, 1));
  }
  std::int64_t element_bytes(const Inst& array) const {
    std::int64_t bytes = f_.type_of(array.results[0]).elem_bytes;
    for (std::size_t d = 1; d < array.list.size(); ++d) bytes *= array.list[d];
    return bytes;
  }

  std::string text(Op op, ValueId array, unsigned rank) const {
    std::string list = "{}";
    for (unsigned d = 1; d < rank; ++d) list += ", {}";
    const char* unit = f_.type_of(array).space == Space::Argument ? "byte " : "";
    return fmt::format("out of bounds: {} {} at {}({}), extents ({})", access_word(op),
                       escaped(array_label(f_, array)), unit, list, list);
  }

  Function& f_;
  Builder b_;
  const std::vector<std::uint32_t> uses_;
};

}  // namespace

void check_accesses(Module& m) {
  for (Function& f : m.functions)
    if (f.checked) Checker(f).run();
}

}  // namespace krait::passes
