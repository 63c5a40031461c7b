// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/traps.md that compiles, run: what goes wrong does, and the cure helps. Code that must not compile is in tests/errors/compile.
#include <krait/krait.h>
#include <krait/algorithm/compare.h>
#include <krait/algorithm/reduce.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace kr = krait;

// clang-format off
// [members]
struct best { float score; int at; };
auto scored = kr::vectorize([](auto v, auto i) { return kr::value<best>(v, i); });
// [/members]
// clang-format on

namespace {

int wrong = 0;

void expect(bool right, int line = __builtin_LINE()) {
  if (!right) ++wrong, std::printf("line %d: another result\n", line);
}

void expressions() {
  kr::array<float> x = kr::ones<float>(4);
  // [auto]
  auto e = x * 2.0f;               // an expression: nothing is computed
  x.fill(5.0f);
  kr::array<float> y = e;          // computed here, of what x holds now: 10
  // [/auto]
  expect(y(0) == 10.0f);
  x.fill(1.0f);
  // [named]
  kr::array<float> twice = x * 2.0f;  // an array: computed here
  x.fill(5.0f);
  // [/named]
  expect(twice(0) == 2.0f);
}

void elements() {
  kr::array<float> x = kr::ones<float>(4);
  // [element]
  auto v = x(0);                   // the element of the array, read where it is used
  float w = x(0);                  // its number now: 1
  x(0) = 9.0f;
  bool changed = v == 9.0f;        // true
  // [/element]
  expect(changed && w == 1.0f);
  kr::array<float, 2> a = kr::full({2, 4}, 3.0f);
  // [rows]
  for (auto row : a) row = row * 2.0f;  // a row of a loop: its elements are written
  auto first = a(0);
  first = kr::ones<float>(4);      // a name: it refers to another array now, and a keeps its elements
  a(0) = kr::ones<float>(4);       // writes the elements
  first = 5.0f;                    // a number is written to the elements of either
  // [/rows]
  expect(a(1, 2) == 6.0f && a(0, 2) == 1.0f && first(2) == 5.0f);
}

void captures() {
  std::vector<float> x{1, 2};
  // [captured]
  float factor = 2;
  auto scale = kr::vectorize([&](auto v) { return factor * v; });
  std::vector<float> first = scale(x);
  factor = 3;
  std::vector<float> second = scale(x);  // still 2: the kernel has 2 as a constant
  // [/captured]
  expect(first == second);
  // [passed]
  auto scaled = kr::vectorize([](auto v, auto by) { return by * v; });
  std::vector<float> third = scaled(x, factor);
  // [/passed]
  expect(third[0] == 3);
}

void variables() {
  std::vector<float> x{1, 2, 3}, out(1);
  // [copied]
  auto lost = kr::kernel([](kr::view<const float> x, kr::view<float> out) {
    kr::var sum = 0.0f;
    auto add = [=](auto v) mutable { sum += v; };  // a copy of a kr::var is another local
    for (auto i : kr::range(x.size())) add(x[i]);
    out[0] = sum;                                  // 0
  });
  // [/copied]
  lost.launch({1, 1}, x, out);
  expect(out[0] == 0);
  // [referred]
  auto kept = kr::kernel([](kr::view<const float> x, kr::view<float> out) {
    kr::var sum = 0.0f;
    auto add = [&](auto v) { sum += v; };
    for (auto i : kr::range(x.size())) add(x[i]);
    out[0] = sum;                                  // 6
  });
  // [/referred]
  kept.launch({1, 1}, x, out);
  expect(out[0] == 6);
}

void loops() {
  std::vector<float> x(4096, 1.0f), out(1);
  // [unrolled]
  const int n = 3000;
  auto unrolled = kr::kernel([=](kr::view<const float> x, kr::view<float> out) {
    kr::var sum = 0.0f;
    for (int i = 0; i < n; ++i) sum += x[i * i % n];     // C++: 3,000 loads and additions are recorded
    out[0] = sum;
  });
  // [/unrolled]
  unrolled.launch({1, 1}, x, out);
  const std::size_t long_text = unrolled.ir().size();
  expect(out[0] == 3000);
  // [looped]
  auto looped = kr::kernel([=](kr::view<const float> x, kr::view<float> out) {
    kr::var sum = 0.0f;
    for (auto i : kr::range(n)) sum += x[i * i % n];  // one loop of the kernel
    out[0] = sum;
  });
  // [/looped]
  looped.launch({1, 1}, x, out);
  expect(out[0] == 3000 && looped.ir().size() * 20 < long_text);
}

void floats() {
  const float u = 1 + 1.0f / 8192, v = 1 - 1.0f / 8192;
  std::vector<float> x{u}, y{v};
  // [contracted]
  auto f = kr::vectorize([](auto a, auto b) { return a * b - 1; }, {.fp = kr::fp::reproducible});
  std::vector<float> z = f(x, y);
  volatile float product = x[0] * y[0];            // rounded, as a processor without fma does it
  bool equal = z[0] == product - 1;                // false: the kernel has fma(a, b, -1)
  // [/contracted]
  expect(!equal);
  // [host]
  bool same = z[0] == kr::fma(x[0], y[0], -1.0f);  // true: the same operation
  auto strict = kr::vectorize([](auto a, auto b) { return a * b - 1; }, {.fp = kr::fp::strict});
  bool plain = strict(x, y)[0] == product - 1;     // true: nothing is contracted
  // [/host]
  expect(same && plain);
  kr::array<float> values = kr::linspace<float>(-3, 3, 1000);
  // [modes]
  auto native = kr::vectorize([](auto a) { return kr::exp(a); });
  auto fast = kr::vectorize([](auto a) { return kr::exp(a); }, {.fp = kr::fp::fast});
  kr::array<float> p = native(values), q = fast(values);
  bool bits = kr::array_equal(p, q);               // two modes promise bounds of error, not equal bits
  bool near = kr::allclose(p, q);                  // compares with a tolerance
  // [/modes]
  (void)bits;
  expect(near);
}

void doubles() {
  std::vector<float> x{1};
  // [double]
  auto wide = kr::vectorize([](auto v) { return v * 2.0; });
  std::vector<double> y = wide(x);                 // double: 2.0 is a double, as in C++
  auto narrow = kr::vectorize([](auto v) { return v * 2.0f; });
  std::vector<float> z = narrow(x);
  // [/double]
  expect(y[0] == 2 && z[0] == 2);
}

void minus_one() {
  std::vector<int> x{7, 8, 9}, out(3);
  // [signed]
  auto before = kr::kernel([](kr::view<const int> x, kr::view<int> out) {
    auto i = kr::grid();                           // std::int64_t, so that i - 1 is -1 in the first thread
    kr::if_(i - 1 >= 0 && i < x.size(), [&] { out[i] = x[i - 1]; });
  });
  // [/signed]
  before.launch({1, 4}, x, out);
  expect(out == std::vector<int>({0, 7, 8}));
}

void structs() {
  std::vector<float> x{1, 3};
  std::vector<int> y{3, 5};
  std::vector<best> z = scored(x, y);
  expect(z[1].score == 3 && z[1].at == 5);
}

void table() {
  std::vector<int> at{3, 0};
  // [constant]
  const float squares[] = {0, 1, 4, 9};
  auto look_up = kr::kernel([&](kr::view<const int> at, kr::view<float> out) {
    auto table = kr::constant(squares);            // copied while recording; any index reads it
    for (auto i : kr::grid_stride(out.size())) out[i] = table[at[i]];
  });
  // [/constant]
  std::vector<float> out(2);
  look_up.forall(2)(at, out);
  expect(out == std::vector<float>({9, 0}));
}

void more_threads() {
  kr::array<float> x = kr::zeros<float>(5);
  std::string message;
  // [unguarded]
  auto one = kr::kernel([](kr::view<float> v) { v[kr::grid()] = 1.0f; }, {.name = "one", .checked = true});
  // [/unguarded]
  try {
    one.launch({2, 4}, x);
    kr::synchronize();
  } catch (const kr::error& e) {
    message = e.message();
  }
  std::puts(message.c_str());
  expect(message.find("out of bounds") != std::string::npos);
  // [guarded]
  auto ones = kr::kernel([](kr::view<float> v) {
    for (auto i : kr::grid_stride(v.size())) v[i] = 1.0f;  // or kr::if_(i < v.size(), …)
  });
  // [/guarded]
  ones.forall(5)(x);
  expect(kr::sum(x) == 5);
}

void waiting() {
  if (std::strcmp(kr::device().id(), "cpu") != 0) return;
  std::vector<int> flag(1), out(1);
  std::string message;
  // [waits]
  auto waits = kr::kernel([](kr::view<int> flag, kr::view<int> out) {
    kr::if_(kr::thread_idx().x == 1, [&] {
      kr::while_([&] { return kr::atomic(flag[0]).load() == 0; }, [] {});  // waits for a lane of its own warp
      out[0] = 1;
    });
    kr::if_(kr::thread_idx().x == 0, [&] { kr::atomic(flag[0]).exchange(1); });
  });
  // [/waits]
  try {
    waits.launch({1, 2}, flag, out);
    kr::synchronize();
  } catch (const kr::error& e) {
    message = e.message();
  }
  std::puts(message.c_str());
  expect(message.find("wait") != std::string::npos);
  // [meets]
  auto meets = kr::kernel([](kr::view<int> out) {
    auto flag = kr::shared<int, 1>();
    kr::if_(kr::thread_idx().x == 0, [&] { flag[0] = 1; });
    kr::syncthreads();                             // all threads of the block come here
    kr::if_(kr::thread_idx().x == 1, [&] { out[0] = flag[0]; });
  });
  // [/meets]
  meets.launch({1, 2}, out);
  expect(out[0] == 1);

  // A plain load beside an atomic; all edges lead from vertex 0, which none of them reaches.
  std::vector<int> from(4), to{1, 2, 3, 3}, distance{0, 9, 9, 9};
  // [relax]
  auto relax = kr::kernel([](kr::view<const int> from, kr::view<const int> to, kr::view<int> distance) {
    auto e = kr::grid();
    kr::atomic(distance[to[e]]).min(distance[from[e]] + 1);  // a plain load: a race
  });
  // [/relax]
  relax.launch({1, 4}, from, to, distance);
  expect(distance == std::vector<int>{0, 1, 1, 1});
  auto again = kr::kernel([](kr::view<const int> from, kr::view<const int> to, kr::view<int> distance) {
    auto e = kr::grid();
    // [relaxed]
    kr::atomic(distance[to[e]]).min(kr::atomic(distance[from[e]]).load() + 1);
    // [/relaxed]
  });
  distance = {0, 9, 9, 9};
  again.launch({1, 4}, from, to, distance);
  expect(distance == std::vector<int>{0, 1, 1, 1});
}

}  // namespace

int main() {
  setenv("KRAIT_WAIT_SECONDS", "1", 0);
  expressions(), elements(), captures(), variables(), loops(), floats(), doubles(), minus_one(), structs(), table(), more_threads(), waiting();
  return wrong;
}
