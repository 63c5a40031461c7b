// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of docs/coming-from-cuda.md, run. `// section: …` begins a table, `// row: LEFT -- note` a row, whose right side is the code up to
// what stores or compares its result. docs/make_tables.py writes them into the page; the test docs.tables holds the page to this file.
#include <krait/krait.h>
#include <krait/algorithm/fft.h>
#include <krait/algorithm/histogram.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/random.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/scan.h>
#include <krait/algorithm/select.h>
#include <krait/algorithm/sort.h>
#include <krait/algorithm/sparse.h>
#include <krait/async.h>
#include <krait/native.h>
#include <krait/span.h>
#include <krait/volatile.h>

#include "rows.h"

namespace kr = krait;
using rows::expect;
using rows::has;

/// Two blocks of four threads: each row of `out` has a number per thread.
static kr::array<float, 2> table(int rows) { return kr::zeros<float>({rows, 8}); }

static void positions() {
  auto out = table(12);
  std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8};
  // section: Kernels, threads and blocks
  // row: __global__ void scale(float* x, float a) -- a `kr::value` is a number that each launch passes
  auto scale = kr::kernel([](kr::view<float> x, kr::value<float> a) {
    // row: blockIdx.x * blockDim.x + threadIdx.x -- signed, 64 bits wide
    auto i = kr::grid();
    // row: if (i < n) { … }
    kr::if_(i < x.size(), [&] { x[i] *= a; });
  });
  // row: scale<<<2, 4>>>(x, 2.0f)
  scale.launch({2, 4}, x, 2.0f);
  has(x, {2, 4, 6, 8, 10, 12, 14, 16});
  // row: scale<<<(n + 255) / 256, 256>>>(x, 0.5f) -- chooses grid and block
  scale.forall(x.size())(x, 0.5f);
  has(x, {1, 2, 3, 4, 5, 6, 7, 8});
  // row: template <int BX> __global__ … -- grid and block as constants of the code
  auto fixed = kr::kernel<kr::dims{2}, kr::dims{4}>([](kr::view<float> x) { x[kr::grid()] += 1.0f; });
  fixed(x);
  has(x, {2, 3, 4, 5, 6, 7, 8, 9});
  // row: __launch_bounds__(256, 4)
  auto bounded = kr::kernel([](kr::view<float> x) { x[kr::grid()] -= 1.0f; }, {.max_threads = 256, .min_blocks = 4});
  bounded.launch({2, 4}, x);
  has(x, {1, 2, 3, 4, 5, 6, 7, 8});
  // row: -use_fast_math, __expf, __fdividef -- for one kernel
  auto fast = kr::kernel([](kr::view<float> x) { x[kr::grid()] /= 1.0f; }, {.fp = kr::fp::fast});
  fast.launch({2, 4}, x);
  has(x, {1, 2, 3, 4, 5, 6, 7, 8}, 1e-5);
  auto where = kr::kernel([](kr::view<float, 2> out) {
    auto t = kr::grid();
    // row: threadIdx.x
    auto thread = kr::thread_idx().x;
    out(0, t) = kr::cast<float>(thread);
    // row: blockIdx.x, blockDim.x, gridDim.x
    auto block = kr::block_idx().x, threads = kr::block_dim().x, blocks = kr::grid_dim().x;
    out(1, t) = kr::cast<float>(block * 100 + threads * 10 + blocks);
    // row: blockIdx.x * blockDim.x + threadIdx.x, … .y … -- x first; `kr::grid<3>()` has three, for a launch such as `{{8, 8, 4}, {32, 8, 1}}`
    auto [column, row] = kr::grid<2>();
    out(2, t) = kr::cast<float>(column + row);
    // row: gridDim.x * blockDim.x
    auto all = kr::gridsize();
    out(3, t) = kr::cast<float>(all);
    // row: for (i = …; i < n; i += gridDim.x * blockDim.x)
    for (auto i : kr::grid_stride(out.extent(1))) out(4, i) = 1.0f;
    // row: warpSize
    auto lanes = kr::warp_size();
    out(5, t) = kr::cast<float>(lanes);
    // row: threadIdx.x % warpSize
    auto lane = kr::lane_id();
    out(6, t) = kr::cast<float>(lane);
  });
  where.launch({2, 4}, out);
  has(out(0), {0, 1, 2, 3, 0, 1, 2, 3});
  has(out(1), {42, 42, 42, 42, 142, 142, 142, 142});
  has(out(2), {0, 1, 2, 3, 4, 5, 6, 7});
  has(out(3), {8, 8, 8, 8, 8, 8, 8, 8});
  has(out(4), {1, 1, 1, 1, 1, 1, 1, 1});
  has(out(5), {32, 32, 32, 32, 32, 32, 32, 32});
  has(out(6), {0, 1, 2, 3, 0, 1, 2, 3});
}

