// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of arrays: what shares memory, how long, what it may be used for, and what is refused.
// Against NumPy: numpy_cases.
#include <sys/mman.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "api/expect.h"

using krait::test::expect_usage;

namespace {

using Floats = std::vector<float>;

kr::array<float, 3> counting(int a, int b, int c) {
  Floats h(std::size_t(a) * b * c);
  std::iota(h.begin(), h.end(), 0.0f);
  kr::array<float, 3> x(a, b, c);
  x.copy_from(h);
  return x;
}
template <class Array>
Floats host(const Array& a) {
  return a.to_host();
}

TEST(Views, ShareMemoryAndKeepIt) {
  kr::array<float, 1> kept;
  {
    kr::array<float, 3> x = counting(2, 3, 4);
    kept = x(1, kr::all, 2);
    EXPECT_EQ(kept.address(), x.address() + 14 * sizeof(float));
    x(1, 0, 2) = 100.0f;
  }
  EXPECT_EQ(host(kept), (Floats{100, 18, 22}));
  const auto later = [] {
    const kr::array<float, 3> x = counting(1, 1, 3);
    return x(0, 0) * 2.0f + x(0, 0).flip();  // x is gone where this is computed
  }();
  const kr::array<float> result = later;
  EXPECT_EQ(host(result), (Floats{2, 3, 4}));
}

TEST(Views, OfConstArraysAreReadOnly) {
  const kr::array<float, 3> x = counting(2, 3, 4);
  kr::array<float, 3> y = counting(2, 3, 4);
  static_assert(std::is_same_v<decltype(x(0)), kr::array<const float, 2>>);
  static_assert(std::is_same_v<decltype(y(0)), kr::array<float, 2>>);
  static_assert(std::is_same_v<decltype(y.broadcast_to(2, 2, 3, 4)), kr::array<const float, 4>>);
  static_assert(std::is_same_v<decltype(x(0, 0, 0)), kr::array_element<const float>>);
  static_assert(std::is_assignable_v<decltype(y(0, 0, 0)), float>);
  auto k = kr::kernel([](const auto& in, const auto& out) {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(in)>, kr::view<const float>>);
    for (auto i : kr::grid_stride(out.size())) out[i] = in[i] * 2.0f;
  });
  auto column = y(0, kr::all, 0);
  k.launch({1, 32}, x(1, kr::all, 3), column);
  EXPECT_EQ(host(column), (Floats{30, 38, 46}));
}

TEST(Views, AreArgumentsOfKernelsFunctionsAndExpressions) {
  kr::array<float, 3> x = counting(2, 3, 4);
  auto axpy = kr::vectorize([](auto a, auto u, auto v) { return a * u + v; });
  const kr::array<float, 2> sum = axpy(2.0f, x(0), x(1).flip(0));
  Floats expected;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      expected.push_back(2.0f * float(i * 4 + j) + float(12 + (2 - i) * 4 + j));
  EXPECT_EQ(host(sum), expected);
  kr::array<float, 2> out(4, 3);
  auto turned = out.transpose();
  axpy.into(turned)(2.0f, x(0), x(1).flip(0));
  EXPECT_EQ(host(turned), expected);
  auto k = kr::kernel([](kr::view<const float, 2> in, kr::view<float, 2> to) {
    for (auto i : kr::grid_stride(to.size()))
      to(i / to.extent(1), i % to.extent(1)) = in(i / to.extent(1), i % to.extent(1));
  });
  kr::array<float, 2> other(4, 3);
  auto backwards = other.flip();
  k.launch({2, 32}, turned.transpose(), backwards);
  EXPECT_EQ(host(other(3)), (Floats{expected[8], expected[4], expected[0]}));
}

