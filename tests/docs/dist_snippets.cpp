// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/dist.md: what stands between `// [name]` and `// [/name]` is quoted there, and here it is run, on threads.
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <krait/dist/algorithms.h>
#include <krait/dist/files.h>
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
  kr::dist::array<double, 2> x(ranks, {n, n}), r(ranks, {n, n}), d(ranks, {n, n}, kr::dist::halo(1));
  kr::dist::fill(r, [](auto i, auto j) { return kr::cast<double>((i * 7 + j * 3) % 5 - 2); });  // the right side
  d = r * 1.0;
  double rr = kr::sum(r * r);
  for (int step = 0; step < 500 && rr > 1e-20; ++step) {
    kr::dist::exchange(d);
    const auto at = [&](int i, int j) { return kr::dist::shifted(d, i, j); };
    const auto y = 4.0 * d - at(-1, 0) - at(1, 0) - at(0, -1) - at(0, 1);  // the matrix times d: no array
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

// [multigrid]
struct level {
  kr::dist::array<double, 2> u, f, r;                       // u with a halo
};
void cycle(std::vector<level>& levels, std::size_t depth) {
  auto &u = levels[depth].u, &f = levels[depth].f, &r = levels[depth].r;
  const auto residual = [&] {
    kr::dist::stencil([](auto at) { return 4.0 * at(0, 0) - at(-1, 0) - at(1, 0) - at(0, -1) - at(0, 1); }, u, r);
    r = f - r;
  };
  for (int step = 0; step < 3; ++step) residual(), u += 0.2 * r;
  if (depth + 1 < levels.size()) {
    residual();
    level& coarse = levels[depth + 1];
    const auto even = kr::range(0, kr::end, 2), odd = kr::range(1, kr::end, 2);
    auto from = r.owned(), to = coarse.f.owned();           // halves of each block: no messages
    to(kr::all, kr::all) = 0.5 * (from(even, even) + from(odd, even) + from(even, odd) + from(odd, odd));
    coarse.u = 0.0;
    cycle(levels, depth + 1);
    auto fine = u.owned();
    for (const auto& i : {even, odd}) for (const auto& j : {even, odd}) fine(i, j) += coarse.u.owned();
  }
  for (int step = 0; step < 3; ++step) residual(), u += 0.2 * r;
}
// [/multigrid]

/// By how much cycles make the residual smaller.
double multigrid(kr::dist::world& ranks, std::int64_t n) {
  std::vector<level> levels;
  for (; n % (2 * ranks.size()) == 0; n /= 2)
    levels.push_back({{ranks, {n, n}, {kr::dist::block, kr::dist::whole}, kr::dist::halo(1)}, {ranks, {n, n}, {kr::dist::block, kr::dist::whole}}, {ranks, {n, n}, {kr::dist::block, kr::dist::whole}}});
  kr::dist::fill(levels[0].f, [](auto i, auto j) { return kr::cast<double>((i * 7 + j * 3) % 5 - 2); });
  const double first = kr::sum(levels[0].f * levels[0].f);
  for (int k = 0; k < 12; ++k) cycle(levels, 0);
  return kr::sqrt(kr::sum(levels[0].r * levels[0].r) / first);
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
  kr::dist::gather(rows, all);                              // into an array that is there: no new memory
  double same = kr::sum(rows, kr::dist::reproducible);      // the same bits on any number of ranks
  // [/parts]
  expect(one == 2 && same == 2.0 * 480 * 640 && inside.size() > 0 && from >= 0, __LINE__);
}

double overlapped(kr::dist::world& ranks, int n, int steps) {
  auto heat = kr::kernel([](kr::view<const double, 2> in, kr::view<double, 2> out) {
    auto [x, y] = kr::grid<2>();
    auto i = y + 1, j = x + 1;
    kr::if_(i < in.extent(0) - 1 && j < in.extent(1) - 1, [&] {
      out(i, j) = in(i, j) + 0.1 * (in(i - 1, j) + in(i + 1, j) + in(i, j - 1) + in(i, j + 1) - 4.0 * in(i, j));
    });
  });
  kr::dist::array<double, 2> t(ranks, {n, n}, kr::dist::halo(1)), next(ranks, {n, n}, kr::dist::halo(1));
  kr::dist::fill(t, [](auto i, auto j) { return kr::exp(-0.01 * kr::cast<double>(i * i + j * j)); });
  // [overlap]
  auto run = [&](const kr::array<double, 2>& in, kr::array<double, 2>&& out) {
    if (in.size() > 0) heat.launch({kr::dims((in.extent(1) + 63) / 64, in.extent(0)), kr::dims(64, 1)}, in, out);
  };
  for (int step = 0; step < steps; ++step) {
    auto coming = kr::dist::exchange_begin(t);              // the neighbours' edges are under way
    run(t.inner(), next.inner());                           // what needs no halo
    coming.wait();
    auto from = t.edges(), to = next.edges();
    for (std::size_t e = 0; e < from.size(); ++e) run(from[e], std::move(to[e]));
    std::swap(t, next);
  }
  // [/overlap]
  return kr::sum(t);
}

void ordered(kr::dist::world& ranks) {
  const int n = 1000;
  // [order]
  kr::dist::array<float> x(ranks, {n});
  kr::dist::generator random(42);
  random.normal(x);                                         // the numbers of kr::generator(42).normal<float>(n)
  auto sorted = kr::sort(x);                                // by samples; in blocks again
  float median = kr::dist::at(sorted, n / 2);
  auto counts = kr::histogram(x, 20, -4.0, 4.0);            // the same on all ranks
  auto before = kr::cumsum(counts);
  auto different = kr::unique(kr::trunc(x));
  // [/order]
  expect(std::abs(median) < 0.2f && counts.size() == 20 && kr::max(before) <= n && different.size() > 3, __LINE__);
}

void pi(kr::dist::world& ranks) {
  // [pi]
  kr::dist::array<double> x(ranks, {1000000}), y(ranks, {1000000});
  kr::dist::generator random(7);
  random.uniform(x), random.uniform(y);
  double pi = 4.0 * kr::mean(kr::cast<double>(x * x + y * y < 1.0));
  // [/pi]
  expect(std::abs(pi - 3.14159) < 0.01, __LINE__);
}

void products(kr::dist::world& ranks) {
  const int n = 60;
  // [products]
  kr::dist::array<double, 2> a(ranks, {n, n});
  kr::dist::array<double> v(ranks, {n});
  kr::dist::fill(a, [](auto i, auto j) { return 1.0 / kr::cast<double>(i + j + 1); });
  v = 1.0;
  double largest = 0;
  for (int step = 0; step < 30; ++step) {                   // the largest eigenvalue
    auto w = kr::matmul(a, v);
    largest = kr::sqrt(kr::sum(w * w));
    v = w / largest;
  }
  auto squares = kr::matmul(kr::dist::transpose(a), a);     // panels from all ranks
  // [/products]
  expect(std::abs(largest - 2.18) < 0.5 && squares.extent(0) == n, __LINE__);
}

void spectrum(kr::dist::world& ranks) {
  const int n = 64;
  // [spectrum]
  kr::dist::array<double, 2> picture(ranks, {n, n}, {kr::dist::block, kr::dist::whole});
  kr::dist::fill(picture, [](auto i, auto j) { return kr::cast<double>((i * 5 + j * 3) % 7); });
  auto f = kr::fft2(picture);                               // distributed as the picture is
  std::complex<double> sum = kr::dist::at(f, 0, 0);
  auto back = kr::ifft2(f);
  // [/spectrum]
  expect(std::abs(sum.real() - kr::sum(picture)) < 1e-9 && std::abs(kr::dist::at(back, 3, 1) - std::complex<double>(4)) < 1e-12, __LINE__);
}

void paths(kr::dist::world& ranks) {
  const int n = 20;
  // [sweep]
  kr::dist::array<double, 2> t(ranks, {n, n}, {kr::dist::whole, kr::dist::block}, kr::dist::halo(0, 1));
  auto rows = kr::kernel([](kr::view<double, 2> own, kr::value<std::int64_t> first, kr::value<std::int64_t> last) {
    for (auto i : kr::range(kr::max(first, kr::value<std::int64_t>(1)), last))
      for (auto j : kr::range(1, own.extent(1) - 1)) own(i, j) = own(i - 1, j) + own(i, j - 1);   // paths to this place
  });
  t = 1.0;
  kr::dist::sweep(t, 1, 4, [&](auto first, auto last) { rows.launch({1, 1}, t.local(), first, last); });
  double all = kr::dist::at(t, n - 1, n - 1);
  // [/sweep]
  expect(all == 35345263800.0, __LINE__);  // 38 over 19
}

void restart(kr::dist::world& ranks, const std::string& folder) {
  kr::dist::array<double, 2> t(ranks, {30, 20}, kr::dist::halo(1));
  t = 1.0;
  int step = 0;
  // [restart]
  for (; step < 100; ++step) {
    t *= 0.5;
    if (step % 50 == 0) kr::dist::save_checkpoint(ranks, folder, kr::dist::named("t", t), kr::dist::named("step", step));
  }
  // Later, on any number of ranks:
  kr::dist::array<double, 2> again(ranks, {30, 20}, {kr::dist::whole, kr::dist::block});
  kr::dist::load_checkpoint(ranks, folder, kr::dist::named("t", again), kr::dist::named("step", step));
  // [/restart]
  expect(step == 50 && kr::max(again) == std::ldexp(1.0, -51), __LINE__);
}

}  // namespace