static void language() {
  auto out = table(16);
  auto x = kr::arange(0.0f, 8.0f);
  auto square = kr::function([](auto v) { return v * v; });
  const float host_table[] = {2, 4, 8, 16};
  struct point {
    float x, y;
  };
  auto language = kr::kernel([&](kr::view<float, 2> out, kr::view<const float> x, kr::value<point> p,
                                 kr::specialized<int> terms, kr::value<std::array<float, 4>> weights) {
    auto t = kr::grid();
    // section: The language of kernels
    // row: float s = 0; … s += x[t]; -- `auto` is constant; what changes is a kr::var
    kr::var s = 0.0f;
    s += x[t];
    out(0, t) = s;
    // row: if (s > 3) s = 3; else s += 1;
    kr::if_(s > 3.0f, [&] { s = 3.0f; }).else_([&] { s += 1.0f; });
    out(1, t) = s;
    // row: s > 2 ? s : 0 -- computes both sides
    auto chosen = kr::select(s > 2.0f, s, 0.0f);
    out(2, t) = chosen;
    // row: for (int k = 0; k < n; ++k) -- a loop of the kernel; `break_`, `continue_`
    for (auto k : kr::range(x.size())) s += x[k];
    out(3, t) = s;
    // row: #pragma unroll -- a loop of C++ unrolls while it is recorded
    for (int k = 0; k < 4; ++k) s -= x[k];
    out(4, t) = s;
    // row: while (s > 1) s *= 0.5f;
    kr::while_([&] { return s > 1.0f; }, [&] { s *= 0.5f; });
    out(5, t) = s;
    // row: switch (t) { case 1: … }
    kr::switch_(t).case_(1, [&] { s = 10.0f; }).default_([&] { s = 0.0f; });
    out(6, t) = s;
    // row: (int)x[t], __float2int_rz
    auto whole = kr::cast<int>(x[t] * 1.5f);
    out(7, t) = kr::cast<float>(whole);
    // row: __float_as_int(v)
    auto bits = kr::bitcast<int>(x[t]);
    out(8, t) = kr::bitcast<float>(bits);
    // row: __device__ float square(float v) -- any C++ function is inlined; `kr::function` is called
    auto area = square(x[t]);
    out(9, t) = area;
    // row: `p.x` of a struct argument
    auto px = p[&point::x];
    out(10, t) = px;
    // row: template <int N> … N … -- a number that is part of the code, compiled for each value
    for (auto k : kr::range(terms)) s += kr::cast<float>(k);
    out(11, t) = s;
    // row: __constant__ float w[4]; cudaMemcpyToSymbol(…) -- a parameter `kr::value<std::array<float, 4>>`, up to 4 KiB
    auto w = weights[t % 4];
    out(12, t) = w;
    // row: `__constant__` tables that never change -- copied while recording, up to 64 MiB
    auto constants = kr::constant(host_table);
    out(13, t) = constants[t % 4];
    // row: return;
    kr::if_(t > 5, [] { kr::return_(); });
    out(14, t) = 1.0f;
    // row: printf("%d\n", t) -- also `kr::print("{}", t)`
    kr::if_(t == 0, [&] { kr::print("thread %d\n", t); });
    // row: assert(t < 8)
    kr::check(t < 8, "t={}", t);
  });
  language.launch({2, 4}, out, x, point{5, 6}, 3, std::array<float, 4>{1, 2, 3, 4});
  has(out(0), {0, 1, 2, 3, 4, 5, 6, 7});
  has(out(1), {1, 2, 3, 4, 3, 3, 3, 3});
  has(out(2), {0, 0, 3, 4, 3, 3, 3, 3});
  has(out(3), {29, 30, 31, 32, 31, 31, 31, 31});
  has(out(4), {23, 24, 25, 26, 25, 25, 25, 25});
  has(out(6), {0, 10, 0, 0, 0, 0, 0, 0});
  has(out(7), {0, 1, 3, 4, 6, 7, 9, 10});
  has(out(8), {0, 1, 2, 3, 4, 5, 6, 7});
  has(out(9), {0, 1, 4, 9, 16, 25, 36, 49});
  has(out(10), {5, 5, 5, 5, 5, 5, 5, 5});
  has(out(11), {3, 13, 3, 3, 3, 3, 3, 3});
  has(out(12), {1, 2, 3, 4, 1, 2, 3, 4});
  has(out(13), {2, 4, 8, 16, 2, 4, 8, 16});
  has(out(14), {1, 1, 1, 1, 1, 1, 0, 0});
}

