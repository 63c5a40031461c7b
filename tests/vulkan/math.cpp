// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mathematical functions through the pipeline, in reproducible mode: the same bits as in the interpreter.
#include <gtest/gtest.h>

#include <bit>

#include "harness.h"
#include "ir/builder.h"
#include "ir/text.h"

namespace krait::test {
namespace {

using ir::Op;
using ir::Scalar;

class VulkanMath : public testing::TestWithParam<Op> {
 protected:
  void SetUp() override {
    if (!device()) GTEST_SKIP() << why_no_device();
  }
};

constexpr std::size_t lanes = 512;

template <class T, class Bits>
std::vector<T> numbers(unsigned operand) {
  std::vector<T> v(lanes);
  std::uint64_t state = operand + 1;
  for (std::size_t i = 0; i < lanes; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const T unit = T(state >> 40) / T(1 << 24);
    const T ranges[] = {unit, unit * 20 - 10, unit * 700 - 350, unit * T(1e6), std::bit_cast<T>(Bits(state ^ state >> 31))};
    v[i] = ranges[i % 5];
  }
  const T edges[] = {T(0),
                     -T(0),
                     T(1),
                     T(-1),
                     std::numeric_limits<T>::infinity(),
                     -std::numeric_limits<T>::infinity(),
                     std::numeric_limits<T>::quiet_NaN(),
                     std::numeric_limits<T>::denorm_min(),
                     std::numeric_limits<T>::max()};
  for (std::size_t i = 0; i < std::size(edges); ++i) v[i * (operand ? 10 : 1)] = edges[i];
  return v;
}

template <class T, class Bits>
void expect_function(Op op, Scalar s) {
  ir::Module m;
  m.functions.push_back(ir::new_function("math"));
  ir::Function& f = m.kernel();
  f.fp = ir::FpMode::Reproducible;
  f.facts.contiguous = true;
  ir::Builder b(f);
  b.at(f.body);
  const int arity = ir::info(op).arity;
  std::vector<KernelArgument> arguments;
  std::vector<ir::ValueId> views;
  for (int k = 0; k <= arity; ++k) {
    views.push_back(b.new_param(f.body, ir::array_type(s, ir::Space::Global, 1, k == arity)));
    arguments.push_back(array(k < arity ? numbers<T, Bits>(unsigned(k)) : std::vector<T>(lanes)));
  }
  const ir::ValueId id = b.emit(Op::GlobalId, Scalar::I64, {});
  std::vector<ir::ValueId> x;
  for (int k = 0; k < arity; ++k) {
    const ir::ValueId operands[] = {views[std::size_t(k)], id};
    x.push_back(b.emit(Op::Load, ir::value_type(s), operands));
  }
  const ir::ValueId operands[] = {views.back(), id, b.emit(op, ir::value_type(s), x)};
  b.append(Op::Store, ir::value_type(s), operands);
  b.append(Op::Return, {}, {});
  expect_as_recorded(m, {{lanes / 64, 1, 1}, {64, 1, 1}}, arguments);
}

TEST_P(VulkanMath, FloatsAsInterpreted) { expect_function<float, std::uint32_t>(GetParam(), Scalar::F32); }
TEST_P(VulkanMath, DoublesAsInterpreted) { expect_function<double, std::uint64_t>(GetParam(), Scalar::F64); }

std::vector<Op> functions() {
  std::vector<Op> all;
  for (unsigned n = 0; n < ir::op_count; ++n)
    if (ir::is_math(Op(n))) all.push_back(Op(n));
  return all;
}
INSTANTIATE_TEST_SUITE_P(Functions, VulkanMath, testing::ValuesIn(functions()),
                         [](const auto& of) { return std::string(ir::info(of.param).name); });

}  // namespace
}  // namespace krait::test
