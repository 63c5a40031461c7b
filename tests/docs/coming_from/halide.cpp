// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of docs/coming-from-halide.md, run. `// section: …` begins a table, `// row: LEFT -- note` a row, whose right side is the code up to
// what stores or compares its result. docs/make_tables.py writes them into the page; the test docs.tables holds the page to this file.
#include <krait/krait.h>
#include <krait/algorithm/convolve.h>
#include <krait/algorithm/histogram.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/loops.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/scan.h>
#include <krait/pack.h>
#include <krait/span.h>
#include <krait/tune.h>

#include "rows.h"

namespace kr = krait;
using rows::expect;
using rows::has;

static void algorithms() {
  std::vector<float> pixels{0, 1, 2, 3, 4, 5};
  // section: The algorithm
  // row: Buffer<float> in(pixels, 3, 2); -- rows first: `in(y, x)`; no copy on the CPU
  auto in = kr::wrap(pixels.data(), {2, 3});
  // row: Buffer<float> out(3, 2);
  kr::array<float, 2> out({2, 3}, kr::device::cpu());
  // row: f(x, y) = 2 * in(x, y) + 1; -- element by element
  out(kr::all, kr::all) = 2.0f * in + 1.0f;
  has(out, {1, 3, 5, 7, 9, 11});
  // row: f(x, y) = x + 10 * y; -- by position: a kernel of two dimensions
  auto f = kr::kernel([](kr::view<float, 2> to) {
    auto [x, y] = kr::grid<2>();
    kr::if_(y < to.extent(0) && x < to.extent(1), [&] { to(y, x) = kr::cast<float>(x + 10 * y); });
  });
  // row: f.realize(out)
  f.launch({{1, 1}, {8, 8}}, out);
  has(out, {0, 1, 2, 10, 11, 12});
  // row: f(x, y) = in(x - 1, y) + in(x + 1, y); -- a stencil
  auto sums = kr::stencil([](auto at) { return at(0, -1) + at(0, 1); }, in);
  has(sums, {1, 2, 1, 4, 8, 4});
  // row: BoundaryConditions::repeat_edge(in) -- also `reflect`, `mirror`, `wrap`, `constant`
  auto edges = kr::stencil([](auto at) { return at(0, -1) + at(0, 1); }, in, kr::border::nearest);
  has(edges, {1, 2, 3, 7, 8, 9});
  // row: select(in > 2, in, 0)
  kr::array<float, 2> chosen = kr::where(in > 2.0f, in, 0.0f);
  has(chosen, {0, 0, 0, 3, 4, 5});
  // row: clamp(in, 1, 4)
  kr::array<float, 2> limited = kr::clamp(in, 1.0f, 4.0f);
  has(limited, {1, 1, 2, 3, 4, 4});
  // row: saturating_cast<uint8_t>(in) -- `kr::cast` truncates and saturates
  kr::array<std::uint8_t, 2> bytes = kr::cast<std::uint8_t>(in);
  has(bytes, {0, 1, 2, 3, 4, 5});
  // row: RDom r(0, 3); s(y) += in(r, y);
  auto s = kr::sum(in, kr::axis(1));
  has(s, {3, 12});
  // row: maximum(in(r.x, r.y)), argmax
  float most = kr::max(in);
  auto place = kr::argmax(in);
  expect(most == 5 && place == 5);
  // row: h(clamp(in(r.x, r.y), 0, 5)) += 1;
  auto h = kr::histogram(in.reshape(-1), 3, 0.0, 6.0);
  has(h, {2, 2, 2});
  // row: c(x) = c(x - 1) + in(x, 0); -- a scan
  auto c = kr::cumsum(in, kr::axis(1));
  has(c, {0, 1, 3, 3, 7, 12});
  // row: f(x) = Tuple(min, max) -- a tuple of a function of elements
  auto both = kr::vectorize([](auto v) { return std::tuple{v - 1, v + 1}; });
  auto [below, above] = both(in);
  has(below, {-1, 0, 1, 2, 3, 4});
  has(above, {1, 2, 3, 4, 5, 6});
  // row: Param<float> a; -- another number compiles nothing anew
  auto scaled = kr::kernel([](kr::view<float, 2> to, kr::value<float> a) {
    auto [x, y] = kr::grid<2>();
    kr::if_(y < to.extent(0) && x < to.extent(1), [&] { to(y, x) = a * to(y, x); });
  });

  scaled.launch({{1, 1}, {8, 8}}, out, 2.0f);
  has(out, {0, 2, 4, 20, 22, 24});
  // row: in.dim(0).extent()
  auto width = in.extent(1);
  expect(width == 3);
}

