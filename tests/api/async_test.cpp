// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that nobody waits for, and the memory for them, on whatever the default device is and
// between all pairs of devices.
#include "krait/async.h"

#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "expect.h"
#include "krait/span.h"

using krait::test::expect_error;
using krait::test::expect_usage;

namespace {

static_assert(!std::is_copy_constructible_v<kr::pinned<int>>);

auto make_step() {
  return kr::kernel([](kr::view<int> x, kr::value<int> by, kr::value<int> plus) {
    for (auto i : kr::grid_stride(x.size())) x[i] = x[i] * by + plus;
  });
}

std::vector<int> numbers(std::size_t n, int first) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}

TEST(Async, PinnedMemoryIsAContainerThatMoves) {
  kr::pinned<int> a(5);
  ASSERT_EQ(a.size(), 5u);
  std::iota(a.begin(), a.end(), 1);
  const int* const place = a.data();
  kr::pinned<int> b = std::move(a);
  EXPECT_EQ(b.data(), place);
  EXPECT_EQ(a.size(), 0u);  // NOLINT: what it says is the point
  kr::pinned<int> c(2);
  c = std::move(b);
  const std::span<int> all(c);
  EXPECT_EQ(std::vector<int>(all.begin(), all.end()), (std::vector<int>{1, 2, 3, 4, 5}));
  kr::array<int> x = kr::to_device(c);  // as any container
  EXPECT_EQ(std::vector<int>(x.to_host()), (std::vector<int>{1, 2, 3, 4, 5}));
  kr::pinned<double> none(0);
  EXPECT_EQ(none.size(), 0u);
  expect_usage({"an array's extent is negative: extent(0) = -1"},
               [] { kr::pinned<int> wrong(-1); });
}

TEST(Async, MorePinnedMemoryThanThereIs) {
  expect_error(kr::error::kind_type::device,
               {"kr::pinned: no memory of the host for 281474976710656 bytes"},
               [] { kr::pinned<int>(std::int64_t{1} << 46, kr::device::cpu()); });
}

TEST(Async, PinnedMemoryCountsToNoDevice) {
  const kr::device on;
  const std::int64_t before = on.memory_use().used;
  const kr::pinned<double> a(1000);
  EXPECT_EQ(on.memory_use().used, before);
}

TEST(Async, CopiesAreInTheOrderOfTheirStream) {
  const auto step = make_step();
  constexpr int n = 300'007;
  const kr::stream s;
  kr::pinned<int> in(n), out(n);
  kr::array<int> x(n), y(n);
  std::iota(in.begin(), in.end(), 3);
  kr::copy_async(in, x, s);
  step.launch({16, 64, s}, x, 2, 1);
  kr::copy_async(x, y, s);
  step.launch({16, 64, s}, y, 3, 0);
  kr::copy_async(y, out, s);
  s.synchronize();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], 3 * (2 * (int(i) + 3) + 1)) << i;
}

TEST(Async, PartsOfArraysAndOfPinnedMemory) {
  const kr::stream s;
  const std::size_t part = 1000;
  kr::pinned<int> in(3 * part), out(part);
  std::iota(in.begin(), in.end(), 0);
  kr::array<int, 2> x({4, static_cast<int>(part)});
  x.fill(-1);
  for (std::size_t k = 0; k < 3; ++k)
    kr::copy_async(std::span(in).subspan(k * part, part), x(k + 1, kr::all), s);
  kr::copy_async(x(2, kr::all), std::span<int>(out), s);
  s.synchronize();
  EXPECT_EQ(std::vector<int>(out.begin(), out.end()), numbers(part, int(part)));
  EXPECT_EQ(std::vector<int>(x(0, kr::all).to_host()), std::vector<int>(part, -1));
}

