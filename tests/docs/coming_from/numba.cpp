// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of docs/coming-from-numba.md, run. `// section: …` begins a table, `// row: LEFT -- note` a row, whose right side is the code up to
// what stores or compares its result. docs/make_tables.py writes them into the page; the test docs.tables holds the page to this file.
#include <krait/krait.h>
#include <krait/algorithm/convolve.h>
#include <krait/algorithm/loops.h>
#include <krait/algorithm/methods.h>
#include <krait/async.h>
#include <krait/function_pointer.h>
#include <krait/guvectorize.h>

#include "rows.h"

namespace kr = krait;
using rows::expect;
using rows::has;

static void functions() {
  std::vector<float> x{1, 2, 3, 4}, y{5, 6, 7, 8};
  auto d = kr::to_device(x);
  // section: Functions of elements
  // row: @vectorize def f(a, b): return a * b + 1
  auto f = kr::vectorize([](auto a, auto b) { return a * b + 1; });
  std::vector<float> z = f(x, y);
  has(z, {6, 13, 22, 33});
  // row: @vectorize([float32(float32), float64(float64)]) -- compiled at once
  auto typed = kr::vectorize<float(float), double(double)>([](auto a) { return a * a; });
  std::vector<float> squares = typed(x);
  has(squares, {1, 4, 9, 16});
  // row: f(x, y, out)
  f.into(d)(x, y);
  has(d, {6, 13, 22, 33});
  // row: f.reduce(x), f.accumulate(x), f.outer(x, y)
  auto add = kr::vectorize([](auto a, auto b) { return a + b; });
  float total = add.reduce(d);
  expect(total == 74);
  // row: @guvectorize([…], "(n),()->(n)")
  auto shift = kr::guvectorize<"(n),()->(n)">([](auto row, auto by, auto out) {
    for (auto i : kr::range(row.size())) out[i] = row[i] + by;
  });
  std::vector<float> shifted = shift(x, 2.0f);
  has(shifted, {3, 4, 5, 6});
  // row: @njit(parallel=True) … prange(n)
  kr::parallel_for(4, [](auto i, auto to) { to[i] = 2.0f * to[i]; }, d);
  has(d, {12, 26, 44, 66});
  // row: s += … in a prange loop
  float sum = kr::reduce(4, 0.0f, [](auto a, auto b) { return a + b; }, [](auto i, auto from) { return from[i]; }, d);
  expect(sum == 148);
  // row: @stencil def k(a): return a[-1] + a[1]
  auto neighbours = kr::stencil([](auto at) { return at(-1) + at(1); }, d);
  has(neighbours, {26, 56, 92, 44});
  // row: @cfunc("float64(float64)") -- a C function, for libraries that call back
  kr::function_pointer<double(double)> half([](auto v) { return v / 2; });
  double (*pointer)(double) = half;
  expect(pointer(3.0) == 1.5);
  // row: fastmath=True
  auto fast = kr::vectorize([](auto a) { return kr::exp(a); }, {.fp = kr::fp::fast});
  has(fast(x), {2.7182818, 7.3890561, 20.085537, 54.59815}, 1e-3);
  // row: error_model="python" -- an error of the launch where a check fails: `x / 0` of integers is 0
  auto checked = kr::vectorize([](auto a) {
    kr::check(a != 0, "division by {}", a);
    return 1 / a;
  });
  has(checked(x), {1, 0.5, 1.0 / 3, 0.25}, 1e-6);
  // row: f.inspect_llvm(), f.inspect_asm() -- also `krait dump --emit llvm,asm --run ./program`
  auto ir = f.ir();
  expect(ir.size() > 0);
  // row: f.signatures
  std::puts(f.types().c_str());
}

