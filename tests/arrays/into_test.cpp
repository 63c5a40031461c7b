// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms that write into an array of the user's: where that lies as the algorithm writes, in
// another order, or over what is read.
#include <krait/algorithm/compare.h>
#include <krait/algorithm/convolve.h>
#include <krait/algorithm/einsum.h>
#include <krait/algorithm/fft.h>
#include <krait/algorithm/fftconvolve.h>
#include <krait/algorithm/histogram.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/random.h>
#include <krait/algorithm/select.h>
#include <krait/algorithm/sets.h>
#include <krait/algorithm/sparse.h>

#include <complex>
#include <vector>

#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;

namespace {

/// f(options...) by itself, and into arrays of several layouts that share their memory with
/// nothing.
template <class Function>
void expect_into(const Function& f) {
  const auto wanted = f();
  using made = std::remove_cvref_t<decltype(wanted)>;
  const auto& extents = wanted.extents();
  made straight(extents), columns(extents, kr::storage_order::fortran);
  f(kr::into(straight));
  EXPECT_TRUE(kr::array_equal(straight, wanted));
  f(kr::into(columns));
  EXPECT_TRUE(kr::array_equal(columns, wanted));
  auto backwards = straight.flip();
  f(kr::into(backwards));
  EXPECT_TRUE(kr::array_equal(straight.flip(), wanted));
  // Between other elements, which stay.
  using element = typename made::value_type;
  for (const std::int64_t offset : {2, 3}) {
    kr::array<element> all(wanted.size() + 5);
    all.fill(element(7));
    kr::detail::layout inner = kr::detail::dense(extents.extents, made::rank, false);
    inner.offset = offset;
    const made part(krait::detail::view_at(inner, all));
    f(kr::into(part));
    EXPECT_TRUE(kr::array_equal(part, wanted));
    for (const std::int64_t at : {0, 1, -2, -1}) EXPECT_EQ(element(all(at)), element(7));
  }
}

kr::array<float, 2> some() {
  return kr::to_device(std::vector<float>{5, 1, 4, 2, 8, 3, 7, 6, 9, 12, 11, 10})
      .reshape(3, 4)
      .copy();
}

TEST(Into, Reductions) {
  const auto x = some();
  expect_into([&](const auto&... o) { return kr::sum(x, kr::axis(0), o...); });
  expect_into([&](const auto&... o) { return kr::max(x * 2.0f, kr::axis(1), kr::keepdims, o...); });
  expect_into([&](const auto&... o) { return kr::argmin(x, kr::axis(-1), o...); });
  expect_into([&](const auto&... o) { return kr::stddev(x, kr::axis(0), kr::ddof(1), o...); });
  expect_into(
      [&](const auto&... o) { return kr::mean(x, kr::axis(1), kr::where(x > 2.0f), o...); });
}
TEST(Into, ScansAndSorts) {
  const auto x = some();
  expect_into([&](const auto&... o) { return kr::cumsum(x, kr::axis(0), o...); });
  expect_into([&](const auto&... o) { return kr::cumsum(x, o...); });
  expect_into([&](const auto&... o) {
    return kr::exclusive_scan(
        x, 1.0f, [](auto a, auto b) { return a * b; }, kr::axis(1), o...);
  });
  expect_into([&](const auto&... o) { return kr::sort(x, o...); });
  expect_into([&](const auto&... o) { return kr::sort(x, kr::axis(0), kr::descending, o...); });
  expect_into([&](const auto&... o) {
    return kr::sort(
        x, [](auto a, auto b) { return b < a; }, o...);
  });
  expect_into([&](const auto&... o) { return kr::argsort(x, kr::axis(0), o...); });
  const auto flat = x.reshape(-1);
  const auto places = kr::argsort(flat);
  expect_into([&](const auto&... o) { return kr::gather(flat, places, o...); });
  expect_into([&](const auto&... o) {
    return kr::searchsorted(kr::sort(flat), flat, kr::side::left, o...);
  });
}
TEST(Into, Products) {
  const auto x = some();
  expect_into([&](const auto&... o) { return kr::matmul(x, x.transpose(), o...); });
  expect_into([&](const auto&... o) { return kr::matmul(x, x(0), o...); });
  const kr::array<float, 2> large = kr::arange(0.0f, 3600.0f, 1.0f).reshape(60, 60) * 0.001f;
  expect_into([&](const auto&... o) { return kr::matmul(large, large, o...); });
  expect_into([&](const auto&... o) {
    return kr::dot(x.reshape(2, 2, 3), x.transpose()(kr::range(0, 3), kr::range(0, 2)), o...);
  });
  expect_into([&](const auto&... o) { return kr::convolve(x, x(kr::range(0, 2)), "same", o...); });
  expect_into(
      [&](const auto&... o) { return kr::fftconvolve(x, x(kr::range(0, 2)), "same", o...); });
  expect_into([&](const auto&... o) {
    return kr::correlate(x, x(kr::range(0, 2)), kr::border::wrap, 0.0f, o...);
  });
  expect_into([&](const auto&... o) {
    return kr::stencil([](auto at) { return at(-1, 0) + at(0, 1); }, x, kr::border::constant, 0.0f,
                       o...);
  });
}
TEST(Into, Transforms) {
  const auto x = some();
  const auto spectrum = kr::fft(x);
  expect_into([&](const auto&... o) { return kr::fft(x, kr::axis(0), o...); });
  expect_into([&](const auto&... o) { return kr::rfft(x, "ortho", o...); });
  expect_into([&](const auto&... o) { return kr::irfft(spectrum, kr::points(5), o...); });
  expect_into([&](const auto&... o) { return kr::ifft2(spectrum, o...); });
  expect_into([&](const auto&... o) { return kr::rfftn(x, o...); });
  expect_into([&](const auto&... o) { return kr::irfft2(spectrum, o...); });
}

TEST(Into, SumsBySubscripts) {
  const auto x = some();
  expect_into([&](const auto&... o) { return kr::einsum<"ij->j">(x, o...); });
  expect_into([&](const auto&... o) { return kr::einsum<"ij->ji">(x, o...); });
  expect_into([&](const auto&... o) { return kr::einsum<"ij,ij,j->ij">(x, x, x(0), o...); });
  expect_into([&](const auto&... o) { return kr::einsum<"ij,kj->ik">(x, x, o...); });
  // Products of matrices, whose memory may have another order.
  const kr::array<float, 3> a = kr::arange(0.0f, 3600.0f, 1.0f).reshape(6, 20, 30) * 0.001f,
                            b = kr::arange(0.0f, 5400.0f, 1.0f).reshape(6, 30, 30) * 0.001f;
  expect_into([&](const auto&... o) { return kr::einsum<"bij,bjk->bik">(a, b, o...); });
  expect_into([&](const auto&... o) { return kr::einsum<"bij,bjk->kbi">(a, b, o...); });
  expect_into([&](const auto&... o) { return kr::einsum<"bij,bjk->ik">(a, b, o...); });
}
TEST(Into, ChoosingAndCounting) {
  const auto x = some();
  const auto flat = x.reshape(-1);
  const auto rows = kr::to_device(std::vector<int>{2, 0, -1, 1});
  expect_into([&](const auto&... o) { return kr::take(x, rows, 0, o...); });
  expect_into([&](const auto&... o) { return kr::take(x, rows.reshape(2, 2), 1, o...); });
  expect_into([&](const auto&... o) { return kr::histogram(flat, 5, 0.0, 13.0, o...); });
  expect_into([&](const auto&... o) {
    return kr::histogram(flat, kr::to_device(std::vector<float>{1, 2.5f, 8, 9}), o...);
  });
  const auto offsets = kr::to_device(std::vector<std::int64_t>{0, 0, 5, 9, 9, 12});
  const auto add = [](auto a, auto b) { return a + b; };
  expect_into([&](const auto&... o) { return kr::segmented_scan(flat, offsets, add, o...); });
  expect_into(
      [&](const auto&... o) { return kr::segmented_reduce(flat, offsets, add, 1.0f, o...); });
  expect_into([&](const auto&... o) { return kr::segmented_sort(flat, offsets, o...); });
  expect_into([&](const auto&... o) { return kr::isin(flat, x(1), o...); });
}
TEST(Into, SparseProducts) {
  const auto places = [](std::vector<std::int64_t> v) { return kr::to_device(v); };
  const kr::csr_matrix<float> a(places({0, 2, 2, 3}), places({0, 3, 1}),
                                kr::to_device(std::vector<float>{2, 3, 5}), {3, 4});
  const auto x = some();
  expect_into([&](const auto&... o) { return kr::matmul(a, x(0), o...); });
  expect_into([&](const auto&... o) { return kr::matmul(a, x.transpose(), o...); });
}
TEST(Into, RandomArrays) {
  // Each call of a generator of its own, so that all give the same.
  expect_into([](const auto&... o) { return kr::generator(3).uniform({3, 5}, -1.0f, 2.0f, o...); });
  expect_into([](const auto&... o) { return kr::generator(3).normal({3, 5}, 0.0f, 1.0f, o...); });
  expect_into([](const auto&... o) { return kr::generator(3).exponential(7, 2.0f, o...); });
  expect_into(
      [](const auto&... o) { return kr::generator(3).integers(kr::shape<2>(3, 5), -4, 9, o...); });
  expect_into([](const auto&... o) { return kr::generator(3).permutation(9, o...); });
  const auto x = some();
  expect_into([&](const auto&... o) { return kr::generator(3).permutation(x, o...); });
  expect_into([&](const auto&... o) { return kr::generator(3).choice(x, 2, false, o...); });
  expect_into([&](const auto&... o) { return kr::generator(3).choice(x, 5, true, o...); });
}

TEST(Into, OverWhatIsRead) {
  auto x = some();
  const auto sorted = kr::sort(x, kr::axis(0)), sums = kr::cumsum(x, kr::axis(1));
  kr::cumsum(x, kr::axis(1), kr::into(x));
  EXPECT_TRUE(kr::array_equal(x, sums));
  x = some();
  kr::sort(x, kr::axis(0), kr::into(x));
  EXPECT_TRUE(kr::array_equal(x, sorted));
  // Outputs that are the other's input.
  for (const bool wide : {false, true}) {
    auto keys = kr::to_device(std::vector<int>{3, 1, 2});
    const auto run = [&](auto values) {
      auto keys_of = keys.copy();
      if constexpr (std::is_same_v<decltype(keys_of), decltype(values)>)
        kr::sort_by_key(keys_of, values, kr::into(values, keys_of));
      else kr::sort_by_key(keys_of, values, kr::into(keys_of, values));
      return std::pair{std::move(keys_of), std::move(values)};
    };
    if (wide) {
      const auto [k, v] = run(kr::to_device(std::vector<double>{30, 10, 20}));
      EXPECT_EQ(std::vector<int>(k.to_host()), (std::vector<int>{1, 2, 3}));
      EXPECT_EQ(std::vector<double>(v.to_host()), (std::vector<double>{10, 20, 30}));
    } else {
      const auto [v, k] = run(kr::to_device(std::vector<int>{30, 10, 20}));
      EXPECT_EQ(std::vector<int>(k.to_host()), (std::vector<int>{1, 2, 3}));
      EXPECT_EQ(std::vector<int>(v.to_host()), (std::vector<int>{10, 20, 30}));
    }
  }
  x = some();
  const auto rows = kr::to_device(std::vector<int>{2, 0, 1});
  const auto taken = kr::take(x, rows), product = kr::einsum<"ij,ij->ij">(x, x),
             shuffled = kr::generator(9).permutation(x);
  kr::take(x, rows, 0, kr::into(x));
  EXPECT_TRUE(kr::array_equal(x, taken));
  x = some();
  kr::einsum<"ij,ij->ij">(x, x, kr::into(x));
  EXPECT_TRUE(kr::array_equal(x, product));
  x = some();
  kr::generator(9).permutation(x, kr::into(x));
  EXPECT_TRUE(kr::array_equal(x, shuffled));
  // Counts over the edges, and sums over the offsets, that they are of.
  auto counted = kr::to_device(std::vector<std::int64_t>{0, 2, 4, 6, 8});
  auto bins = counted(kr::range(0, 4));
  kr::histogram(kr::arange<std::int64_t>(0, 7, 1), counted, kr::into(bins));
  EXPECT_EQ(std::vector<std::int64_t>(counted.to_host()),
            (std::vector<std::int64_t>{2, 2, 2, 1, 8}));
  auto offsets = kr::to_device(std::vector<std::int64_t>{0, 1, 3});
  auto ends = offsets(kr::range(0, 2));
  kr::segmented_reduce(
      kr::to_device(std::vector<std::int64_t>{5, 6, 7}), offsets,
      [](auto a, auto b) { return a + b; }, 0, kr::into(ends));
  EXPECT_EQ(std::vector<std::int64_t>(offsets.to_host()), (std::vector<std::int64_t>{5, 13, 3}));
  auto column = kr::to_device(std::vector<float>{1, 2});
  const kr::csr_matrix<float> swap(kr::to_device(std::vector<std::int64_t>{0, 1, 2}),
                                   kr::to_device(std::vector<std::int64_t>{1, 0}),
                                   kr::to_device(std::vector<float>{1, 1}), {2, 2});
  kr::matmul(swap, column, kr::into(column));
  EXPECT_EQ(std::vector<float>(column.to_host()), (std::vector<float>{2, 1}));
  x = some();
  auto row = x(0);
  kr::sum(x * 2.0f, kr::axis(0), kr::into(row));
  EXPECT_EQ(
      std::vector<float>(row.to_host()),
      (std::vector<float>{2 * (5 + 8 + 9), 2 * (1 + 3 + 12), 2 * (4 + 7 + 11), 2 * (2 + 6 + 10)}));
  kr::array<float> values(2);
  kr::array<std::int64_t> places(2);
  kr::top_k(kr::to_device(std::vector<float>{1, 9, 5}), 2, kr::into(values, places));
  EXPECT_EQ(std::vector<float>(values.to_host()), (std::vector<float>{9, 5}));
  EXPECT_EQ(std::vector<std::int64_t>(places.to_host()), (std::vector<std::int64_t>{1, 2}));
}

// The output itself is written where that can be.
TEST(Into, WritesInPlace) {
  const auto x = some();
  kr::array<float, 2> to(3, 4), columns(kr::shape<2>(3, 4), kr::storage_order::fortran);
  const auto wanted = kr::detail::dense(x.extents().extents, 2, false);
  const auto written = [&](const kr::array<float, 2>& given, const auto&... read) {
    return kr::detail::result_in<float, 2>(&given, wanted, kr::device(), read...).to.address();
  };
  EXPECT_EQ(written(to, x), to.address());
  EXPECT_NE(written(columns, x), columns.address());
  EXPECT_NE(written(to, x, to(0)), to.address());
  EXPECT_NE(written(to, x * 2.0f, to(1) + x), to.address());
}

TEST(Into, BadInput) {
  const auto x = some();
  kr::array<float, 2> narrow(3, 3);
  expect_usage({"kr::into: the output has shape (3,3), but the result has shape (3,4)"},
               [&] { kr::sort(x, kr::into(narrow)); });
  kr::array<float> shared(4);
  expect_usage(
      {"kr::into: elements of the output share memory (its strides are too short): they cannot be written"},
      [&] {
        const std::int64_t strides[] = {1, 1};
        kr::sort(x, kr::into(kr::array<float, 2>::wrap(shared.address(), kr::shape<2>(3, 4),
                                                       strides, kr::device())));
      });
  kr::array<std::int64_t> counts(3);
  const auto expect_shape = [](const char* given, const char* wanted, const auto& f) {
    expect_usage({std::string("kr::into: the output has shape ") + given +
                  ", but the result has shape " + wanted},
                 f);
  };
  expect_shape("(3,3)", "(4,4)", [&] { kr::einsum<"ij,ik->jk">(x, x, kr::into(narrow)); });
  expect_shape("(3,3)", "(4,3)", [&] { kr::einsum<"ij->ji">(x, kr::into(narrow)); });
  expect_shape("(3,3)", "(2,4)", [&] {
    kr::take(x, kr::to_device(std::vector<int>{0, 1}), 0, kr::into(narrow));
  });
  expect_shape("(3,)", "(4,)", [&] { kr::histogram(x(0), 4, 0.0, 1.0, kr::into(counts)); });
  expect_shape("(3,)", "(4,)", [&] { kr::generator(1).permutation(4, kr::into(counts)); });
  expect_shape("(3,3)", "(2,2)", [&] {
    kr::generator(1).uniform({2, 2}, 0.0f, 1.0f, kr::into(narrow));
  });
  expect_shape("(3,)", "(2,)", [&] {
    kr::segmented_reduce(
        counts, kr::to_device(std::vector<std::int64_t>{0, 1, 2}),
        [](auto a, auto b) { return a + b; }, 0, kr::into(counts));
  });
  expect_shape("(3,)", "(2,)",
               [&] { kr::segmented_sort(counts(kr::range(0, 2)), counts, kr::into(counts)); });
  kr::array<int> keys(3);
  expect_usage({"kr::into: two outputs overlap"},
               [&] { kr::sort_by_key(keys, keys, kr::into(keys, keys)); });
  const std::string id = kr::device().id();
  const kr::device elsewhere = kr::device::find(id == "interpreter" ? "cpu" : "interpreter");
  kr::array<float, 2> other({3, 4}, elsewhere);
  expect_usage({std::string("kr::into: the output of shape (3,4) is on ") + elsewhere.id() +
                ", but the result is computed on " + id + ": give an array of that device"},
               [&] { kr::sort(x, kr::into(other)); });
}

}  // namespace
