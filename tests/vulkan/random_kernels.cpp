// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random structured kernels: nested ifs, loops and switches with break, continue and early return,
// on a handful of values that every construct passes on. KRAIT_SOAK=n runs n of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <random>

#include "device.h"
#include "ir/builder.h"
#include "ir/text/text.h"
#include "support/seed.h"

namespace krait::test {
namespace {

using ir::Op;
using ir::Scalar;
using ir::ValueId;
using State = std::vector<ValueId>;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {
    module.functions.push_back(ir::new_function("random"));
    ir::Function& f = module.kernel();
    f.fp = ir::FpMode::Strict;
    f.facts.contiguous = true;
    f.flat = true;
    b_.emplace(f);
    b_->at(f.body);
    const ValueId in =
        b_->new_param(f.body, ir::array_type(Scalar::I32, ir::Space::Global, 1, false));
    out_ = b_->new_param(f.body, ir::array_type(Scalar::I32, ir::Space::Global, 1));
    id_ = b_->emit(Op::GlobalId, Scalar::I64, {});
    State s;
    for (unsigned k = 0; k < variables; ++k) {
      const ValueId operands[] = {in, b_->binary(Op::Add, {id_, b_->constant(Scalar::I64, k)})};
      s.push_back(b_->emit(Op::Load, ir::value_type(Scalar::I32), operands));
    }
    if (body(s, 0, 9)) leave_kernel(s);
  }

  static constexpr unsigned variables = 4;
  ir::Module module;

 private:
  unsigned pick(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }
  ValueId constant(std::uint32_t v) { return b_->constant(Scalar::I32, v); }
  ValueId any(const State& s) { return pick(4) ? s[pick(variables)] : constant(pick(40)); }
  void end(Op op, const State& s = {}) { b_->append(op, {}, s); }

  void leave_kernel(const State& s) {
    ValueId sum = s[0];
    for (unsigned k = 1; k < variables; ++k)
      sum = b_->binary(Op::Add, {b_->binary(Op::Mul, {sum, constant(31)}), s[k]});
    const ValueId operands[] = {out_, id_, sum};
    b_->append(Op::Store, ir::value_type(Scalar::I32), operands);
    end(Op::Return);
  }

  /// Statements on the state; false where the region has ended by leaving a loop or the kernel.
  bool body(State& s, unsigned depth, unsigned statements) {
    for (unsigned n = pick(statements) + 1; n-- > 0;) {
      const unsigned kind = depth < 4 && size_ < 160 ? pick(10) : 0;
      ++size_;
      if (kind < 5) {
        constexpr Op ops[] = {Op::Add, Op::Sub, Op::Mul, Op::Xor, Op::Div,
                              Op::Rem, Op::Min, Op::Max, Op::Shr, Op::Shl};
        const ValueId x = any(s), y = any(s);
        s[pick(variables)] = b_->binary(ops[pick(std::size(ops))], {x, y});
      } else if (kind < 7) {
        branch(s, depth);
      } else if (kind < 8) {
        choose(s, depth);
      } else {
        loop(s, depth);
      }
    }
    return true;
  }

  /// A region under an if or switch: falls through, or leaves.
  void arm(ir::RegionId r, State s, unsigned depth) {
    b_->at(r);
    if (!body(s, depth + 1, 4)) return;
    const unsigned way = pick(8);
    if (way == 0) return leave_kernel(s);
    if (way <= 2 && !loops_.empty()) {
      State carried = s;
      if (loops_.back().counter != ir::none)
        carried.push_back(b_->binary(Op::Add, {loops_.back().counter, constant(1)}));
      return end(way == 1 ? Op::Break : Op::Continue, carried);
    }
    end(Op::Yield, s);
  }

  State results(ir::InstId i, unsigned count = variables) {
    State s;
    for (unsigned k = 0; k < count; ++k)
      s.push_back(b_->add_result(i, ir::value_type(Scalar::I32)));
    return s;
  }

