// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of docs/coming-from-ispc.md, run. `// section: …` begins a table, `// row: LEFT -- note` a row, whose right side is the code up to
// what stores or compares its result. docs/make_tables.py writes them into the page; the test docs.tables holds the page to this file.
#include <krait/krait.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/select.h>

#include "rows.h"

namespace kr = krait;
using rows::expect;
using rows::has;

/// One block of eight threads: each row of `out` has a number per thread.
static void language() {
  auto out = kr::zeros<float>({40, 8});
  std::vector<float> x{3, 1, 2, 4, 1, 2, 5, 0};
  const float host_table[] = {2, 4, 8, 16, 32, 64, 128, 256};
  struct ray {
    float origin, direction;
  };
  std::vector<ray> rays(8, ray{1, 2});
  // section: Programs and program instances
  // row: export void f(uniform float x[], uniform int n, uniform float a) -- parameters are uniform: a number, or an array
  auto scale = kr::kernel([](kr::view<float> x, kr::value<float> a) {
    // row: foreach (i = 0 ... n)
    for (auto i : kr::grid_stride(x.size())) x[i] = x[i] * a;
  });
  // row: `f(x, n, 2)` from C++
  scale.forall(x.size())(x, 1.0f);
  has(x, {3, 1, 2, 4, 1, 2, 5, 0});
  auto language = kr::kernel([&](kr::view<float, 2> out, kr::view<const float> x, kr::view<const ray> rays, kr::value<float> a) {
    auto t = kr::grid();
    // row: programIndex, programCount -- a lane of a warp of 32; the vectors' width is the compiler's choice
    auto index = kr::lane_id(), count = kr::warp_size();
    out(0, t) = kr::cast<float>(index + count);
    // row: uniform float u = a * 2; -- not declared: Krait finds what is equal in all lanes
    auto u = a * 2;
    out(1, t) = u;
    // row: varying float v = x[i];
    auto v = x[t];
    out(2, t) = v;
    // row: float s = 0; s += v; -- `auto` is constant; what changes is a kr::var
    kr::var s = 0.0f;
    s += v;
    out(3, t) = s;
    // row: `q[k]` of a uniform array, varying k that is equal in all lanes -- a promise: k is equal in the whole block
    auto k = kr::uniform(kr::cast<int>(a));
    out(4, t) = kr::cast<float>(k);
    // row: if (v > 2) s = 0; else s = 1; -- under masks on the CPU
    kr::if_(v > 2.0f, [&] { s = 0.0f; }).else_([&] { s = 1.0f; });
    out(5, t) = s;
    // row: cif (v > 2) -- no word: a test whether any lane goes that way is put in where it pays
    kr::if_(v > 2.0f, [&] { s += 10.0f; });
    out(6, t) = s;
    // row: `cif` with a likely direction
    kr::if_(kr::unlikely(v > 4.0f), [&] { s = 100.0f; });
    out(7, t) = s;
    // row: for (int j = 0; j < v; j++)
    for (auto j : kr::range(kr::cast<int>(v))) s += kr::cast<float>(j);
    out(8, t) = s;
    // row: while (s > 8) s /= 2; -- also break, continue: `kr::break_()`, `kr::continue_()`
    kr::while_([&] { return s > 8.0f; }, [&] { s /= 2.0f; });
    out(9, t) = s;
    // row: select(v > 2, v, 0)
    auto chosen = kr::select(v > 2.0f, v, 0.0f);
    out(10, t) = chosen;
    // row: foreach_unique (b in bin) { … } -- one lane of each value: the first
    auto bin = kr::cast<int>(v);
    auto same = kr::warp::match_any(bin);
    kr::if_(kr::ctz(same) == index, [&] { out(11, t) = kr::cast<float>(kr::popcount(same)); });
    // row: foreach_active (i) { … } -- a loop over the bits of the mask
    kr::var left = kr::warp::active_mask();
    kr::while_([&] { return left != 0u; }, [&] { s += 1.0f, left &= left - 1u; });
    out(12, t) = s;
    // row: foreach_tiled (y = 0 ... h, x = 0 ... w) -- a launch of blocks in two dimensions
    auto [px, py] = kr::grid<2>();
    out(13, t) = kr::cast<float>(px + py);
    // section: Across the lanes
    // row: lanemask()
    auto mask = kr::warp::active_mask();
    out(15, t) = kr::cast<float>(mask);
    // row: any(v > 4), all(v > 4), none(v > 4)
    auto any = kr::warp::any(v > 4.0f), all = kr::warp::all(v > 4.0f), none = !any;
    out(16, t) = kr::select(any && !all && !none, 1.0f, 0.0f);
    // row: popcnt(packmask(v > 2))
    auto votes = kr::popcount(kr::warp::ballot(v > 2.0f));
    out(17, t) = kr::cast<float>(votes);
    // row: reduce_add(v)
    auto sum = kr::warp::reduce(v);
    out(18, t) = sum;
    // row: reduce_min(v), reduce_max(v)
    auto low = kr::warp::reduce(v, kr::combine::min), high = kr::warp::reduce(v, kr::combine::max);
    out(19, t) = low + high;
    // row: reduce_equal(v)
    auto equal = kr::warp::match_all(v);
    out(20, t) = kr::select(equal, 1.0f, 0.0f);
    // row: exclusive_scan_add(v)
    auto before = kr::warp::exclusive_scan(v);
    out(21, t) = before;
    // row: broadcast(v, 3)
    auto third = kr::warp::broadcast(v, 3);
    out(22, t) = third;
    // row: shuffle(v, 7 - programIndex)
    auto turned = kr::warp::shfl(v, 7 - index);
    out(23, t) = turned;
    // row: rotate(v, 1) -- of eight lanes here
    auto next = kr::warp::shfl(v, (index + 1) % 8);
    out(24, t) = next;
    // row: `packed_store_active(&out[n], v)` in a condition -- the lane's place among the active ones
    kr::if_(v > 1.0f, [&] { out(25, kr::warp::prefix_count(true)) = v; });
    // row: extract(v, 2)
    auto second = kr::warp::broadcast(v, 2);
    out(26, t) = second;
    // section: Memory, functions, numbers
    // row: `x[i]` with a varying index, a gather -- `KRAIT_HINTS=1` names gathers and scatters, as ISPC's warnings do
    auto gathered = x[bin];
    out(27, t) = gathered;
    // row: uniform const float table[8] = { … };
    auto table = kr::constant(host_table);
    out(28, t) = table[bin];
    // row: `float own[8]; own[k]` with varying k
    auto own = kr::local<float, 8>();
    own[bin] = v;
    out(29, t) = own[bin];
    // row: soa<8> struct ray r[]; r[i].direction -- structs have the host's layout: for another one, an array for each member
    auto direction = rays[t][&ray::direction];
    out(30, t) = direction;
    // row: atomic_add_global(&c, 1)
    kr::atomic(out(31, 0)).add(1.0f);
    // row: memory_barrier()
    kr::fence();
    // row: streaming_store(y, v), streaming_load
    kr::store_streaming(out(32, t), v);
    // row: clamp(v, 1, 3), abs(v), rsqrt(v + 1), rcp(v + 1)
    auto c = kr::clamp(v, 1.0f, 3.0f) + 0.0f * (kr::abs(v) + kr::rsqrt(v + 1.0f) + 1.0f / (v + 1.0f));
    out(33, t) = c;
    // row: intbits(v), floatbits(n)
    auto bits = kr::bitcast<int>(v);
    out(34, t) = kr::bitcast<float>(bits);
    // row: float_to_half(v), half_to_float(h)
    auto h = kr::cast<kr::f16>(v);
    out(35, t) = kr::cast<float>(h);
    // row: int64 n = (int64)v
    auto n = kr::cast<std::int64_t>(v);
    out(36, t) = kr::cast<float>(n);
    // row: inline float square(float w) { return w * w; } -- one function for uniform and varying
    auto square = [](auto w) { return w * w; };
    out(37, t) = square(v);
    // row: noinline float f(float w) -- called, not inlined
    auto f = kr::function([](auto w) { return w + 1.0f; });
    out(38, t) = f(v);
    // row: frandom(&state)
    auto random = kr::philox(7, t).uniform_float(0);
    out(39, t) = kr::select(random < 1.0f, 1.0f, 0.0f);
    // row: print("%\n", v), assert(v >= 0), assume(n >= 0)
    kr::if_(t == 0, [&] { kr::print("{}", v); });
    kr::check(v >= 0.0f, "v={}", v);
    kr::assume(n >= 0);
  });
  language.launch({1, 8}, out, x, rays, 2.0f);
  has(out(0), {32, 33, 34, 35, 36, 37, 38, 39});
  has(out(1), {4, 4, 4, 4, 4, 4, 4, 4});
  has(out(2), {3, 1, 2, 4, 1, 2, 5, 0});
  has(out(3), {3, 1, 2, 4, 1, 2, 5, 0});
  has(out(4), {2, 2, 2, 2, 2, 2, 2, 2});
  has(out(5), {0, 1, 1, 0, 1, 1, 0, 1});
  has(out(6), {10, 1, 1, 10, 1, 1, 10, 1});
  has(out(7), {10, 1, 1, 10, 1, 1, 100, 1});
  has(out(8), {13, 1, 2, 16, 1, 2, 110, 1});
  has(out(9), {6.5, 1, 2, 8, 1, 2, 6.875, 1});
  has(out(10), {3, 0, 0, 4, 0, 0, 5, 0});
  has(out(11), {1, 2, 2, 1, 0, 0, 1, 1});
  has(out(12), {14.5, 9, 10, 16, 9, 10, 14.875, 9});
  has(out(15), {255, 255, 255, 255, 255, 255, 255, 255});
  has(out(16), {1, 1, 1, 1, 1, 1, 1, 1});
  has(out(17), {3, 3, 3, 3, 3, 3, 3, 3});
  has(out(18), {18, 18, 18, 18, 18, 18, 18, 18});
  has(out(19), {5, 5, 5, 5, 5, 5, 5, 5});
  has(out(20), {0, 0, 0, 0, 0, 0, 0, 0});
  has(out(21), {0, 3, 4, 6, 10, 11, 13, 18});
  has(out(22), {4, 4, 4, 4, 4, 4, 4, 4});
  has(out(23), {0, 5, 2, 1, 4, 2, 1, 3});
  has(out(24), {1, 2, 4, 1, 2, 5, 0, 3});
  has(out(25), {3, 2, 4, 2, 5, 0, 0, 0});
  has(out(26), {2, 2, 2, 2, 2, 2, 2, 2});
  has(out(27), {4, 1, 2, 1, 1, 2, 2, 3});
  has(out(28), {16, 4, 8, 32, 4, 8, 64, 2});
  has(out(29), {3, 1, 2, 4, 1, 2, 5, 0});
  has(out(30), {2, 2, 2, 2, 2, 2, 2, 2});
  expect(float(out(31, 0)) == 8);
  has(out(32), {3, 1, 2, 4, 1, 2, 5, 0});
  has(out(33), {3, 1, 2, 3, 1, 2, 3, 1});
  has(out(34), {3, 1, 2, 4, 1, 2, 5, 0});
  has(out(35), {3, 1, 2, 4, 1, 2, 5, 0});
  has(out(36), {3, 1, 2, 4, 1, 2, 5, 0});
  has(out(37), {9, 1, 4, 16, 1, 4, 25, 0});
  has(out(38), {4, 2, 3, 5, 2, 3, 6, 1});
  has(out(39), {1, 1, 1, 1, 1, 1, 1, 1});
}