int main() {
  try {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("krait-dist-" + std::to_string(::getpid()));
    double one[4] = {}, three[4] = {};
    const auto all = [&folder](double* to) {
      return [to, &folder](kr::dist::world& ranks) {
        const double got[] = {heat(ranks, 40, 20), own_kernel(ranks, 40, 20), conjugate_gradients(ranks, 20), overlapped(ranks, 40, 20)};
        expect(multigrid(ranks, 96) < 1e-6, __LINE__);
        parts(ranks), ordered(ranks), pi(ranks), products(ranks), spectrum(ranks), paths(ranks), restart(ranks, folder);
        if (ranks.rank() == 0) for (int i = 0; i < 4; ++i) to[i] = got[i];
      };
    };
    kr::dist::run(1, all(one));
    kr::dist::run(3, all(three));
    expect(std::abs(one[0] - three[0]) < 1e-10 && std::abs(one[0] - one[1]) < 1e-10 && std::abs(three[0] - three[1]) < 1e-10, __LINE__);
    expect(std::abs(one[3] - one[0]) < 1e-10 && std::abs(three[3] - one[0]) < 1e-10, __LINE__);
    std::filesystem::remove_all(folder);
    expect(one[2] <= 1e-20 && three[2] <= 1e-20, __LINE__);
  } catch (const std::exception& e) {
    std::puts(e.what());
    return 1;
  }
  return failures != 0;
}
