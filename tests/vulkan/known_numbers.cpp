// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that a driver comes to know by itself, by inlining functions and unrolling loops: it must compute with them as with any
// others. Mesa's llvmpipe drops operations with a zero that it knows, and mistakes choices between known numbers.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include "harness.h"

namespace krait::test {
namespace {

constexpr int lanes = 16, trips = 3;

/// Ways to a number %9 of type T (B the integer of its size) in the trip %5: u32, %6: i64 of a short loop.
struct Way {
  const char *name, *before, *number;
};
constexpr Way ways[] = {
    {"converted", "", "%9: T = cast %5"},
    {"converted_byte", "", "%8: u8 = cast %5\n %9: T = cast %8"},
    {"converted_bool", "%10: u32 = const 0", "%8: bool = ne %5, %10\n %9: T = cast %8"},
    {"bits", "", "%8: B = cast %5\n %9: T = bitcast %8"},
    {"zeros_of_an_array", "%10: local<T, 1> = local {4}", "%9: T = load %10, %6"},
    {"called", "%10: T = call @minus_one()\n %11: T = const 0x1p+0", "%9: T = add %10, %11"},
    {"carried", "", "%9: T = sub %7, %13"},
};
constexpr const char* types[] = {"f16", "f32", "f64"};

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += by.size()) text.replace(at, word.size(), by);
  return text;
}

/// Every operation of the loaded %3 and the number, of which no computed NaN shows its sign.
constexpr const char* operations[] = {
    "add %3, %9", "sub %3, %9", "sub %9, %3",     "mul %3, %9",          "div %3, %9",         "div %9, %3",
    "min %3, %9", "max %9, %3", "fma %3, %9, %3", "fma %9, %9, %3",      "fma %3, %3, %9",     "copysign %3, %9",
    "neg %9",     "abs %9",     "sqrt %9",        "select %14, %9, %12", "select %14, %12, %9"};

std::string kernel(const Way& way, const char* type) {
  std::string text = fmt::format(R"(kir 1
kernel @known fp(strict) facts(contiguous) flat (%0: view<T, 1, const>, %1: view<T, 1>) {{
  %2: i64 = global_id {{0}}
  %3: T = load %0, %2
  %4: u32 = const {}
  %12: T = const -0x1p+0
  %13: T = const 0x1p+0
  %14: bool = lt %3, %13
  %15: i64 = const {}
  {}
  %16: T = for %4, %13 {{
  ^(%5: u32, %7: T):
    %6: i64 = cast %5
    {}
)",
                                 trips, lanes, way.before, way.number);
  int next = 20;
  for (std::size_t n = 0; n < std::size(operations); ++n, next += 5) {
    text += fmt::format(
        "    %{0}: T = {5}\n    %{1}: i64 = const {6}\n    %{2}: i64 = add %6, %{1}\n    %{3}: i64 = mul %{2}, %15\n"
        "    %{4}: i64 = add %{3}, %2\n    store.T %1, %{4}, %{0}\n",
        next, next + 1, next + 2, next + 3, next + 4, operations[n], n * trips);
  }
  text += R"(    continue %9
  }
  return
}
func @minus_one () -> T {
  %0: T = const -0x1p+0
  yield %0
}
)";
  const std::string size(type + 1);
  return replaced(replaced(text, "T", type), "B", "u" + size);
}

