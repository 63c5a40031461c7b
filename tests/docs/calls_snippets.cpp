// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/calls.md: what stands between `// [name]` and `// [/name]` is quoted there (tests/unit/docs_snippets.cpp holds
// it to that), and here it is run.
#include <krait/algorithm/methods.h>
#include <krait/async.h>
#include <krait/guvectorize.h>
#include <krait/krait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <vector>

namespace kr = krait;

namespace {

int failures = 0;

void expect(bool holds, int line) {
  if (!holds) std::printf("calls_snippets.cpp:%d does not hold\n", line), ++failures;
}

void elementwise() {
  const std::vector<float> hx{1, 2, 3}, hy{10, 20, 30};
  // [vectorize]
  auto axpy = kr::vectorize([](auto a, auto x, auto y) { return a * x + y; });
  std::vector<float> z = axpy(2.0f, hx, hy);           // containers in, a container out
  int seven = axpy(2, 3, 1);                           // numbers in, a number out: another specialisation, on the CPU
  kr::array<float> x = kr::to_device(hx), y = kr::to_device(hy);
  kr::array<float> w = axpy(2.0f, x, y);               // device arrays stay on the device
  axpy.into(w)(3.0f, x, y);                            // writes into w
  // [/vectorize]
  expect(z == std::vector<float>{12, 24, 36}, __LINE__);
  expect(seven == 7, __LINE__);
  expect(std::vector<float>(w.to_host()) == std::vector<float>{13, 26, 39}, __LINE__);
  // [expression]
  kr::array<float> v = 2.0f * x + kr::sin(y);          // one kernel, one launch, at the conversion to an array
  w = kr::sqrt(v + 4) / 3;                             // functions and operators, as many as you like
  // [/expression]
  expect(std::abs(v.to_host()[1] - (4 + std::sin(20.0f))) < 1e-5f, __LINE__);
  expect(std::abs(w.to_host()[1] - std::sqrt(v.to_host()[1] + 4) / 3) < 1e-6f, __LINE__);
  // [outputs]
  auto polar = kr::vectorize([](auto a, auto b) { return std::tuple{kr::hypot(a, b), kr::atan2(b, a)}; });
  auto [length, angle] = polar(x, y);                  // two arrays
  // [/outputs]
  expect(std::abs(length.to_host()[0] - std::sqrt(101.0f)) < 1e-5f, __LINE__);
  expect(std::abs(angle.to_host()[0] - std::atan2(10.0f, 1.0f)) < 1e-6f, __LINE__);
  kr::stream work(x.device());
  // [places]
  axpy.where(x > 0.0f).into(w)(2.0f, x, y);            // w keeps its elements where the mask is 0
  axpy.stream(work).into(w)(2.0f, x, y);
  auto there = axpy.on(kr::device::cpu())(2.0f, hx, hy);  // containers and numbers: on this device
  std::puts(axpy.types().c_str());                     // one line per specialisation: "f32, f32, f32 -> f32"
  // [/places]
  work.synchronize();
  expect(there[0] == w.to_host()[0], __LINE__);
  // [methods]
  auto plus = kr::vectorize([](auto a, auto b) { return a + b; });
  float total = plus.reduce(x);                        // x[0] + x[1] + …; more dimensions: along the first, or kr::axis(…)
  kr::array<float> sums = plus.accumulate(x);          // the partial sums
  kr::array<float, 2> table = plus.outer(x, y);        // each element of x with each of y
  plus.at(sums, kr::to_device({0, 0, 2}), 1.0f);       // sums[0] grows by 2: equal indices are added in turn
  kr::array<float> parts = plus.reduceat(x, kr::to_device({0, 2}));  // x[0] + x[1], and the rest from x[2]
  // [/methods]
  expect(total == 6 && table(2, 1) == 23, __LINE__);
  expect(std::vector<float>(sums.to_host()) == std::vector<float>{3, 3, 7}, __LINE__);
  expect(std::vector<float>(parts.to_host()) == std::vector<float>{3, 3}, __LINE__);
}

void generalized() {
  const auto x = kr::arange(24.0f).reshape(2, 3, 4);
  const auto y = kr::arange(8.0f).reshape(4, 2);
  // [generalized]
  auto product = kr::guvectorize<"(m,n),(n,p)->(m,p)">([](auto a, auto b, auto c) {
    for (auto i : kr::range(a.extent(0)))
      for (auto j : kr::range(b.extent(1))) {
        kr::var sum = 0.0f;
        for (auto k : kr::range(a.extent(1))) sum += a(i, k) * b(k, j);
        c(i, j) = sum;
      }
  });
  kr::array<float, 3> z = product(x, y);               // x of shape (2, 3, 4), y of shape (4, 2): z is of shape (2, 3, 2)
  auto shift = kr::guvectorize<"(n),()->(n)">([](auto row, auto by, auto out) {
    for (auto i : kr::range(row.size())) out[i] = row[i] + by;
  });
  std::vector<int> shifted = shift(std::vector<int>{0, 1, 2, 3, 4}, 2);  // {2, 3, 4, 5, 6}
  shift.into(z)(z, 1.0f);                              // in place: inputs that overlap the output are read first
  // [/generalized]
  expect(z(1, 2, 1) == 20 * 1 + 21 * 3 + 22 * 5 + 23 * 7 + 1 && shifted == std::vector<int>{2, 3, 4, 5, 6}, __LINE__);
}

void kernels() {
  // [kernel]
  auto shift = kr::kernel([](kr::view<const float> in, kr::view<float> out, kr::value<float> by) {
    for (auto i : kr::grid_stride(out.size())) out[i] = in[i] + by;
  }, {.name = "shift"});
  std::vector<float> in(1000, 1.0f), out(1000);
  shift.launch({30, 128}, in, out, 0.5f);              // {grid, block}; in C++23 also shift[30, 128](in, out, 0.5f)
  shift.forall(1000)(in, out, 1.5f);                   // Krait picks a grid that covers 1000 threads
  // [/kernel]
  expect(out[0] == 2.5f && out[999] == 2.5f, __LINE__);
  // [specialized]
  auto series = kr::kernel([](kr::view<float> v, kr::specialized<int> terms) {
    for (auto i : kr::grid_stride(v.size())) {
      kr::var sum = 0.0f;
      for (auto k : kr::range(terms)) sum = sum * v[i] + kr::cast<float>(k);
      v[i] = sum;
    }
  }, {.name = "series", .max_threads = 256, .min_blocks = 4});
  series.forall(1000)(out, 3);
  // [/specialized]
  expect(out[0] == 4.5f, __LINE__);
  // [fixed]
  auto fixed = kr::kernel<kr::dims{4, 2}, kr::dims{16, 16}>([](kr::view<int, 2> cells) {
    auto [x, y] = kr::grid<2>();
    kr::if_(y < cells.extent(0) && x < cells.extent(1), [&] { cells(y, x) = kr::cast<int>(10 * y + x); });
  });
  kr::array<int, 2> table({20, 50});                   // 20 rows of 50
  fixed(table);
  // [/fixed]
  expect(table.to_host()[3 * 50 + 4] == 34, __LINE__);
}

void arrays() {
  // [arrays]
  std::vector<float> host(12, 1.0f);
  kr::array<float, 2> a({3, 4});                       // uninitialised, on the default device
  a.copy_from(host);                                   // C order: the last index is contiguous
  kr::array<float, 2> b({3, 4}, kr::device::cpu());    // on a device of your choice
  b.copy_from(a);                                      // also from another device
  std::vector<float> back = b.to_host();               // waits for the work on b
  // [/arrays]
  expect(back == host, __LINE__);
}

void order() {
  auto twice = kr::kernel([](kr::view<float> v) {
    for (auto i : kr::grid_stride(v.size())) v[i] *= 2.0f;
  });
  kr::array<float> x = kr::to_device(std::vector<float>{1, 2, 3});
  // [streams]
  kr::stream work;
  kr::event begin, end;
  begin.record(work);
  twice.launch({1, 64, work}, x);
  twice.launch({1, 64, work}, x);                      // after the first
  end.record(work);
  work.synchronize();
  double ms = end.elapsed_ms_since(begin);
  // [/streams]
  expect(ms >= 0, __LINE__);
  expect(std::vector<float>(x.to_host()) == std::vector<float>{4, 8, 12}, __LINE__);
  // [call_host]
  kr::stream urgent(kr::device(), kr::priority::high);
  end.wait(urgent);                                    // later work in `urgent` runs after `end`
  twice.launch({1, 64, urgent}, x);
  urgent.call_host([&] { std::puts("doubled"); });     // runs in a thread of CUDA's driver: it must not use the device
  urgent.synchronize();                                // throws the function's exception
  // [/call_host]
  // [async]
  kr::pinned<float> in(x.size()), out(x.size());       // memory that GPUs copy from and to directly
  std::fill(in.begin(), in.end(), 3.0f);
  kr::copy_async(in, x, work);
  twice.launch({1, 64, work}, x);
  kr::copy_async(x, out, work);
  work.synchronize();                                  // until here `in` and `out` belong to the stream
  // [/async]
  expect(std::vector<float>(out.begin(), out.end()) == std::vector<float>{6, 6, 6}, __LINE__);
  // [graph]
  kr::graph both([&] {
    twice.launch({1, 64}, x);                          // nothing runs here
    twice.launch({1, 64}, x);
  });
  both.launch();
  both.launch();
  // [/graph]
  expect(std::vector<float>(x.to_host()) == std::vector<float>{96, 96, 96}, __LINE__);
}

void captures() {
  std::vector<float> x{1, 2};
  // [captures]
  float factor = 2;
  auto scale = kr::vectorize([&](auto v) { return factor * v; });
  std::vector<float> first = scale(x);                 // recorded here: factor is always 2 in this kernel
  factor = 3;
  std::vector<float> second = scale(x);                // still 2
  // [/captures]
  expect(first == std::vector<float>{2, 4} && second == first, __LINE__);
}

void inspection() {
  auto add = kr::vectorize([](auto x, auto y) { return x + y; });
  (void)add(1.0f, 2.0f);
  // [inspection]
  std::puts(add.ir().c_str());                         // the specialisation that was called last
  std::puts(add.ptx("ptx sm=90 isa=80").c_str());      // for a device that this machine need not have
  // [/inspection]
}

void errors() {
  auto broken = kr::kernel([](kr::view<float>) {});
  std::vector<float> x(4);
  bool caught = false;
  // [errors]
  try {
    broken.launch({1, 1 << 20}, x);
  } catch (const kr::error& e) {
    std::fprintf(stderr, "%s\n", e.message());         // names the kernel with file and line, and the device's limit
    caught = e.kind() == kr::error::kind_type::usage;
  }
  // [/errors]
  expect(caught, __LINE__);
}

}  // namespace

int main() try {
  elementwise(), generalized(), kernels(), arrays(), order(), captures(), inspection(), errors();
  return failures != 0;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