TEST(Views, AreAssignedTo) {
  kr::array<float, 3> x = counting(2, 3, 4);
  x(0, 1) = 5;
  x(0, kr::all, 0) += x(1, kr::all, 3) * 2.0f;
  x(1, kr::range(kr::none, kr::none, 2)) = x(0, 0);  // broadcast
  x(1, 1, kr::end - 1) = x(0, 0, 0);
  x(1, 1) -= 1.5;
  EXPECT_EQ(host(x), (Floats{30, 1, 2, 3, 43,   5,    5,    5,    54, 9, 10, 11,
                             30, 1, 2, 3, 14.5, 15.5, 16.5, 28.5, 30, 1, 2,  3}));
  kr::array<float, 3> y = counting(1, 2, 2);
  y *= y;
  y += 1.0f;
  EXPECT_EQ(host(y), (Floats{1, 2, 5, 10}));
  x(0, 0) = kr::to_device(Floats{1, 2, 3, 4});
  EXPECT_EQ(host(x(0, 0)), (Floats{1, 2, 3, 4}));
  const auto seen = y(0, 1);
  y = 7;  // the elements, not another array: a view sees it
  EXPECT_EQ(host(y), (Floats{7, 7, 7, 7}));
  EXPECT_EQ(host(seen), (Floats{7, 7}));
}

/// What is read is what was there before, whatever the order of threads.
TEST(Views, ElementsAreUpdated) {
  kr::array<int, 2> a = kr::arange(6).reshape(2, 3);
  a(1, 1) += 3;
  a(0, 2) *= a(1, 1);
  a(1, -1) %= 3;
  EXPECT_EQ(std::vector<int>(a.to_host()), (std::vector<int>{0, 1, 14, 3, 7, 2}));
}

TEST(Views, OverlapIsCopied) {
  constexpr int n = 5000;
  Floats h(n);
  std::iota(h.begin(), h.end(), 0.0f);
  const auto fresh = [&] { return kr::to_device(h); };
  Floats expected = h;
  kr::array<float> x = fresh();
  x(kr::range(1, kr::none)) = x(kr::range(kr::none, kr::end - 1));
  std::copy(h.begin(), h.end() - 1, expected.begin() + 1);
  EXPECT_EQ(host(x), expected);
  x = fresh();
  x(kr::range(kr::none, kr::end - 1)) += x(kr::range(1, kr::none));
  for (int i = 0; i < n; ++i) expected[i] = i + 1 < n ? float(2 * i + 1) : float(i);
  EXPECT_EQ(host(x), expected);
  x = fresh();
  x() = x.flip();
  for (int i = 0; i < n; ++i) expected[i] = float(n - 1 - i);
  EXPECT_EQ(host(x), expected);
  x.copy_from(x.flip());
  EXPECT_EQ(host(x), h);
  auto same = kr::vectorize([](auto a) { return a; });
  auto tail = x(kr::range(1, kr::none));
  same.into(tail)(x(kr::range(kr::none, kr::end - 1)));
  EXPECT_EQ(host(x(kr::range(3))), (Floats{0, 0, 1}));
  std::vector<float> own = h;
  std::span<float> to = std::span(own).subspan(1);
  same.into(to)(std::span(own).first(n - 1));
  EXPECT_EQ(own[n - 1], float(n - 2));
  EXPECT_EQ(own[1], 0.0f);
  // Every second element is no element of the others.
  x = fresh();
  const std::uint64_t before = kr::device().memory_use().peak;
  x(kr::range(0, kr::end, 2)) = x(kr::range(1, kr::end, 2));
  EXPECT_EQ(std::uint64_t(kr::device().memory_use().peak), before);
  EXPECT_EQ(host(x(kr::range(4))), (Floats{1, 1, 3, 3}));
}

TEST(Views, OutputsThatOverlapAreRefused) {
  kr::array<float> x(10);
  auto both = kr::vectorize([](auto a) { return std::tuple{a, a + 1}; });
  auto one = x(kr::range(0, 6)), other = x(kr::range(4, 10));
  expect_usage({"two outputs overlap"}, [&] { both.into(one, other)(1.0f); });
  auto repeated = kr::array<float, 2>::wrap(x.address(), {4, 3},
                                            std::vector<std::int64_t>{1, 0}.data(), x.device());
  const auto refused = [](const std::string& by) {
    return by +
           ": elements of the output share memory (its strides are too short): they cannot be written";
  };
  expect_usage({refused("kernel array_expression")}, [&] { repeated() = 1.0f; });
  // Rows of 4 that begin at each element, as a window that moves has: to read. Columns that meet no
  // other can be written.
  auto window = kr::array<float, 2>::wrap(x.address(), {3, 4},
                                          std::vector<std::int64_t>{1, 1}.data(), x.device());
  expect_usage({refused("kernel array_expression")}, [&] { window() = 1.0f; });
  expect_usage({refused("copy_from")}, [&] { window.copy_from(kr::ones<float>({3, 4})); });
  expect_usage({refused("copy_from")}, [&] { window.copy_from(Floats(12)); });
  x.fill(1);
  EXPECT_EQ(host(window(1)), (Floats{1, 1, 1, 1}));
  auto apart = kr::array<float, 2>::wrap(x.address(), {2, 3},
                                         std::vector<std::int64_t>{-1, 3}.data(), x.device());
  apart(0) = 2.0f;
  EXPECT_EQ(host(x(kr::range(7))), (Floats{2, 1, 1, 2, 1, 1, 2}));
}