static void functions() {
  auto out = table(16);
  auto x = kr::arange(0.0f, 8.0f);
  auto math = kr::kernel([](kr::view<float, 2> out, kr::view<const float> x) {
    auto t = kr::grid();
    auto v = x[t];
    auto n = kr::cast<unsigned>(t);
    // section: Functions
    // row: sqrtf(v), rsqrtf(v), sinf(v), powf(v, 2) -- of the argument's type, without the f
    auto m = kr::sqrt(v) + kr::pow(v, 2.0f) * 0.0f;
    out(0, t) = m * m;
    // row: fmaf(v, v, 1), fminf, fmaxf, fabsf
    auto f = kr::fma(v, v, 1.0f) + kr::min(v, 0.0f) + kr::abs(v) * 0.0f;
    out(1, t) = f;
    // row: sincosf(v, &s, &c)
    auto [sine, cosine] = kr::sincos(v);
    out(2, t) = kr::rint(sine * sine + cosine * cosine);
    // row: __popc(n), __clz(n), __ffs(n), __brev(n)
    auto bits = kr::popcount(n) + 0 * (kr::clz(n) + kr::ffs(n));
    out(4, t) = kr::cast<float>(bits);
    // row: __byte_perm(n, n, 0x0123)
    auto swapped = kr::byte_permute(n, n, 0x0123u);
    out(5, t) = kr::cast<float>(swapped >> 24);
    // row: __umulhi(n, n), __usad(n, 4, 0)
    auto high = kr::mul_hi(n, n) + kr::sad(n, 4u, 0u);
    out(6, t) = kr::cast<float>(high);
    // row: __dp4a(n, n, 1)
    auto dot = kr::dot4(n, n, 1u);
    out(7, t) = kr::cast<float>(dot);
    // row: __funnelshift_l(n, n, 8)
    auto rotated = kr::rotl(n, 8);
    out(8, t) = kr::cast<float>(rotated >> 8);
    // row: make_float3(v, v, v), float3 -- with operators, dot, cross, normalize
    auto p = kr::make_vec(v, v, v);
    out(9, t) = kr::dot(p, p);
    // row: __half2float(h), half -- also `kr::bf16`, `kr::f8e4m3`, `kr::f8e5m2`
    auto h = kr::cast<kr::f16>(v);
    out(10, t) = kr::cast<float>(h);
    // row: curand_uniform(&state) -- a function of seed, stream and draw; no state
    auto random = kr::philox(42, t, 0).uniform_float(0);
    out(11, t) = kr::select(random >= 0.0f && random < 1.0f, 1.0f, 0.0f);
    // row: asm("…") -- `$0` is the result; other devices run the lambda
    auto sum = kr::inline_asm<float>("add.f32 $0, $1, $2;", [](auto a, auto b) { return a + b; }, v, 1.0f);
    out(12, t) = sum;
    // row: clock64(), __nanosleep(20)
    auto start = kr::clock();
    out(13, t) = kr::select(kr::clock() >= start, 1.0f, 0.0f);
  });
  math.launch({2, 4}, out, x);
  has(out(0), {0, 1, 2, 3, 4, 5, 6, 7}, 1e-5);
  has(out(1), {1, 2, 5, 10, 17, 26, 37, 50});
  has(out(2), {1, 1, 1, 1, 1, 1, 1, 1});
  has(out(4), {0, 1, 1, 2, 1, 2, 2, 3});
  has(out(5), {0, 1, 2, 3, 4, 5, 6, 7});
  has(out(6), {4, 3, 2, 1, 0, 1, 2, 3});
  has(out(7), {1, 2, 5, 10, 17, 26, 37, 50});
  has(out(8), {0, 1, 2, 3, 4, 5, 6, 7});
  has(out(9), {0, 3, 12, 27, 48, 75, 108, 147});
  has(out(10), {0, 1, 2, 3, 4, 5, 6, 7});
  has(out(11), {1, 1, 1, 1, 1, 1, 1, 1});
  has(out(12), {1, 2, 3, 4, 5, 6, 7, 8});
  has(out(13), {1, 1, 1, 1, 1, 1, 1, 1});
}

