// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/arrays.md: what stands between `// [name]` and `// [/name]` is quoted there (tests/unit/docs_snippets.cpp holds
// it to that), and here it is run.
#include <krait/algorithm/compare.h>
#include <krait/algorithm/einsum.h>
#include <krait/algorithm/fft.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/grouped_matmul.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/products.h>
#include <krait/algorithm/reduce.h>
#include <krait/dlpack.h>
#include <krait/krait.h>
#include <krait/span.h>

#include <dlpack/dlpack.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace kr = krait;

namespace {

int failures = 0;

template <class Array>
void expect(const Array& got, const std::vector<float>& wanted, int line) {
  if (std::vector<float>(got.to_host()) != wanted) std::printf("arrays_snippets.cpp:%d does not hold\n", line), ++failures;
}

void creation() {
  // [creation]
  auto zeros = kr::zeros<float>({2, 3});               // also empty, ones; zeros_like(a) has a's shape, order and device
  auto sevens = kr::full({2, 3}, 7.5f, kr::device::cpu());
  auto columns = kr::ones<kr::f16>({2, 3}, kr::storage_order::fortran);
  auto steps = kr::arange(0.0f, 1.0f, 0.25f);          // kr::array<float, 1>: 0, 0.25, 0.5, 0.75
  auto points = kr::linspace(0, 1, 5);                 // kr::array<double, 1>: 0, 0.25, 0.5, 0.75, 1
  auto identity = kr::eye<double>(3);                  // kr::diag(v) has the elements of v on the diagonal
  kr::array<float> given = std::vector<float>{1, 2};   // copied; kr::to_device({1.0f, 2.0f}) is the same
  auto [gx, gy] = kr::meshgrid(steps, points);         // two views of shape (5, 4), without a copy
  std::cout << identity << "\n";                       // or std::string(kr::to_string(identity))
  std::cout << kr::to_string(points, {.precision = 1, .threshold = 4, .edge_items = 1});  // options of this call
  // [/creation]
  expect(zeros, {0, 0, 0, 0, 0, 0}, __LINE__);
  expect(given, {1, 2}, __LINE__);
  expect(sevens(0), {7.5f, 7.5f, 7.5f}, __LINE__);
  expect(steps, {0, 0.25f, 0.5f, 0.75f}, __LINE__);
  expect(gx(3), {0, 0.25f, 0.5f, 0.75f}, __LINE__);
  expect(kr::array<float>(gy(kr::all, 2) * 1.0f), {0, 0.25f, 0.5f, 0.75f, 1}, __LINE__);
  if (columns.stride(0) != 1 || std::string(kr::to_string(identity)) != "[[1. 0. 0.]\n [0. 1. 0.]\n [0. 0. 1.]]")
    std::printf("arrays_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
}

void views() {
  std::vector<float> counting(12);
  std::iota(counting.begin(), counting.end(), 0.0f);
  // [views]
  kr::array<float, 2> a({3, 4});                       // 3 rows of 4
  auto row = a(1);                                     // kr::array<float, 1>: NumPy's a[1]
  auto inner = a(kr::all, kr::range(1, kr::end - 1));  // a[:, 1:-1]
  auto column = a(kr::all, 0, kr::newaxis);            // a[:, 0, None], of shape (3, 1)
  auto back = a(kr::range(kr::none, kr::none, -1));    // a[::-1]
  auto turned = a.transpose();                         // of shape (4, 3)
  float x = a(2, -1);                                  // one element; reads it, and waits
  float root = kr::sqrt(a(0, 0));                      // an element is a number for functions, indices and ranges
  // [/views]
  a.copy_from(counting);
  x = a(2, -1);
  root = kr::sqrt(a(1, 0));
  if (x != 11 || root != 2) std::printf("arrays_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
  expect(row, {4, 5, 6, 7}, __LINE__);
  expect(inner, {1, 2, 5, 6, 9, 10}, __LINE__);
  expect(column, {0, 4, 8}, __LINE__);
  expect(back, {8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3}, __LINE__);
  expect(turned, {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}, __LINE__);
  // [assignment]
  a(0) = 1.0f;                                         // a number
  a(1) = a(0) * 2.0f + 3.0f;                           // an expression: one kernel, no array in between
  a(2, kr::range(1, kr::end)) += a(1, kr::range(0, 3));
  a(kr::all, 0) = kr::to_device(std::vector<float>{7, 8, 9});
  a *= a;                                              // in place
  // [/assignment]
  expect(a, {49, 1, 1, 1, 64, 25, 25, 25, 81, 196, 225, 256}, __LINE__);
  a = kr::array<float, 2>({3, 4});
  a.copy_from(counting);
  // [indexing]
  auto rows = kr::to_device({2, 0, -1});
  kr::array<float, 2> chosen = a(rows);                // rows 2, 0 and the last: NumPy's a[[2, 0, -1]]
  auto fields = kr::take(a, kr::to_device({3, 1}), 1); // columns 3 and 1
  kr::array<float> large = a(a > 4.0f);                // elements in C order: NumPy's a[a > 4]
  kr::array<float> corners = a(kr::to_device({0, 2}), kr::to_device({0, -1}));  // a[[0, 2], [0, -1]]
  a(kr::all, kr::to_device({1})) += 1.0f;              // also masks of some of the dimensions
  a(a > 4.0f) = 4.0f;
  a(rows) = 0.0f;                                      // or an array that broadcasts to the rows
  kr::put(a, kr::to_device({5, 6}), -1.0f);            // by positions in C order
  kr::array<float, 2> clipped = kr::where(a < 0.0f, 0.0f, a);  // an expression
  // [/indexing]
  expect(chosen, {8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11}, __LINE__);
  expect(fields, {3, 1, 7, 5, 11, 9}, __LINE__);
  expect(large, {5, 6, 7, 8, 9, 10, 11}, __LINE__);
  expect(a, {0, 0, 0, 0, 4, -1, -1, 4, 0, 0, 0, 0}, __LINE__);
  expect(clipped, {0, 0, 0, 0, 4, 0, 0, 4, 0, 0, 0, 0}, __LINE__);
  expect(corners, {0, 11}, __LINE__);
  a.copy_from(counting);
  a -= 4.0f;
  // [reductions]
  float total = kr::sum(a * a + 1.0f);                 // one kernel, no array in between; waits for the number
  auto largest = kr::max(a, kr::axis(0));              // kr::array<float, 1>: stays on the device
  auto means = kr::mean(a, kr::axis(-1), kr::keepdims);
  kr::array<float, 2> centred = a - means;
  float positive = kr::sum(a, kr::where(a > 0.0f), kr::initial(0.0f));
  auto [elements, squares] = kr::sum(a, a * a);        // one kernel and one wait; up to five
  // [/reductions]
  if (total != 182 || positive != 28 || elements != 18 || squares != 170) std::printf("arrays_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
  expect(largest, {4, 5, 6, 7}, __LINE__);
  expect(means, {-2.5f, 1.5f, 5.5f}, __LINE__);
  expect(centred(1), {-1.5f, -0.5f, 0.5f, 1.5f}, __LINE__);
  // [comparing]
  kr::array<bool, 2> above = a > 0.0f;                 // operators compare element by element
  bool near = kr::allclose(a, a * 1.000001f);          // |x - y| <= atol + rtol * |y|, NumPy's tolerances
  bool same = kr::array_equal(a, a, true);             // shapes and elements; true: NaN equals NaN
  auto close = kr::isclose(a, 1.0f, {.rtol = 0, .atol = 0.5});  // an expression of bool
  // [/comparing]
  if (!above(2, 3) || above(0, 0) || !near || !same || kr::count_nonzero(close) != 1)
    std::printf("arrays_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
}

void subscripts() {
  const auto a = kr::arange(12.0f).reshape(3, 4), b = kr::arange(8.0f).reshape(4, 2);
  const kr::array<float, 1> bias = kr::arange(2.0f) - 100.0f;
  // [matmul]
  kr::array<float, 2> c = kr::matmul(a, b);
  auto stack = kr::matmul(a(kr::newaxis), b);          // dimensions before the last two broadcast: of shape (1, 3, 2)
  auto column = kr::matmul(a, b(kr::all, 0));          // of a matrix and a vector: kr::array<float, 1>
  auto layer = kr::matmul(a, b, [](auto sum, auto add) { return kr::max(sum + add, 0.0f); }, bias);  // with an epilogue
  auto wide = kr::matmul<double>(a, b);                // computed in float, stored as double
  // [/matmul]
  const kr::array<float, 2> tokens = kr::ones<float>({4, 3});
  const kr::array<float, 3> experts = kr::ones<float>({2, 3, 5});
  const kr::array<int, 1> ends = kr::to_device(std::vector<int>{1, 4});
  // [grouped]
  kr::array<float, 2> outputs = kr::grouped_matmul(tokens, experts, ends);  // (m, k), (groups, k, n), (groups): (m, n)
  // [/grouped]
  expect(outputs, std::vector<float>(20, 3.0f), __LINE__);
  expect(c, {28, 34, 76, 98, 124, 162}, __LINE__);
  expect(stack, {28, 34, 76, 98, 124, 162}, __LINE__);
  expect(column, {28, 76, 124}, __LINE__);
  expect(layer, {0, 0, 0, 0, 24, 63}, __LINE__);
  expect(wide, {28, 34, 76, 98, 124, 162}, __LINE__);
  // [subscripts]
  kr::array<float, 2> product = kr::einsum<"ij,jk->ik">(a, b);
  auto lengths = kr::einsum<"...i,...i->...">(a, a);   // over the last dimension, with any dimensions before it
  float total = kr::einsum<"ij,jk,k->">(a, b, b(0));   // three operands, one kernel
  // [/subscripts]
  expect(product, {28, 34, 76, 98, 124, 162}, __LINE__);
  expect(lengths, {14, 126, 366}, __LINE__);
  if (total != 34 + 98 + 162) std::printf("arrays_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
}

void complex_numbers() {
  // [complex]
  auto signal = kr::sin(kr::arange(0.0f, 8.0f) * 0.5f);
  kr::array<float> sizes = kr::abs(kr::fft(signal));   // a transform of an expression, in one line
  auto z = kr::fft(kr::ones<float>(4));                // kr::array<std::complex<float>>: 4, 0, 0, 0
  z *= std::complex<float>(0, 1);                      // numbers and arrays may be real or complex
  std::complex<float> total = kr::sum(z);
  auto product = kr::outer(z, kr::conj(z));
  // [/complex]
  if (total != std::complex<float>(0, 4) || std::complex<float>(product(0, 0)) != 16.0f || sizes.size() != 8)
    std::printf("arrays_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
}

void host_side() {
  auto a = kr::arange(6.0f).reshape(2, 3);
  // [host]
  auto h = a.to_host();                                // kr::host_array<float, 2>: all elements, copied; waits
  float corner = h(-1, -1);                            // h[i] counts in C order
  auto before = h;
  std::ranges::sort(h, std::greater<>());              // a contiguous range
  bool same = h == before;                             // shapes and elements
  std::vector<float> flat = h;                         // or h.vector()
  a.copy_from(h);                                      // kr::to_device(h) makes a new array of that shape
  for (auto row : a) row += 1.0f;                      // the views a(0) and a(1)
  for (auto row : a) row = row * 2.0f;                 // writes the row's elements, as NumPy's row[...] = …
  // [/host]
  expect(a, {12, 10, 8, 6, 4, 2}, __LINE__);
  if (corner != 5 || same || flat[0] != 5) std::printf("arrays_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
}

void exchange() {
  // [exchange]
  std::vector<float> v(12);
  auto shared = kr::wrap(v.data(), {3, 4});            // on the CPU, without a copy; also of containers, std::span and std::mdspan
  std::span<float> elements = kr::to_span(shared);     // or kr::to_mdspan(shared), in C++23
  DLManagedTensor* tensor = kr::to_dlpack<DLManagedTensor>(shared);
  auto again = kr::from_dlpack<float, 2>(tensor);      // owns the tensor
  // [/exchange]
  again(1, kr::all) = 1.0f;
  expect(shared, {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0}, __LINE__);
  if (v[4] != 1 || elements[7] != 1) std::printf("arrays_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
}

}  // namespace

int main() {
  try {
    creation();
    views();
    subscripts();
    complex_numbers();
    host_side();
    exchange();
  } catch (const kr::error& e) {
    return std::printf("%s\n", e.message()), 1;
  }
  return failures;
}
