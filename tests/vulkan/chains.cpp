// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two operations in a row: a driver may be right about each and yet merge the two (a conversion
// into arithmetic, a rounding that it thinks is not needed). Every operation on floats takes the
// result of every other one, once straight and once in a loop; every number is converted to every
// other type through every float.
#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "device.h"
#include "ir/builder.h"
#include "ir/text/text.h"

namespace krait::test {
namespace {

using ir::Op;
using ir::Scalar;
using ir::ValueId;

constexpr std::int64_t lanes = 64;
constexpr Op operations[] = {Op::Add, Op::Sub,      Op::Mul,  Op::Div, Op::Fma, Op::Min,
                             Op::Max, Op::Copysign, Op::Sqrt, Op::Neg, Op::Abs, Op::Floor};

ValueId apply(ir::Builder& b, Op op, Scalar s, std::array<ValueId, 3> x) {
  return b.emit(op, ir::value_type(s), std::span(x).first(std::size_t(ir::info(op).arity)));
}

/// Of one first operation: a row for each second one, out of x, y, z, straight and after three
/// trips of a loop.
ir::Module chains(Op first, Scalar s) {
  ir::Module m;
  m.functions.push_back(ir::new_function("chains"));
  ir::Function& f = m.kernel();
  f.fp = ir::FpMode::Strict, f.facts.contiguous = true, f.flat = true;
  ir::Builder b(f);
  b.at(f.body);
  ValueId views[4];
  for (int k = 0; k < 4; ++k)
    views[k] = b.new_param(f.body, ir::array_type(s, ir::Space::Global, 1, k == 3));
  const ValueId id = b.emit(Op::GlobalId, Scalar::I64, {});
  std::array<ValueId, 3> in{};
  for (std::size_t k = 0; k < 3; ++k) in[k] = b.emit(Op::Load, s, {views[k], id});
  std::int64_t row = 0;
  const auto store = [&](ValueId v) {
    const ValueId at =
        b.binary(Op::Add, {id, b.constant(Scalar::I64, std::uint64_t(lanes * row++))});
    const ValueId operands[] = {views[3], at, v};
    b.append(Op::Store, ir::value_type(s), operands);
  };
  for (const Op second : operations) {
    const ValueId middle = apply(b, first, s, in);
    store(apply(b, second, s, {middle, in[1], in[2]}));
    // The sign of a computed NaN is anybody's.
    store(second == Op::Copysign ? middle : apply(b, second, s, {in[2], middle, in[0]}));
    const ValueId operands[] = {b.constant(Scalar::U32, 3), in[0]};
    const ir::InstId loop = b.append(Op::For, {}, operands);
    const ir::RegionId body = b.new_region(loop);
    b.new_param(body, ir::value_type(Scalar::U32));
    const ValueId carried = b.new_param(body, ir::value_type(s));
    b.at(body);
    const ValueId next =
        apply(b, second, s, {apply(b, first, s, {carried, in[1], in[2]}), in[2], in[1]});
    b.append(Op::Continue, {}, std::span(&next, 1));
    b.at(f.body);
    const ValueId result = b.add_result(loop, ir::value_type(s));
    store(result);
  }
  b.append(Op::Return, {}, {});
  return m;
}

/// Numbers near 1, of other sizes, and edges.
Argument numbers(Scalar s, unsigned which, std::size_t count) {
  Argument a;
  const unsigned bytes = ir::size_of(s);
  a.bytes.resize(count * bytes);
  a.rank = 1, a.extents[0] = std::int64_t(count);
  const unsigned fraction = ir::info(s).fraction, width = 8 * bytes;
  const std::uint64_t one = ((std::uint64_t(1) << (width - fraction - 2)) - 1) << fraction,
                      sign = std::uint64_t(1) << (width - 1);
  const std::uint64_t edges[] = {0,
                                 sign,
                                 one,
                                 1,
                                 (std::uint64_t(1) << fraction) - 1,
                                 sign - 1 - ((std::uint64_t(1) << fraction) - 1)};
  std::uint64_t state = which + 1;
  for (std::size_t i = 0; which < 3 && i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t random = state ^ state >> 31;
    const std::uint64_t near_one = (one + (random >> 4 & ((std::uint64_t(8) << fraction) - 1)) -
                                    (std::uint64_t(4) << fraction)) |
                                   (random & 1 ? sign : 0);
    const std::uint64_t number = i % 11 == which ? edges[random % 6] : near_one;
    std::memcpy(a.bytes.data() + i * bytes, &number, bytes);
  }
  return a;
}

constexpr Scalar floats[] = {Scalar::F16, Scalar::F32, Scalar::F64};
constexpr Scalar integers[] = {Scalar::I8,  Scalar::U8,  Scalar::I16, Scalar::U16,
                               Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64};

/// The loaded numbers through each float to each other type, a row of words for each.
ir::Module conversions(Scalar from, std::size_t& rows) {
  ir::Module m;
  m.functions.push_back(ir::new_function("conversions"));
  ir::Function& f = m.kernel();
  f.fp = ir::FpMode::Strict, f.facts.contiguous = true, f.flat = true;
  ir::Builder b(f);
  b.at(f.body);
  const ValueId in = b.new_param(f.body, ir::array_type(from, ir::Space::Global, 1, false));
  const ValueId out = b.new_param(f.body, ir::array_type(Scalar::U64, ir::Space::Global, 1, true));
  const ValueId id = b.emit(Op::GlobalId, Scalar::I64, {});
  const ValueId x = b.emit(Op::Load, from, {in, id});
  rows = 0;
  const auto store = [&](ValueId v) {
    const Scalar s = f.type_of(v).scalar;
    constexpr Scalar words[] = {Scalar::U16, Scalar::U32, Scalar::U64};
    for (std::size_t k = 0; k < 3; ++k)
      if (s == floats[k]) v = b.emit(Op::Bitcast, words[k], {v});
    const ValueId at =
        b.binary(Op::Add, {id, b.constant(Scalar::I64, std::uint64_t(lanes) * rows++)});
    const ValueId operands[] = {out, at, b.cast(Scalar::U64, v)};
    b.append(Op::Store, ir::value_type(Scalar::U64), operands);
  };
  for (const Scalar through : floats) {
    const ValueId middle = b.cast(through, x);
    for (const Scalar to : floats) store(b.cast(to, middle));
    for (const Scalar to : integers) store(b.cast(to, middle));
  }
  b.append(Op::Return, {}, {});
  return m;
}

class VulkanConversions : public OnVulkan<testing::TestWithParam<Scalar>> {};

TEST_P(VulkanConversions, AsInterpreted) {
  const Scalar from = GetParam();
  Argument in;
  if (ir::is_float(from)) {
    in = numbers(from, 1, lanes);
  } else {
    const unsigned bytes = ir::size_of(from);
    in.bytes.resize(lanes * bytes), in.rank = 1, in.extents[0] = lanes;
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < lanes; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const std::uint64_t number =
          std::uint64_t(std::int64_t(state) >> (i % (8 * bytes) + 64 - 8 * bytes));
      std::memcpy(in.bytes.data() + i * bytes, &number, bytes);
    }
  }
  std::size_t rows = 0;
  const ir::Module m = conversions(from, rows);
  ASSERT_EQ(ir::verify(m), "");
  EXPECT_EQ(difference_on_device(m, line(1, lanes),
                                 {in, array(std::vector<std::uint64_t>(lanes * rows))}),
            "");
}
std::string name_of_type(const testing::TestParamInfo<Scalar>& of) {
  return std::string(ir::name_of(of.param));
}
INSTANTIATE_TEST_SUITE_P(Floats, VulkanConversions, testing::ValuesIn(floats), name_of_type);
INSTANTIATE_TEST_SUITE_P(Integers, VulkanConversions, testing::ValuesIn(integers), name_of_type);

class VulkanChains : public OnVulkan<testing::TestWithParam<std::tuple<Scalar, Op>>> {};

TEST_P(VulkanChains, AsInterpreted) {
  const auto [s, first] = GetParam();
  const ir::Module m = chains(first, s);
  ASSERT_EQ(ir::verify(m), "");
  EXPECT_EQ(difference_on_device(m, line(1, lanes),
                                 {numbers(s, 0, lanes), numbers(s, 1, lanes), numbers(s, 2, lanes),
                                  numbers(s, 3, std::size_t(lanes) * 3 * std::size(operations))}),
            "");
}

std::string name_of_chain(const testing::TestParamInfo<std::tuple<Scalar, Op>>& of) {
  return std::string(ir::name_of(std::get<0>(of.param))) + "_" +
         std::string(ir::info(std::get<1>(of.param)).name);
}
INSTANTIATE_TEST_SUITE_P(Pairs, VulkanChains,
                         testing::Combine(testing::Values(Scalar::F16, Scalar::F32, Scalar::F64),
                                          testing::ValuesIn(operations)),
                         name_of_chain);

}  // namespace
}  // namespace krait::test
