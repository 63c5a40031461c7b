// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/dist.md: what stands between `// [name]` and `// [/name]` is quoted there, and here it is run, on threads.
#include <cmath>
#include <cstdio>
#include <utility>

#include <krait/dist.h>
#include <krait/krait.h>
namespace kr = krait;

namespace {

int failures = 0;
void expect(bool holds, int line) {
  if (!holds) std::printf("dist_snippets.cpp:%d does not hold\n", line), ++failures;
}

double heat(kr::dist::world& ranks, int n, int steps) {
  // [heat]
  kr::dist::array<double, 2> t(ranks, {n, n}, kr::dist::halo(1));
  auto next = kr::dist::like(t);
  kr::dist::fill(t, [](auto i, auto j) { return kr::exp(-0.01 * kr::cast<double>(i * i + j * j)); });  // indices of the whole plate
  for (int step = 0; step < steps; ++step) {
    kr::dist::stencil([](auto at) {
      return at(0, 0) + 0.1 * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4.0 * at(0, 0));
    }, t, next);                                            // exchanges, and computes the inner elements meanwhile
    std::swap(t, next);
  }
  double total = kr::sum(t);                                // the same number on all ranks
  // [/heat]
  return total;
}

double own_kernel(kr::dist::world& ranks, int n, int steps) {
  kr::dist::array<double, 2> t(ranks, {n, n}, kr::dist::halo(1));
  auto next = kr::dist::like(t);
  kr::dist::fill(t, [](auto i, auto j) { return kr::exp(-0.01 * kr::cast<double>(i * i + j * j)); });
  // [kernel]
  auto heat = kr::kernel([](kr::view<const double, 2> in, kr::view<double, 2> out) {   // as on one device
    auto [x, y] = kr::grid<2>();
    auto i = y + 1, j = x + 1;
    kr::if_(i < in.extent(0) - 1 && j < in.extent(1) - 1, [&] {
      out(i, j) = in(i, j) + 0.1 * (in(i - 1, j) + in(i + 1, j) + in(i, j - 1) + in(i, j + 1) - 4.0 * in(i, j));
    });
  });
  const kr::dims blocks((t.local().extent(1) + 63) / 64, t.local().extent(0));
  for (int step = 0; step < steps; ++step) {
    kr::dist::exchange(t);                                  // the neighbours' edges, corners included
    heat.launch({blocks, kr::dims(64, 1)}, t.local(), next.local());
    std::swap(t, next);
  }
  // [/kernel]
  return kr::sum(t);
}

double conjugate_gradients(kr::dist::world& ranks, int n) {
  // [cg]
  kr::dist::array<double, 2> x(ranks, {n, n}), r(ranks, {n, n}), y(ranks, {n, n}), d(ranks, {n, n}, kr::dist::halo(1));
  kr::dist::fill(r, [](auto i, auto j) { return kr::cast<double>((i * 7 + j * 3) % 5 - 2); });  // the right side
  d = r * 1.0;
  double rr = kr::sum(r * r);
  for (int step = 0; step < 500 && rr > 1e-20; ++step) {
    kr::dist::stencil([](auto at) { return 4.0 * at(0, 0) - at(-1, 0) - at(1, 0) - at(0, -1) - at(0, 1); }, d, y);
    const double a = rr / kr::sum(d * y);
    x += a * d;
    r -= a * y;
    const double now = kr::sum(r * r);
    d = r + (now / rr) * d;
    rr = now;
  }
  // [/cg]
  return rr;
}

void parts(kr::dist::world& ranks) {
  // [parts]
  using kr::dist::block, kr::dist::whole;
  kr::dist::array<float, 2> rows(ranks, {480, 640}, {block, whole});            // each rank has some rows
  kr::dist::array<float, 2> wrapped(ranks, {480, 640}, kr::dist::halo(2, 1).periodic(0));
  rows = 2.0f;
  auto inside = wrapped.owned();                            // this rank's elements: a view, without messages
  auto from = wrapped.first(0);                             // the index of its first row in the whole array
  float one = kr::dist::at(rows, 0, 0);                     // on all ranks
  kr::array<float, 2> all = kr::dist::gather(rows);         // on rank 0; the others get no elements
  kr::dist::scatter(all, rows);                             // and back
  double same = kr::sum(rows, kr::dist::reproducible);      // the same bits on any number of ranks
  // [/parts]
  expect(one == 2 && same == 2.0 * 480 * 640 && inside.size() > 0 && from >= 0, __LINE__);
}

}  // namespace

int main() {
  try {
    double one[3] = {}, three[3] = {};
    const auto all = [](double* to) {
      return [to](kr::dist::world& ranks) {
        const double got[] = {heat(ranks, 40, 20), own_kernel(ranks, 40, 20), conjugate_gradients(ranks, 20)};
        parts(ranks);
        if (ranks.rank() == 0) for (int i = 0; i < 3; ++i) to[i] = got[i];
      };
    };
    kr::dist::run(1, all(one));
    kr::dist::run(3, all(three));
    expect(std::abs(one[0] - three[0]) < 1e-10 && std::abs(one[0] - one[1]) < 1e-10 && std::abs(three[0] - three[1]) < 1e-10, __LINE__);
    expect(one[2] <= 1e-20 && three[2] <= 1e-20, __LINE__);
  } catch (const std::exception& e) {
    std::puts(e.what());
    return 1;
  }
  return failures != 0;
}