/// Zeros, ones, infinities, a NaN, others, subnormals; then zeros for the results.
KernelArgument numbers(const std::string& type, std::size_t count) {
  const auto of = [&]<class Bits>(Bits one, unsigned fraction) {
    const Bits sign = Bits(Bits(1) << (8 * sizeof(Bits) - 1)), infinity = Bits((one << 1 | one) & Bits(sign - 1));
    const Bits few[] = {0,
                        sign,
                        one,
                        Bits(one | sign),
                        infinity,
                        Bits(infinity | sign),
                        Bits(infinity | infinity >> fraction),
                        Bits(one + (one >> 2)),
                        Bits(one + one / 5),
                        1,
                        Bits(sign | 3)};
    std::vector<Bits> all(count);
    for (std::size_t i = 0; i < std::min<std::size_t>(count, lanes); ++i) all[i] = few[i % std::size(few)];
    return array(all);
  };
  if (type == "f16") return of(std::uint16_t(0x3c00), 4);
  if (type == "f32") return of(std::uint32_t(0x3f80'0000), 7);
  return of(std::uint64_t(0x3ff0'0000'0000'0000), 10);
}

class VulkanKnownNumbers : public testing::TestWithParam<std::tuple<Way, const char*>> {
 protected:
  void SetUp() override {
    if (!device()) GTEST_SKIP() << why_no_device();
  }
};

TEST_P(VulkanKnownNumbers, AsInterpreted) {
  const auto [way, type] = GetParam();
  expect_as_interpreted(parse_kernel(kernel(way, type)), {{1, 1, 1}, {lanes, 1, 1}},
                        {numbers(type, lanes), numbers(type, lanes * trips * std::size(operations))});
}

std::string name_of_number(const testing::TestParamInfo<std::tuple<Way, const char*>>& of) {
  return std::string(std::get<1>(of.param)) + "_" + std::get<0>(of.param).name;
}
INSTANTIATE_TEST_SUITE_P(Ways, VulkanKnownNumbers, testing::Combine(testing::ValuesIn(ways), testing::ValuesIn(types)),
                         name_of_number);

class VulkanKnownIntegers : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!device()) GTEST_SKIP() << why_no_device();
  }
};

// Mesa takes integers for floats where it makes a conversion of a choice between 1 or -1 and zero.
TEST_P(VulkanKnownIntegers, ChoicesAsInterpreted) {
  const std::string type = GetParam();
  const unsigned bits = unsigned(std::stoul(type.substr(1)));
  const std::uint64_t sign = std::uint64_t(1) << (bits - 1);
  const std::uint64_t one = bits == 16 ? 0x3c00 : bits == 32 ? 0x3f80'0000 : 0x3ff0'0000'0000'0000;
  const auto number = [&](std::uint64_t pattern) {  // as the text of a type with or without sign
    return type[0] == 'u' || !(pattern & sign) ? fmt::format("{}", pattern) : fmt::format("-{}", (~pattern & (sign - 1)) + 1);
  };
  std::string text = R"(kir 1
kernel @choices fp(strict) facts(contiguous) flat (%0: view<T, 1, const>, %1: view<T, 1>) {
  %2: i64 = global_id {0}
  %3: T = load %0, %2
  %4: T = const 0
  %5: bool = eq %3, %4
  %6: i64 = const 16
  %7: i64 = mul %2, %6
)";
  std::int64_t row = 0;
  int next = 10;
  const auto choice = [&](std::uint64_t a, std::uint64_t b) {
    text += fmt::format(
        "  %{0}: T = const {5}\n  %{1}: T = const {6}\n  %{2}: i64 = const {7}\n  %{3}: i64 = add %7, %{2}\n"
        "  %{4}: T = select %5, %{0}, %{1}\n  store.T %1, %{3}, %{4}\n",
        next, next + 1, next + 2, next + 3, next + 4, number(a), number(b), row++);
    next += 5;
  };
  for (const std::uint64_t a : {one, one | sign})
    for (const std::uint64_t b : {std::uint64_t(0), sign}) choice(a, b), choice(b, a);
  text = replaced(text + "  return\n}\n", "T", type);
  KernelArgument in;
  in.data.resize(lanes * bits / 8), in.extents[0] = lanes, in.strides[0] = 1;
  for (std::size_t i = 0; i < lanes; i += 3) in.data[i * bits / 8] = std::byte(1);
  KernelArgument out;
  out.data.resize(lanes * 16 * bits / 8), out.extents[0] = lanes * 16, out.strides[0] = 1;
  expect_as_interpreted(parse_kernel(text), {{1, 1, 1}, {lanes, 1, 1}}, {in, out});
}
INSTANTIATE_TEST_SUITE_P(Types, VulkanKnownIntegers, testing::Values("i16", "u16", "i32", "u32", "i64", "u64"),
                         [](const testing::TestParamInfo<const char*>& of) { return std::string(of.param); });

}  // namespace
}  // namespace krait::test