static void program() {
  auto x = kr::to_device({3.0f, 1.0f, 2.0f, 4.0f});
  auto scale = kr::kernel([](kr::view<float> v) {
    for (auto i : kr::grid_stride(v.size())) v[i] *= 2.0f;
  });
  // section: Tasks, whole arrays and the compiler
  // row: launch[8] f(x); sync; -- blocks are shared among the cores; `kr::synchronize()` waits
  scale.launch({8, 64}, x);
  kr::synchronize();
  has(x, {6, 2, 4, 8});
  // row: taskIndex, taskCount -- `kr::grid_dim().x`
  auto tasks = kr::kernel([](kr::view<float> v) { v[kr::block_idx().x] += 1.0f; });
  tasks.launch({4, 1}, x);
  has(x, {7, 3, 5, 9});
  // row: `n += packed_store_active(&to[n], v)`, packed_load_active -- of lanes that a condition chooses; also `kr::warp::packed_load`
  auto pack = kr::kernel([](kr::view<const float> x, kr::view<float> to) {
    auto v = x[kr::grid()];
    kr::var n = 0;
    n += kr::warp::packed_store(to, n, v, v > 4.0f);
  });
  kr::array<float> packed(kr::shape<1>(3));
  pack.launch({1, 4}, x, packed);
  has(packed, {7, 5, 9});
  // row: `packed_store_active` over a whole array -- in order
  auto kept = kr::copy_if(x, [](auto v) { return v > 4.0f; });
  has(kept, {7, 5, 9});
  // row: `foreach` that sums, `reduce_add` at its end
  float sum = kr::sum(x);
  expect(sum == 24);
  // row: ispc --opt=fast-math -- for one kernel
  auto fast = kr::vectorize([](auto v) { return kr::exp(-v); }, {.fp = kr::fp::fast});
  kr::array<float> decayed = fast(x);
  has(decayed, {0.00091188, 0.04978707, 0.00673795, 0.00012341}, 1e-5);
  // row: ispc --emit-asm -- also `krait dump --emit asm --run ./program`
  auto code = scale.assembly();
  expect(code.size() > 0);
}

int main() {
  language(), program();
  return rows::result();
}