  void branch(State& s, unsigned depth) {
    const ir::RegionId here = b_->region();
    constexpr Op tests[] = {Op::Lt, Op::Le, Op::Eq, Op::Ne, Op::Gt};
    const ValueId x = any(s), y = any(s);
    const ValueId operands[] = {b_->compare(tests[pick(std::size(tests))], {x, y})};
    const ir::InstId i = b_->append(Op::If, {}, operands);
    const State after = results(i);
    for (int side = 0; side < 2; ++side) arm(b_->new_region(i), s, depth);
    b_->at(here);
    s = after;
  }

  void choose(State& s, unsigned depth) {
    const ir::RegionId here = b_->region();
    const ValueId operands[] = {b_->binary(Op::And, {s[pick(variables)], constant(7)})};
    const ir::InstId i = b_->append(Op::Switch, {}, operands);
    const State after = results(i);
    const unsigned cases = pick(4);
    for (unsigned c = 0; c < cases; ++c) b_->function().insts[i].list.push_back(c * 2);
    for (unsigned c = 0; c <= cases; ++c) arm(b_->new_region(i), s, depth);
    b_->at(here);
    s = after;
  }

  void loop(State& s, unsigned depth) {
    const ir::RegionId here = b_->region();
    const bool counted = pick(2);
    State operands = s;  // behind a count, or before a counter
    if (counted) operands.insert(operands.begin(), b_->constant(Scalar::U32, pick(5)));
    else operands.push_back(constant(0));
    const ir::InstId i = b_->append(counted ? Op::For : Op::Loop, {}, operands);
    const State after = results(i, counted ? variables : variables + 1);
    const ir::RegionId r = b_->new_region(i);
    b_->at(r);
    if (counted) b_->new_param(r, ir::value_type(Scalar::U32));
    State inside;
    for (unsigned k = 0; k < variables; ++k)
      inside.push_back(b_->new_param(r, ir::value_type(Scalar::I32)));
    const ValueId counter = counted ? ir::none : b_->new_param(r, ir::value_type(Scalar::I32));
    loops_.push_back({counter});
    if (!counted) {
      const ValueId condition[] = {b_->compare(Op::Ge, {counter, constant(pick(6))})};
      const ir::InstId stop = b_->append(Op::If, {}, condition);
      b_->at(b_->new_region(stop));
      State last = inside;
      last.push_back(counter);
      end(Op::Break, last);
      b_->at(b_->new_region(stop));
      end(Op::Yield);
      b_->at(r);
    }
    if (body(inside, depth + 1, 4)) {
      if (!counted) inside.push_back(b_->binary(Op::Add, {counter, constant(1)}));
      end(Op::Continue, inside);
    }
    loops_.pop_back();
    b_->at(here);
    s.assign(after.begin(), after.begin() + variables);
  }

  struct Loop {
    ValueId counter;
  };
  std::mt19937 random_;
  std::optional<ir::Builder> b_;
  std::vector<Loop> loops_;
  ValueId out_ = ir::none, id_ = ir::none;
  unsigned size_ = 0;
};

TEST(VulkanRandom, StructuredKernels) {
  if (!device()) GTEST_SKIP() << why_no_device();
  const char* soak = std::getenv("KRAIT_SOAK");
  const unsigned count = soak ? unsigned(std::atoi(soak)) : 40;
  std::vector<std::int32_t> in(64 + Generator::variables);
  std::iota(in.begin(), in.end(), -20);
  for (unsigned seed = first_seed(), end = seed + count;
       seed != end && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Generator g(seed);
    ASSERT_EQ(ir::verify(g.module), "");
    ASSERT_EQ(difference_on_device(g.module, line(2, 32),
                                   {array(in), array(std::vector<std::int32_t>(64))}),
              "")
        << ir::print(g.module);
  }
}

}  // namespace
}  // namespace krait::test