static void kernels() {
  auto out = kr::zeros<float>({12, 8});
  auto x = kr::arange(0.0f, 8.0f);
  auto counts = kr::zeros<int>(4);
  const float host_table[] = {2, 4, 8, 16};
  // section: Kernels: numba.cuda
  // row: @cuda.jit def k(out, x, counts): …
  auto k = kr::kernel([&](kr::view<float, 2> out, kr::view<const float> x, kr::view<int> counts) {
    // row: cuda.grid(1), cuda.grid(2)
    auto t = kr::grid<1>();
    out(0, t) = kr::cast<float>(t);
    // row: cuda.gridsize(1)
    auto all = kr::gridsize<1>();
    out(1, t) = kr::cast<float>(all);
    // row: cuda.threadIdx.x, cuda.blockIdx.x, cuda.blockDim.x
    auto i = kr::thread_idx().x, block = kr::block_idx().x, threads = kr::block_dim().x;
    out(2, t) = kr::cast<float>(block * threads + i);
    // row: for i in range(t, n, cuda.gridsize(1))
    for (auto j : kr::grid_stride(x.size())) out(3, j) = x[j];
    // row: if x[t] > 3: …
    kr::if_(x[t] > 3.0f, [&] { out(4, t) = 1.0f; });
    // row: cuda.shared.array(4, float32)
    auto s = kr::shared<float, 4>();
    s[i] = x[t];
    // row: cuda.shared.array(0, float32) -- dynamic: computed at each launch
    auto d = kr::dynamic_shared<float>(threads);
    d[i] = x[t];
    // row: cuda.local.array(8, float32)
    auto own = kr::local<float, 8>();
    own[i] = x[t];
    // row: cuda.const.array_like(table)
    auto table = kr::constant(host_table);
    out(5, t) = table[i] + own[i];
    // row: cuda.syncthreads()
    kr::syncthreads();
    out(6, t) = s[3 - i] + d[3 - i];
    // row: cuda.atomic.add(counts, 0, 1)
    kr::atomic(counts[0]).add(1);
    // row: cuda.atomic.cas(counts, 1, 0, 7)
    kr::atomic(counts[1]).compare_exchange(0, 7);
    // row: cuda.laneid, cuda.warpsize
    auto lane = kr::lane_id(), lanes = kr::warp_size();
    out(7, t) = kr::cast<float>(lane + lanes);
    // row: cuda.shfl_sync(m, v, 0), cuda.ballot_sync(m, p)
    auto first = kr::warp::shfl(x[t], 0);
    out(8, t) = first;
    // row: cuda.popc(n), cuda.clz(n), cuda.brev(n)
    auto bits = kr::popcount(t);
    out(9, t) = kr::cast<float>(bits);
    // row: cuda.selp(p, a, b), cuda.fma(a, b, c)
    auto chosen = kr::select(x[t] > 3.0f, kr::fma(x[t], 2.0f, 1.0f), 0.0f);
    out(10, t) = chosen;
    // row: xoroshiro128p_uniform_float32(states, t) -- the same bits with `kr::xoroshiro`; `kr::philox` has no states
    auto u = kr::philox(7, t).uniform_float(0);
    out(11, t) = kr::select(u < 1.0f, 1.0f, 0.0f);
    // row: @cuda.jit(device=True) def g(v): … -- any C++ function or lambda
    auto g = [](auto v) { return v + 1; };
    out(11, t) += g(x[t]) * 0.0f;
    // row: print(t)
    kr::if_(t == 0, [&] { kr::print("{}", t); });
  });
  // row: k[2, 4](out, x, counts) -- in C++23 `k[2, 4](out, x, counts)`
  k.launch({2, 4}, out, x, counts);
  has(out(0), {0, 1, 2, 3, 4, 5, 6, 7});
  has(out(1), {8, 8, 8, 8, 8, 8, 8, 8});
  has(out(2), {0, 1, 2, 3, 4, 5, 6, 7});
  has(out(3), {0, 1, 2, 3, 4, 5, 6, 7});
  has(out(4), {0, 0, 0, 0, 1, 1, 1, 1});
  has(out(5), {2, 5, 10, 19, 6, 9, 14, 23});
  has(out(6), {6, 4, 2, 0, 14, 12, 10, 8});
  has(out(7), {32, 33, 34, 35, 32, 33, 34, 35});
  has(out(8), {0, 0, 0, 0, 4, 4, 4, 4});
  has(out(9), {0, 1, 1, 2, 1, 2, 2, 3});
  has(out(10), {0, 0, 0, 0, 9, 11, 13, 15});
  has(out(11), {1, 1, 1, 1, 1, 1, 1, 1});
  has(counts, {8, 7, 0, 0});
  auto scale = kr::kernel([](auto v) {
    for (auto i : kr::grid_stride(v.size())) v[i] *= 2.0f;
  });
  // row: k.forall(8)(x) -- at least so many threads: the kernel guards the rest
  scale.forall(8)(x);
  has(x, {0, 2, 4, 6, 8, 10, 12, 14});
  // row: cuda.jit(max_registers=32) -- also `.max_threads`, `.min_blocks`
  auto bounded = kr::kernel([](auto v) { v[kr::grid()] *= 0.5f; }, {.max_registers = 32});
  bounded.launch({2, 4}, x);
  // row: cuda.jit(debug=True, opt=False) -- accesses out of bounds are errors; `KRAIT_CHECK=1` for all kernels
  auto safe = kr::kernel([](auto v) { v[kr::grid()] += 0.0f; }, {.checked = true});
  safe.launch({2, 4}, x);
  has(x, {0, 1, 2, 3, 4, 5, 6, 7});
}

static void memory() {
  std::vector<float> v{1, 2, 3, 4};
  // section: Memory, streams and the environment
  // row: cuda.to_device(v)
  auto d = kr::to_device(v);
  // row: d.copy_to_host()
  std::vector<float> h = d.to_host();
  has(h, {1, 2, 3, 4});
  // row: cuda.device_array((2, 2), np.float32)
  kr::array<float, 2> a({2, 2});
  expect(a.size() == 4);
  // row: cuda.pinned_array(4), cuda.managed_array(4)
  kr::pinned<float> p(4);
  auto m = kr::managed<float>(4);
  expect(p.size() == 4 && m.size() == 4);
  // row: s = cuda.stream(); s.synchronize()
  kr::stream s;
  s.synchronize();
  // row: cuda.event(), cuda.event_elapsed_time(b, e)
  kr::event b, e;
  b.record(), e.record();
  expect(e.elapsed_ms_since(b) >= 0);
  // row: cuda.list_devices(), cuda.gpus -- `krait devices` on the command line
  auto devices = kr::devices();
  expect(devices.size() >= 1);
  // row: cuda.synchronize()
  kr::synchronize();
  // row: cache=True -- always on; `kr::stats()` counts what came from the disk
  auto found = kr::stats().from_disk();
  expect(found + kr::stats().compiled() > 0);
}

int main() {
  functions(), kernels(), memory();
  return rows::result();
}