static void blocks() {
  auto out = table(20);
  auto x = kr::arange(0.0f, 8.0f);
  auto counts = kr::zeros<int>(8);
  auto block = kr::kernel([](kr::view<float, 2> out, kr::view<const float> x, kr::view<int> counts) {
    auto t = kr::grid(), i = kr::thread_idx().x;
    // section: Blocks, warps and atomics
    // row: __shared__ float s[4];
    auto s = kr::shared<float, 4>();
    s[i] = x[t];
    // row: extern __shared__ float d[]; -- the size is computed at each launch
    auto d = kr::dynamic_shared<float>(kr::block_dim().x);
    d[i] = x[t] * 2.0f;
    // row: float own[8]; -- indexed by traced values; `kr::var<float> own[8]` stays in registers
    auto own = kr::local<float, 8>();
    own[i] = 1.0f;
    // row: __syncthreads()
    kr::syncthreads();
    out(0, t) = s[3 - i] + d[3 - i] + own[i];
    // row: __syncthreads_count(p), _and, _or
    auto many = kr::syncthreads_count(i > 0);
    out(1, t) = kr::cast<float>(many);
    // row: __threadfence(), __threadfence_block()
    kr::fence(kr::scope::device);
    // row: __syncwarp()
    kr::syncwarp();
    // row: __ballot_sync(m, p) -- over the active lanes: masks are not named
    auto votes = kr::warp::ballot(i > 1);
    out(2, t) = kr::cast<float>(votes);
    // row: __any_sync(m, p), __all_sync(m, p), __activemask()
    auto any = kr::warp::any(i > 2);
    out(3, t) = kr::select(any, 1.0f, 0.0f);
    // row: __shfl_sync(m, v, 0), __shfl_up_sync, __shfl_down_sync
    auto first = kr::warp::shfl(x[t], 0);
    out(4, t) = first;
    // row: __shfl_xor_sync(m, v, 1)
    auto neighbour = kr::warp::shfl_xor(x[t], 1);
    out(5, t) = neighbour;
    // row: __match_any_sync(m, v)
    auto same = kr::warp::match_any(i / 2);
    out(6, t) = kr::cast<float>(same);
    // row: __reduce_add_sync(m, v), cg::reduce -- of floats, too
    auto total = kr::warp::reduce(x[t]);
    out(7, t) = total;
    // row: cub::WarpScan -- also `inclusive_scan`
    auto before = kr::warp::exclusive_scan(x[t]);
    out(8, t) = before;
    // row: cg::coalesced_threads().thread_rank() == 0
    auto leader = kr::warp::elect();
    out(9, t) = kr::select(leader, 1.0f, 0.0f);
    // row: atomicAdd(&c[0], 1)
    kr::atomic(counts[0]).add(1);
    // row: atomicMax(&c[1], i), atomicExch, atomicAnd, atomicInc … -- `exchange`, `and_`, `inc` …
    kr::atomic(counts[1]).max(kr::cast<int>(i));
    // row: atomicCAS(&c[2], 0, 7)
    auto old = kr::atomic(counts[2]).compare_exchange(0, 7);
    out(10, t) = kr::cast<float>(old * 0);
    // row: cuda::atomic_ref(c[3]).fetch_add(1, memory_order_release)
    kr::atomic(counts[3]).add(1, kr::order::release);
    // row: volatile int* f
    kr::volatile_view flags(counts);
    out(11, t) = kr::cast<float>(flags.load(4));
    // row: __ldcs(&x[t]), __stcs(&y[t], v)
    kr::store_streaming(out(12, t), kr::load_streaming(x[t]));
  });
  block.launch({2, 4}, out, x, counts);
  has(out(0), {10, 7, 4, 1, 22, 19, 16, 13});
  has(out(1), {3, 3, 3, 3, 3, 3, 3, 3});
  has(out(2), {12, 12, 12, 12, 12, 12, 12, 12});
  has(out(3), {1, 1, 1, 1, 1, 1, 1, 1});
  has(out(4), {0, 0, 0, 0, 4, 4, 4, 4});
  has(out(5), {1, 0, 3, 2, 5, 4, 7, 6});
  has(out(6), {3, 3, 12, 12, 3, 3, 12, 12});
  has(out(7), {6, 6, 6, 6, 22, 22, 22, 22});
  has(out(8), {0, 0, 1, 3, 0, 4, 9, 15});
  has(out(9), {1, 0, 0, 0, 1, 0, 0, 0});
  has(out(12), {0, 1, 2, 3, 4, 5, 6, 7});
  has(counts, {8, 3, 7, 8, 0, 0, 0, 0});
  auto rounds = kr::kernel([](kr::view<float> from, kr::view<float> to) {
    auto t = kr::grid();
    to[t] = from[t] + 1.0f;
    // row: cg::this_grid().sync(), cudaLaunchCooperativeKernel -- any launch; CUDA, the CPU and the interpreter
    kr::grid_sync();
    from[t] = to[7 - t];
  });
  auto y = kr::zeros<float>(8);
  rounds.launch({2, 4}, x, y);
  has(x, {8, 7, 6, 5, 4, 3, 2, 1});
}