TEST(Views, ReshapeSharesWhereItCan) {
  kr::array<float, 3> x = counting(2, 3, 4);
  EXPECT_EQ(x.reshape(6, 4).address(), x.address());
  EXPECT_EQ(x.reshape(-1).extent(0), 24);
  EXPECT_EQ(x(kr::all, kr::all, kr::range(0, 4, 2)).reshape(6, 2).address(), x.address());
  EXPECT_NE(x.transpose().reshape(24).address(), x.address());
  EXPECT_EQ(host(x.transpose().reshape(3, 8)(0, kr::range(4))), (Floats{0, 12, 4, 16}));
  EXPECT_EQ(host(x.flip().reshape(24)(kr::range(3))), (Floats{23, 22, 21}));
  EXPECT_EQ(kr::array<float>(0).reshape(0, 7).size(), 0);
}

TEST(Views, FortranOrder) {
  kr::array<float, 2> f(kr::shape<2>(2, 3), kr::storage_order::fortran);
  f.copy_from(Floats{1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(f.is_contiguous(kr::storage_order::fortran));
  EXPECT_FALSE(f.is_contiguous());
  EXPECT_EQ(f.stride(0), 1);
  EXPECT_EQ(host(f), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(host(f.transpose()), (Floats{1, 4, 2, 5, 3, 6}));
  EXPECT_TRUE(f.transpose().is_contiguous());
  EXPECT_EQ(host(f.copy()), (Floats{1, 2, 3, 4, 5, 6}));
}

/// All orders of three dimensions, of extents that tiles do not divide, to C order and to
/// Fortran's, whole and in part.
template <class Elem>
void expect_permuted_copies() {
  const int extents[] = {9, 33, 70};
  std::vector<Elem> h(9 * 33 * 70);
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = Elem(float(i % 251));
  kr::array<Elem, 3> x(9, 33, 70);
  x.copy_from(h);
  int axes[] = {0, 1, 2};
  do {
    const auto view = x.permute(axes[0], axes[1], axes[2]);
    std::vector<Elem> wanted;
    int at[3];
    for (at[axes[0]] = 0; at[axes[0]] < extents[axes[0]]; ++at[axes[0]])
      for (at[axes[1]] = 0; at[axes[1]] < extents[axes[1]]; ++at[axes[1]])
        for (at[axes[2]] = 0; at[axes[2]] < extents[axes[2]]; ++at[axes[2]])
          wanted.push_back(h[std::size_t((at[0] * 33 + at[1]) * 70 + at[2])]);
    EXPECT_EQ(std::vector<Elem>(view.to_host()), wanted) << axes[0] << axes[1] << axes[2];
    kr::array<Elem, 3> fortran(view.extents(), kr::storage_order::fortran);
    fortran.copy_from(view);
    EXPECT_EQ(std::vector<Elem>(fortran.to_host()), wanted) << axes[0] << axes[1] << axes[2];
    const auto part = view.flip(2)(kr::range(1, kr::end), kr::all, kr::range(2, kr::end));
    const std::vector<Elem> back = part.copy().flip(2).to_host();
    const auto last = std::size_t(extents[axes[2]]);
    for (std::size_t i = 0; i < back.size(); ++i) {
      const std::size_t row = i / (last - 2) + std::size_t(extents[axes[1]]);
      ASSERT_EQ(back[i], wanted[row * last + i % (last - 2)])
          << axes[0] << axes[1] << axes[2] << " at " << i;
    }
  } while (std::next_permutation(axes, axes + 3));
}
TEST(Views, PermutedCopies) {
  expect_permuted_copies<float>();
  expect_permuted_copies<unsigned char>();
  expect_permuted_copies<kr::f16>();
  expect_permuted_copies<std::complex<double>>();
}

/// More matrices than a grid of CUDA has blocks along z.
TEST(Views, ManySmallMatricesAreTransposed) {
  const kr::array<float, 3> x = counting(70000, 8, 9);
  const Floats turned = host(x.permute(0, 2, 1).copy());
  std::size_t wrong = 0;
  for (std::size_t m = 0, at = 0; m < 70000; ++m)
    for (std::size_t c = 0; c < 9; ++c)
      for (std::size_t r = 0; r < 8; ++r) wrong += turned[at++] != float(m * 72 + r * 9 + c);
  EXPECT_EQ(wrong, 0u);
}

TEST(Views, OfStructsAndNarrowTypes) {
  struct Particle {
    float x, y, z;
    std::int16_t kind;
  };
  std::vector<Particle> h(6);
  for (int i = 0; i < 6; ++i) h[std::size_t(i)] = {float(i), float(-i), 0.5f, std::int16_t(i * 3)};
  kr::array<Particle, 2> p(2, 3);
  p.copy_from(h);
  const std::vector<Particle> turned = p.transpose().to_host();
  EXPECT_EQ(turned[1].x, 3.0f);
  EXPECT_EQ(turned[4].kind, 6);
  p(kr::all, 1).fill({9, 9, 9, 9});
  EXPECT_EQ(std::vector<Particle>(p.to_host())[4].z, 9.0f);
  kr::array<unsigned char> bytes = kr::to_device(std::vector<unsigned char>{1, 2, 3, 4, 5});
  bytes(kr::range(1, 4)).copy_from(bytes(kr::range(0, 3)));
  EXPECT_EQ(std::vector<unsigned char>(bytes.to_host()),
            (std::vector<unsigned char>{1, 1, 2, 3, 5}));
}

/// Elements that lie farther apart than 2^31: addresses of 64 bits, though there are few elements.
TEST(Views, StridesBeyond32Bits) {
  if (std::string(kr::device().id()) != "cpu")
    GTEST_SKIP() << "needs memory that is there only where it is used";
  constexpr std::int64_t far = (std::int64_t(1) << 31) + 5;
  const std::size_t size = std::size_t(2 * far + 1);
  void* const pages = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto* const h = static_cast<unsigned char*>(pages);
  auto x = kr::array<unsigned char>::wrap(reinterpret_cast<std::uint64_t>(h), {3},
                                          std::vector<std::int64_t>{far}.data(), kr::device::cpu());
  x() = 7;
  x.flip()(0) = 9;
  EXPECT_EQ(h[0], 7);
  EXPECT_EQ(h[std::size_t(far)], 7);
  EXPECT_EQ(h[std::size_t(2 * far)], 9);
  munmap(pages, size);
}

/// No two dimensions can become one.
TEST(Views, SixDimensions) {
  kr::array<float, 6> x(2, 3, 2, 2, 3, 2);
  Floats h(std::size_t(x.size()));
  std::iota(h.begin(), h.end(), 0.0f);
  x.copy_from(h);
  const auto turned = x.permute(4, 2, 0, 5, 3, 1);
  const kr::array<float, 6> sum =
      turned + x(0, 0, 0, 0, kr::range(0, 3), 0)(kr::all, kr::newaxis, kr::newaxis, kr::newaxis)(
                   kr::all, kr::all, kr::all, kr::all, kr::newaxis, kr::newaxis);
  const Floats got = host(sum), expected = host(turned);
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], expected[i] + float(i / 48) * 2) << i;
  auto k = kr::kernel(
      [](kr::view<const float, 6> in, kr::view<float, 6> out, kr::view<float> last) {
        auto tile = kr::shared<float, 1, 2, 1, 2, 1>();
        kr::if_(kr::thread_idx().x == 0, [&] { tile(0, 1, 0, 1, 0) = 3.0f; });
        kr::syncthreads();
        for (auto i : kr::grid_stride(out.extent(0)))
          out(i, 1, 0, 1, 0, 1) = in(i, 1, 0, 1, 0, 1) + tile(0, 1, 0, 1, 0);
        kr::if_(kr::thread_idx().x == 0, [&] { last[0] = kr::cast<float>(out.size()); });
      },
      {.checked = true});
  kr::array<float, 6> out(turned.extents());
  kr::array<float> size(1);
  out.fill(0);
  k.launch({1, 32}, turned, out, size);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(out(i, 1, 0, 1, 0, 1), turned(i, 1, 0, 1, 0, 1) + 3.0f);
  EXPECT_EQ(float(size(0)), 144.0f);
  EXPECT_NE(std::string(k.ptx("ptx sm=90 isa=80").c_str()).find(".entry"), std::string::npos);
}

// Parts of an expression or of a const array are read-only; a kr::array made of one is not.
TEST(Views, ArraysOfReadOnlyParts) {
  kr::array<float> x = kr::arange(6.0f);
  const auto twice = x * 2.0f;
  static_assert(std::is_same_v<decltype(twice(0)), kr::array_element<const float>>);
  static_assert(std::is_same_v<decltype(twice.flip(0)), kr::array<const float>>);

  kr::array<float, 2> turned = twice.reshape(2, 3).transpose();
  turned(0, 1) = -1.0f;
  EXPECT_EQ(host(turned), (Floats{0, -1, 2, 8, 4, 10}));
  kr::array deduced = twice.reshape({2, -1});
  static_assert(std::is_same_v<decltype(deduced), kr::array<float, 2>>);
  deduced(1) = 7.0f;
  EXPECT_EQ(host(deduced), (Floats{0, 2, 4, 7, 7, 7}));
  deduced = twice.reshape(3, 2);
  EXPECT_EQ(host(deduced), (Floats{0, 2, 4, 6, 8, 10}));
  // Repeated elements become as many.
  kr::array<float, 2> rows = twice(kr::range(0, 2)).broadcast_to(2, 2);
  rows(0, 1) = 9.0f;
  EXPECT_EQ(host(rows), (Floats{0, 9, 0, 2}));
  // What another array sees is copied.
  const auto& constant = x;
  kr::array<float> first = constant(kr::range(0, 2));
  first += 1.0f;
  EXPECT_EQ(host(first), (Floats{1, 2}));
  // And so is memory that is not Krait's.
  Floats foreign{1, 2, 3};
  kr::array<float> own = kr::array<const float>::wrap(
      reinterpret_cast<std::uintptr_t>(foreign.data()), {3}, kr::device::cpu());
  own = 0.0f;
  EXPECT_EQ(foreign, (Floats{1, 2, 3}));
  EXPECT_EQ(host(x), (Floats{0, 1, 2, 3, 4, 5}));
}

TEST(Views, ExtentsAsAShapeOrInBraces) {
  kr::array<float> x = kr::arange(6.0f);
  const std::size_t three = 3;
  auto table = x.reshape({three, 2});
  table(0, 1) = 10.0f;
  EXPECT_EQ(float(x(1)), 10.0f);
  EXPECT_EQ(std::as_const(x).reshape(table.shape()).extents(), table.shape());
  EXPECT_EQ((x * 2.0f).reshape(table.shape()).extents(), table.shape());
}

TEST(Views, BadInput) {
  kr::array<float, 3> x = counting(2, 3, 4);
  expect_usage({"index 3 is out of bounds for axis 1 with size 3"}, [&] { x(0, 3); });
  expect_usage({"index -3 is out of bounds for axis 0 with size 2"}, [&] { x(-3); });
  expect_usage({"slice step cannot be zero"}, [&] { x(kr::range(0, 2, 0)); });
  expect_usage({"cannot reshape array of size 24 into shape (5,5)"}, [&] { x.reshape(5, 5); });
  expect_usage({"cannot reshape array of size 24 into shape (7,-1)"}, [&] { x.reshape(7, -1); });
  expect_usage({"can only specify one unknown dimension"}, [&] { x.reshape(-1, -1); });
  expect_usage({"axis 3 is out of bounds for array of dimension 3"}, [&] { x.flip(3); });
  expect_usage({"axis -4 is out of bounds for array of dimension 3"}, [&] { x.permute(0, 1, -4); });
  expect_usage({"repeated axis"}, [&] { x.permute(0, 1, 1); });
  expect_usage({"original (2,3,4), requested (2,3,5)"}, [&] { x.broadcast_to(2, 3, 5); });
  expect_usage({"size not equal to one", "axis 1 of (2,3,4)"}, [&] { x.squeeze(1); });
  expect_usage({"axis1 and axis2 cannot be the same"}, [&] { x.diagonal(0, 1, -2); });
  expect_usage({"(2,3,4)", "(3,)"}, [&] { x() = kr::to_device(Floats{1, 2, 3}); });
  krait::test::expect_library_works();
}

// As a signed number it would be the last.
TEST(Views, IndicesBeyond63Bits) {
  const auto a = kr::arange(5);
  expect_usage({"index 9223372036854775807 is out of bounds for axis 0 with size 5"},
               [&] { (void)int(a(~std::uint64_t{0})); });
  EXPECT_EQ(a(kr::range(3, ~std::uint64_t{0})).size(), 2);
}

TEST(Views, BetweenDevices) {
  kr::array<float, 3> x = counting(2, 3, 4);
  const kr::array<float, 2> there = x(kr::all, 1).transpose().copy(kr::device::cpu());
  EXPECT_EQ(host(there), (Floats{4, 16, 5, 17, 6, 18, 7, 19}));
  x(kr::all, 0, kr::range(kr::none, kr::none, -1)).copy_from(there.transpose());
  EXPECT_EQ(host(x(0, 0)), (Floats{7, 6, 5, 4}));
}

// Elements side by side are copied as words, where rows and places allow it.
TEST(Views, CopiesOfBytes) {
  for (const std::int64_t columns : {6, 8, 12, 16, 24, 7})
    for (const std::int64_t first : {0, 1, 2, 4})
      for (const std::int64_t step : {1, -1, 2}) {
        kr::array<std::uint8_t, 3> x(5, 3, columns + 4), y(3, 5, columns);
        std::vector<std::uint8_t> h(std::size_t(x.size()));
        for (std::size_t i = 0; i < h.size(); ++i) h[i] = std::uint8_t(7 * i);
        x.copy_from(h);
        y.fill(1);
        const auto part =
            x(kr::all, kr::range(kr::none, kr::none, step), kr::range(first, first + columns))
                .permute(1, 0, 2);
        auto to = y(kr::range(0, part.extent(0)));
        to.copy_from(part);
        const std::vector<std::uint8_t> got(y.to_host());
        for (std::int64_t a = 0; a < 3; ++a)
          for (std::int64_t b = 0; b < 5; ++b)
            for (std::int64_t c = 0; c < columns; ++c) {
              const std::int64_t row = step < 0 ? 2 - a : step * a;
              const std::uint8_t wanted =
                  a < part.extent(0) ? h[std::size_t((b * 3 + row) * (columns + 4) + first + c)]
                                     : std::uint8_t(1);
              ASSERT_EQ(got[std::size_t((a * 5 + b) * columns + c)], wanted)
                  << columns << " from " << first << " by " << step;
            }
      }
}

TEST(Views, InGraphs) {
  kr::array<float, 3> x = counting(1, 2, 3);
  {
    kr::graph g([&] { x(0, 0) += x(0, 1).flip(); }, x.device());
    EXPECT_EQ(g.size(), 1u);
    g.launch();
    g.launch();
  }
  EXPECT_EQ(host(x(0, 0)), (Floats{10, 9, 8}));
  kr::array<float> y(3);
  const auto refused = [&](const auto& read) {
    expect_usage(
        {"an array is read while a graph that writes it is being recorded: nothing has been computed yet; read it after the graph is launched"},
        [&] { kr::graph([&] { y() = x(0, 0) * 2.0f, read(); }, x.device()); });
  };
  refused([&] { y.to_host(); });
  refused([&] { (void)float(y(1)); });
  // what it only reads has been computed
  kr::graph([&] { y() = x(0, 0) * 2.0f, (void)float(x(0, 0, 1)); }, x.device());
}

}  // namespace
