// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kr::constant: tables of host data captured while recording.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "expect.h"

using krait::test::expect_usage;

namespace {

TEST(Constant, AnyIndexReads) {
  const float weights[] = {0.25f, 0.5f, 0.25f};
  const std::vector<std::int16_t> steps{10, -20, 30, -40};
  struct entry {
    char tag;
    double scale;
  };
  const std::array<entry, 2> entries{{{'a', 0.5}, {'b', 2}}};
  auto kernel = kr::kernel([&](kr::view<double> out) {
    auto w = kr::constant(weights);
    auto s = kr::constant(steps);
    auto e = kr::constant(entries);
    for (auto i : kr::grid_stride(out.size())) {
      out[i] = w[i % 3] * s[i % 4] * e[i & 1][&entry::scale] + e[i & 1][&entry::tag] +
               kr::cast<double>(s.size());
    }
  });
  std::vector<double> out(100);
  kernel.forall(100)(out);
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], double(weights[i % 3] * float(steps[i % 4])) * entries[i & 1].scale +
                          entries[i & 1].tag + 4)
        << i;
}

auto reader(const std::vector<int>& table) {
  return kr::kernel([&table](kr::view<int> out) {
    for (auto i : kr::grid_stride(out.size())) out[i] = kr::constant(table)[i];
  });
}

TEST(Constant, IsThatOfItsKernelObjectAndFrozen) {
  std::vector<int> first{1, 2, 3}, second{4, 5, 6}, out(3);
  auto one = reader(first), other = reader(second);  // of one lambda type, with the same code
  one.forall(3)(out);
  EXPECT_EQ(out, first);
  other.forall(3)(out);
  EXPECT_EQ(out, second);
  const std::vector<int> before = first;
  first[1] = 99;
  one.forall(3)(out);
  EXPECT_EQ(out, before);
}

TEST(Constant, EqualTablesAreOne) {
  const int table[] = {7, 8, 9};
  auto kernel = kr::kernel([&](kr::view<int> out) {
    for (int k = 0; k < 100; ++k) out[0] += kr::constant(table)[kr::grid() + k % 3];
  });
  std::vector<int> out(1);
  kernel.launch({1, 1}, out);
  EXPECT_EQ(out[0], 33 * 24 + 7);
}

TEST(Constant, LargeAndEmptyTables) {
  std::vector<std::uint32_t> large(300000);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = std::uint32_t(i * 2654435761u);
  const std::vector<std::uint32_t> none;
  auto kernel = kr::kernel([&](kr::view<std::uint32_t> out) {
    auto t = kr::constant(large);
    auto empty = kr::constant(none);
    for (auto i : kr::grid_stride(out.size()))
      out[i] = t[(i * 7919) % t.size()] + kr::cast<std::uint32_t>(empty.size());
  });
  std::vector<std::uint32_t> out(1000);
  kernel.forall(1000)(out);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], large[i * 7919 % large.size()]);

  const std::vector<char> huge((std::size_t(64) << 20) + 1);
  std::vector<char> byte(1);
  expect_usage(
      {"kr::constant captures 67108865 elements of 1 bytes",
       "at most 64 MiB: pass the data as an array"},
      [&] {
        kr::kernel([&](kr::view<char> to) { to[0] = kr::constant(huge)[0]; }).launch({1, 1}, byte);
      });
}

TEST(Constant, OutlivesItsKernelInAGraph) {
  const std::vector<int> table{5, 6, 7, 8};
  kr::array<int> out(4);
  auto kernel = std::make_unique<decltype(reader(table))>(reader(table));
  kr::graph launches([&] { kernel->forall(4)(out); });
  kernel.reset();
  launches.launch();
  EXPECT_EQ(std::vector<int>(out.to_host()), table);
}

TEST(Constant, InElementWiseFunctions) {
  const float table[] = {1, 10, 100};
  const auto scale =
      kr::vectorize([&](auto x) { return x * kr::constant(table)[kr::cast<int>(x) % 3]; });
  EXPECT_EQ(scale(std::vector<float>{3, 4, 5}), (std::vector<float>{3, 40, 500}));
  EXPECT_EQ(scale(2.0f), 200.0f);
}

}  // namespace