static void host() {
  std::vector<float> v{3, 1, 2, 4};
  auto scale = kr::kernel([](kr::view<float> x) { x[kr::grid()] *= 2.0f; });
  // section: Memory, streams, devices
  // row: cudaMalloc(&x, 4 * sizeof(float)) -- freed with its last owner
  kr::array<float> x(4);
  // row: cudaMemcpy(x, v, …, cudaMemcpyHostToDevice)
  x.copy_from(v);
  // row: cudaMemcpy(v, x, …, cudaMemcpyDeviceToHost) -- also `v = x.to_host()`
  x.copy_to(v);
  has(v, {3, 1, 2, 4});
  // row: cudaMemset(x, 0, …)
  x.fill(0.0f);
  has(x, {0, 0, 0, 0});
  // row: cudaMallocHost(&p, …) -- pinned
  kr::pinned<float> p(4);

  p[0] = p[1] = p[2] = p[3] = 5;
  // row: cudaMallocManaged(&m, …) -- `kr::to_span(m)` for the host
  auto m = kr::managed<float>(4);

  kr::to_span(m)[0] = 1;
  // row: cudaStreamCreate(&s)
  kr::stream s;
  // row: cudaMemcpyAsync(x, p, …, s)
  kr::copy_async(p, x, s);
  // row: scale<<<1, 4, 0, s>>>(x)
  scale.launch({1, 4, s}, x);
  // row: cudaStreamSynchronize(s), cudaDeviceSynchronize() -- `kr::synchronize()`
  s.synchronize();
  has(x, {10, 10, 10, 10});
  // row: cudaEventRecord(e, s), cudaEventElapsedTime(&ms, b, e)
  kr::event b, e;
  b.record(s), e.record(s);
  double ms = e.elapsed_ms_since(b);
  expect(ms >= 0);
  // row: cudaStreamWaitEvent(s, e)
  e.wait(s);
  // row: cudaLaunchHostFunc(s, f, 0)
  bool called = false;
  s.call_host([&] { called = true; });
  s.synchronize();
  expect(called);
  // row: cudaStreamBeginCapture(s) … cudaGraphLaunch(g)
  kr::graph g([&] { scale.launch({1, 4}, x); });
  g.launch();
  has(x, {20, 20, 20, 20});
  // row: cudaGetDeviceCount(&n), cudaGetDeviceProperties
  for (const kr::device& d : kr::devices()) std::printf("%s: %s\n", d.id(), d.name());
  // row: cudaSetDevice(1) -- the device is an argument; `KRAIT_DEVICE` names the default one
  kr::array<float> there(4, kr::device::find("cpu"));
  expect(there.size() == 4);
  // row: cudaMemGetInfo(&free, &total)
  auto use = x.device().memory_use();
  expect(use.used >= 16);
  // row: cudaFuncGetAttributes(&a, scale)
  auto a = scale.attributes();
  expect(a.max_threads >= 1);
  // row: cudaGetLastError() -- errors are thrown
  bool refused = false;
  try {
    scale.launch({1, 1 << 24}, x);
  } catch (const kr::error& error) {
    refused = error.kind() == kr::error::kind_type::usage;
  }
  expect(refused);
}