static void schedules() {
  auto in = kr::arange<float>(64 * 64).reshape(64, 64);
  auto out = kr::zeros<float>({64, 64});
  // section: The schedule
  // row: f.vectorize(x, 8).parallel(y) -- automatic: threads are lanes, blocks are shared among the cores
  auto copy = kr::kernel([](kr::view<const float, 2> from, kr::view<float, 2> to) {
    auto [x, y] = kr::grid<2>();
    to(y, x) = from(y, x);
  }, {.name = "copy"});
  // row: f.tile(x, y, xi, yi, 32, 8), f.gpu_tile(…) -- the launch: grid and block, x first
  copy.launch({{2, 8}, {32, 8}}, in, out);
  expect(kr::all(out == in));
  // row: f.gpu_blocks(y).gpu_threads(x) -- Krait picks them
  kr::parallel_for(64, [](auto i, auto to) { to(i, 0) = 1.0f; }, out);
  expect(out(63, 0) == 1.0f);
  // row: f.unroll(xi) -- a loop of C++ unrolls while it is recorded
  auto taps = kr::kernel([](kr::view<const float, 2> from, kr::view<float, 2> to) {
    auto [x, y] = kr::grid<2>();
    kr::var sum = 0.0f;
    for (int k = -1; k <= 1; ++k) sum += from(y, kr::clamp(x + k, 0, from.extent(1) - 1));
    to(y, x) = sum;
  });

  taps.launch({{2, 8}, {32, 8}}, in, out);
  expect(out(0, 1) == 3.0f);
  auto tiled = kr::kernel([](kr::view<const float, 2> from, kr::view<float, 2> to) {
    auto [x, y] = kr::grid<2>();
    auto [tx, ty, tz] = kr::thread_idx();
    // row: g.compute_at(f, xo), g.store_in(GPUShared) -- a shared array that the block fills, and a barrier
    auto tile = kr::shared<float, 8, 32>();
    tile(ty, tx) = 2.0f * from(y, x);
    kr::syncthreads();
    to(y, x) = tile(ty, 31 - tx);
  });
  tiled.launch({{2, 8}, {32, 8}}, in, out);
  expect(out(0, 0) == 62.0f);
  // row: `g` inline, the default -- an expression, or a function that the kernel calls
  kr::array<float, 2> once = kr::sqrt(in * in) + 1.0f;
  expect(once(0, 3) == 4.0f);
  // row: g.compute_root() -- an array between two launches
  kr::array<float, 2> g = in * in;
  kr::array<float, 2> h = g + g.transpose();
  expect(h(0, 1) == 4097.0f);
  // row: f.bound(x, 0, 64), f.specialize(n == 3) -- a number that is part of the code
  auto specialised = kr::kernel([](kr::view<float, 2> to, kr::specialized<int> n) {
    for (auto i : kr::grid_stride(to.extent(0)))
      for (auto k : kr::range(n)) to(i, k) = 5.0f;
  });

  specialised.forall(64)(out, 3);
  expect(out(63, 2) == 5.0f);
  // row: f.compute_with(g) -- several outputs of one function
  auto both = kr::vectorize([](auto v) { return std::tuple{v + 1, v * 2}; });
  auto [plus, twice] = both(in);
  expect(plus(0, 1) == 2.0f && twice(0, 1) == 2.0f);
  // row: f.atomic().parallel(r)
  auto count = kr::kernel([](kr::view<const float, 2> from, kr::view<int> to) {
    auto [x, y] = kr::grid<2>();
    kr::if_(from(y, x) > 100.0f, [&] { kr::atomic(to[0]).add(1); });
  });

  auto counts = kr::zeros<int>(1);
  count.launch({{2, 8}, {32, 8}}, in, counts);
  has(counts, {64 * 64 - 101});
  // row: `autoscheduler` -- no search for a schedule; `kr::tune` measures the candidates that you name
  auto run = [&](const kr::candidate& c) { copy.launch({{64 / c["x"], 64 / c["y"]}, {c["x"], c["y"]}}, in, out); };
  kr::tuned best = kr::tune("copy", {{"x", {16, 32, 64}}, {"y", {1, 4}}}, run, {}, out);
  run(best.choice);
  expect(kr::all(out == in));
  // section: Compiling and looking
  // row: f.compile_jit()
  copy.compile();
  // row: f.compile_to_static_library("f", args, "f", target) -- a file with code for chosen targets
  kr::pack("copy.kpack", {.targets = "x86-64-v3; sm_80; vulkan"}, copy);
  std::remove("copy.kpack");
  // row: get_host_target(), Target("cuda") -- `KRAIT_DEVICE=cuda:0`
  auto device = kr::device::find("cpu");
  std::puts(device.target());
  // row: f.compile_to_lowered_stmt("f.html", {}, HTML) -- `krait dump --html kernels.html --run ./program`
  auto ir = copy.ir();
  expect(ir.size() > 0);
  // row: f.trace_stores(), print_when(x == 0, …) -- in the kernel
  auto printed = kr::kernel([](kr::view<float, 2> to) {
    auto [x, y] = kr::grid<2>();
    kr::if_(x == 0 && y == 0, [&] { kr::print("to(0, 0)={}", to(y, x)); });
  });
  printed.launch({{2, 8}, {32, 8}}, out);
}

int main() {
  algorithms(), schedules();
  return rows::result();
}