TEST(Async, OtherContainersToo) {
  const kr::stream s;
  const std::vector<int> in = numbers(100'003, 5);
  std::vector<int> out(in.size());
  kr::array<int> x(static_cast<std::int64_t>(in.size()));
  kr::copy_async(in, x, s);
  kr::copy_async(x, out, s);
  s.synchronize();
  EXPECT_EQ(out, in);
}

/// Streams that run beside each other, and arrays that go while they are in use, in another order
/// than they came.
TEST(Async, ArraysMayGoBeforeTheirStream) {
  const auto step = make_step();
  const std::size_t n = 200'003;
  constexpr std::size_t rounds = 12;
  std::vector<kr::stream> streams;
  for (int k = 0; k < 3; ++k) streams.emplace_back();
  kr::pinned<int> in(static_cast<std::int64_t>(n)), out(static_cast<std::int64_t>(n * rounds));
  std::iota(in.begin(), in.end(), 0);
  const std::int64_t before = kr::device().memory_use().used;
  {
    std::vector<kr::array<int>> kept;
    for (std::size_t round = 0; round < rounds; ++round) {
      const kr::stream& s = streams[round % streams.size()];
      kr::array<int> x(static_cast<std::int64_t>(n)), y(x.extents());
      kr::copy_async(in, x, s);
      step.launch({16, 64, s}, x, 1, int(round));
      kr::copy_async(x, y, s);
      kr::copy_async(y, std::span(out).subspan(round * n, n), s);
      if (round % 2 == 0) kept.push_back(std::move(x));
      if (kept.size() > 2) kept.erase(kept.begin());
    }
  }
  EXPECT_EQ(kr::device().memory_use().used, before);
  for (const kr::stream& s : streams) s.synchronize();
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(out[round * n + i], int(i + round)) << "round " << round << ", " << i;
}

/// Nobody but the streams orders anything. On a machine with several GPUs these are pairs of GPUs,
/// too.
TEST(Async, BetweenAllDevices) {
  const auto step = make_step();
  const int n = 100'000;
  std::vector<int> expected = numbers(n, 1);
  for (int& e : expected) e = 2 * e + 5;
  for (const kr::device& a : kr::devices())
    for (const kr::device& b : kr::devices())
      for (const bool pulled : {false, true}) {
        const kr::stream in_a(a), in_b(b);
        const kr::stream &copies = pulled ? in_b : in_a, &of_x = a == b ? copies : in_a,
                         &of_y = a == b ? copies : in_b;
        kr::array<int> x = kr::to_device(numbers(n, 1), a), y(kr::shape<1>(n), b);
        step.launch({16, 64, of_x}, x, 2, 0);
        step.launch({16, 64, of_y}, y, 0, -1);
        kr::copy_async(x, y, copies);
        step.launch({16, 64, of_x}, x, 0, 0);
        step.launch({16, 64, of_y}, y, 1, 5);
        x = kr::array<int>(kr::shape<1>(n), a);  // the first one goes
        EXPECT_EQ(std::vector<int>(y.to_host()), expected)
            << a.id() << " to " << b.id() << (pulled ? ", pulled" : ", pushed");
      }
}

TEST(Async, EmptyArraysAreNotCopied) {
  const kr::stream s;
  kr::array<int> x(0), y(0);
  kr::pinned<int> none(0);
  EXPECT_NO_THROW(kr::copy_async(none, x, s));
  EXPECT_NO_THROW(kr::copy_async(x, none, s));
  EXPECT_NO_THROW(kr::copy_async(x, y, s));
  EXPECT_NO_THROW(s.synchronize());
}

TEST(Async, ManagedMemoryIsSharedOrRefused) {
  const kr::device on;
  const std::string id = on.id();
  if (id.starts_with("vulkan") || id.starts_with("opencl")) {
    expect_error(kr::error::kind_type::device,
                 {"kr::managed: " + id + " (" + on.name() +
                  ") has no memory that the host can access: use kr::array and kr::copy_async"},
                 [] { kr::managed<int>(10); });
    return;
  }
  const auto step = make_step();
  const std::int64_t before = on.memory_use().used;
  {
    kr::array<int> x = kr::managed<int>(1000);
    EXPECT_EQ(on.memory_use().used, before + 4000);
    EXPECT_GE(on.memory_use().reserved, on.memory_use().used);
    const std::span<int> elements = kr::to_span(x);
    std::iota(elements.begin(), elements.end(), 0);
    step.launch({4, 64}, x, 3, 1);
    on.synchronize();
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(elements[std::size_t(i)], 3 * i + 1);
    kr::array<int, 2> table = kr::managed<int>(kr::shape<2>(20, 30));
    EXPECT_EQ(kr::to_span(table).size(), 600u);
    EXPECT_EQ(kr::managed<int>(0).size(), 0);
  }
  EXPECT_EQ(on.memory_use().used, before);
  on.limit_memory(before + 1000);
  expect_error(kr::error::kind_type::device, {"out of memory: 4000 bytes requested"},
               [] { kr::managed<int>(1000); });
  on.limit_memory(0);
}

TEST(Async, WhatCannotBeCopiedIsRefused) {
  const kr::stream s;
  kr::array<int> x(10), longer(11);
  kr::array<int, 2> table({4, 6});
  kr::pinned<int> host(10);
  expect_usage({"copy_async: the container holds 10 elements, but the array holds 11"},
               [&] { kr::copy_async(host, longer, s); });
  expect_usage({"copy_async: the container holds 10 elements, but the array holds 11"},
               [&] { kr::copy_async(longer, host, s); });
  expect_usage({"copy_async: the array has shape (10,), expected (11,)"},
               [&] { kr::copy_async(x, longer, s); });
  const std::string strided =
      "copy_async: the array's elements are not contiguous in C order: use copy_from or copy_to, or make a.copy() "
      "first";
  kr::pinned<int> column(4);
  kr::array<int> dense(4);
  expect_usage({strided}, [&] { kr::copy_async(column, table(kr::all, 1), s); });
  expect_usage({strided}, [&] { kr::copy_async(table(kr::all, 1), column, s); });
  expect_usage({strided}, [&] { kr::copy_async(dense, table(kr::all, 1), s); });
  expect_usage({strided}, [&] { kr::copy_async(table(kr::all, 1), dense, s); });
  expect_usage({"copy_async is called", "while a graph is being recorded"},
               [&] { kr::graph g([&] { kr::copy_async(host, x, s); }); });
  expect_usage({"copy_async: the arrays overlap: use copy_from"},
               [&] { kr::copy_async(x(kr::range(0, 5)), x(kr::range(4, 9)), s); });
  kr::copy_async(x(kr::range(0, 5)), x(kr::range(5, 10)), s);
  kr::stream gone;
  const kr::stream kept = std::move(gone);
  expect_usage({"a moved-from stream is used"}, [&] { kr::copy_async(host, x, gone); });
  for (const kr::device& d : kr::devices()) {
    if (d == kr::device()) continue;
    const kr::stream other(d);
    const std::string wrong = std::string("copy_async: the stream belongs to ") + d.id() +
                              ", but the elements are on " + kr::device().id();
    expect_usage({wrong}, [&] { kr::copy_async(host, x, other); });
    expect_usage({wrong}, [&] { kr::copy_async(x, host, other); });
    kr::array<int> second(10);
    expect_usage({wrong}, [&] { kr::copy_async(x, second, other); });
  }
}

}  // namespace