static void libraries() {
  auto x = kr::to_device({3.0f, 1.0f, 2.0f, 4.0f});
  auto a = kr::to_device({1.0f, 2.0f, 3.0f, 4.0f}).reshape(2, 2);
  // section: Libraries
  // row: thrust::reduce(x.begin(), x.end()), cub::DeviceReduce::Sum
  float sum = kr::sum(x);
  expect(sum == 10);
  // row: cub::DeviceScan::ExclusiveSum
  auto before = kr::exclusive_scan(x, 0.0f, [](auto p, auto q) { return p + q; });
  has(before, {0, 3, 4, 6});
  // row: thrust::sort(x.begin(), x.end())
  auto sorted = kr::sort(x);
  has(sorted, {1, 2, 3, 4});
  // row: thrust::sort_by_key, cub::DeviceRadixSort::SortPairs
  auto [keys, values] = kr::sort_by_key(x, kr::arange(4));
  has(values, {1, 2, 0, 3});
  // row: thrust::copy_if
  auto large = kr::copy_if(x, [](auto v) { return v > 2.0f; });
  has(large, {3, 4});
  // row: cub::DeviceRunLengthEncode, cub::DeviceSegmentedReduce
  auto [runs, lengths] = kr::run_length_encode(x);
  expect(runs.size() == 4 && lengths.size() == 4);
  // row: cub::DeviceHistogram::HistogramEven
  auto bins = kr::histogram(x, 2, 0.0, 5.0);
  has(bins, {2, 2});
  // row: thrust::transform(…, f)
  auto f = kr::vectorize([](auto v) { return v * v; });
  kr::array<float> squares = f(x);
  has(squares, {9, 1, 4, 16});
  // row: cublasSgemm -- with an ending in the same kernel, as cublasLt's epilogue
  auto c = kr::matmul(a, a, [](auto s) { return kr::max(s, 0.0f); });
  has(c, {7, 10, 15, 22});
  // row: cufftExecC2C, cufftExecR2C
  auto spectrum = kr::rfft(x);
  expect(spectrum.size() == 3);
  // row: cusparseSpMV
  const kr::csr_matrix<float> sparse(kr::to_device({0, 1, 2}), kr::to_device({1, 0}), kr::to_device({2.0f, 3.0f}), {2, 2});
  auto product = kr::matmul(sparse, x(kr::range(0, 2)));
  has(product, {2, 9});
  // row: cusparseCreateCoo, cusparseCreateBsr, cusparseSpMM
  const kr::coo_matrix<float> elements(kr::to_device({0, 1}), kr::to_device({1, 0}), kr::to_device({2.0f, 3.0f}), {2, 2});
  auto blocks = elements.to_bsr({2, 2});
  auto products = kr::matmul(blocks, kr::eye<float>(2));
  has(products, {0, 2, 3, 0});
  // row: curandGenerateNormal
  auto noise = kr::generator(7).normal<float>(1000);
  expect(noise.size() == 1000);
}

int main() {
  positions(), language(), functions(), blocks(), host(), libraries();
  return rows::result();
}
