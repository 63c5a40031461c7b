// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of docs/coming-from-kokkos-sycl.md, run. `// section: …` begins a table, `// row: LEFT -- note` a row, whose right side is the code
// up to what stores or compares its result. docs/make_tables.py writes them into the page; the test docs.tables holds the page to this file.
#include <krait/krait.h>
#include <krait/algorithm/loops.h>
#include <krait/algorithm/random.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/scan.h>
#include <krait/algorithm/sort.h>
#include <krait/async.h>
#include <krait/pack.h>
#include <krait/span.h>

#include "rows.h"

namespace kr = krait;
using rows::expect;
using rows::has;

static void kokkos() {
  const std::int64_t n = 4;
  auto x = kr::to_device({1.0f, 2.0f, 3.0f, 4.0f}), y = kr::to_device({1.0f, 1.0f, 1.0f, 1.0f});
  // section: Kokkos
  // row: Kokkos::View<float**> a("a", 2, 3);
  kr::array<float, 2> a({2, 3});
  // row: View<float**, LayoutLeft>
  kr::array<float, 2> left(kr::shape<2>(2, 3), kr::storage_order::fortran);
  expect(left.stride(0) == 1);
  // row: View<float*, HostSpace> -- a device, chosen at run time
  kr::array<float> host({4}, kr::device::cpu());
  // row: Kokkos::deep_copy(a, 0.0f)
  a.fill(0.0f);
  has(a, {0, 0, 0, 0, 0, 0});
  // row: Kokkos::deep_copy(host, x)
  host.copy_from(x);
  has(host, {1, 2, 3, 4});
  // row: create_mirror_view_and_copy(HostSpace(), x)
  std::vector<float> mirror = x.to_host();
  has(mirror, {1, 2, 3, 4});
  // row: Kokkos::subview(a, 1, Kokkos::ALL)
  auto row = a(1, kr::all);
  expect(row.size() == 3);
  // row: a.extent(0), a.stride(0), a.data() -- `data` is a device address
  auto rows = a.extent(0), step = a.stride(0);
  expect(rows == 2 && step == 3 && a.address() != 0);
  // row: parallel_for(n, KOKKOS_LAMBDA(int i) { y(i) = 2 * x(i) + y(i); })
  kr::parallel_for(n, [](auto i, auto from, auto to) { to[i] = 2.0f * from[i] + to[i]; }, x, y);
  has(y, {3, 5, 7, 9});
  // row: parallel_for(MDRangePolicy<Rank<2>>({0, 0}, {2, 3}), …)
  auto fill = kr::kernel([](kr::view<float, 2> out) {
    auto [c, r] = kr::grid<2>();
    kr::if_(r < out.extent(0) && c < out.extent(1), [&] { out(r, c) = kr::cast<float>(10 * r + c); });
  });
  fill.launch({{1, 1}, {8, 8}}, a);
  has(a, {0, 1, 2, 10, 11, 12});
  // row: parallel_reduce(n, …(int i, float& s) { s += x(i) * y(i); }, sum)
  float sum = kr::sum(x * y);
  expect(sum == 70);
  // row: parallel_reduce(n, …, Kokkos::Max<float>(most))
  float most = kr::max(x);
  expect(most == 4);
  // row: `parallel_reduce` with a join of one's own
  float product = kr::reduce(n, 1.0f, [](auto p, auto q) { return p * q; }, [](auto i, auto from) { return from[i]; }, x);
  expect(product == 24);
  // row: parallel_scan(n, …)
  auto before = kr::exclusive_scan(x, 0.0f, [](auto p, auto q) { return p + q; });
  has(before, {0, 1, 3, 6});
  // row: Kokkos::sort(y), Kokkos::Random_XorShift64_Pool
  auto sorted = kr::sort(y);
  auto noise = kr::generator(7).uniform<float>(100);
  expect(sorted.size() == 4 && noise.size() == 100);
  auto out = kr::zeros<float>(8);
  auto team = kr::kernel([](kr::view<float> to, kr::view<float> total) {
    // row: team.league_rank(), team.team_rank(), team.team_size() -- a team is a block
    auto league = kr::block_idx().x, rank = kr::thread_idx().x, size = kr::block_dim().x;
    // row: team.team_scratch(0), ScratchView
    auto scratch = kr::shared<float, 4>();
    scratch[rank] = kr::cast<float>(rank);
    // row: team.team_barrier()
    kr::syncthreads();
    to[league * size + rank] = scratch[size - 1 - rank];
    // row: Kokkos::atomic_add(&total(0), 1.0f)
    kr::atomic(total[0]).add(1.0f);
    // row: Kokkos::printf("…"), Kokkos::abort("…") -- `kr::check(condition, "…")`
    kr::if_(league + rank == 0, [&] { kr::print("team of {}", size); });
  });
  auto total = kr::zeros<float>(1);
  // row: TeamPolicy<>(2, 4)
  team.launch({2, 4}, out, total);
  has(out, {3, 2, 1, 0, 3, 2, 1, 0});
  has(total, {8});
  // row: Kokkos::fence()
  kr::synchronize();
  // row: `Kokkos::Timer`, profiling regions -- also `kr::label` and `kr::trace_file`
  kr::event b, e;
  b.record(), e.record();
  expect(e.elapsed_ms_since(b) >= 0);
}

static void sycl() {
  std::vector<float> v{1, 2, 3, 4};
  const auto scale = kr::kernel([](kr::view<float> x, kr::value<float> by) {
    for (auto i : kr::grid_stride(x.size())) x[i] *= by;
  }, {.name = "scale"});
  // section: SYCL
  // row: sycl::queue q(sycl::gpu_selector_v) -- the default is `KRAIT_DEVICE`, else a GPU, else the CPU
  kr::device device = kr::device::find("cpu");
  // row: `q` in order, `q.wait()`
  kr::stream q(device);
  q.synchronize();
  // row: sycl::malloc_device<float>(4, q) -- freed with its last owner
  kr::array<float> x({4}, device);
  // row: sycl::malloc_shared, sycl::malloc_host -- `kr::pinned<float>`
  auto shared = kr::managed<float>(4, device);
  expect(kr::to_span(shared).size() == 4);
  // row: q.memcpy(x, v.data(), bytes)
  kr::copy_async(v, x, q);
  // row: sycl::buffer b(v); accessor … -- containers are arguments; a GPU copies what the kernel reads and writes
  scale.launch({1, 4}, v, 2.0f);
  has(v, {2, 4, 6, 8});
  // row: q.parallel_for(n, [=](auto i) { … }) -- captures are constants of the kernel: what changes is a parameter
  scale.forall(4, q)(x, 3.0f);
  // row: q.parallel_for(nd_range(8, 4), …)
  scale.launch({2, 4, q}, x, 1.0f);
  q.synchronize();
  has(x, {3, 6, 9, 12});
  auto out = kr::zeros<float>({8, 8});
  auto items = kr::kernel([](kr::view<float, 2> to, kr::specialized<int> taps) {
    // row: item.get_global_id(0), get_local_id(0), get_group(0)
    auto id = kr::grid(), local = kr::thread_idx().x, group = kr::block_idx().x;
    to(0, id) = kr::cast<float>(group * 4 + local);
    // row: sycl::local_accessor<float> s(4, h)
    auto s = kr::shared<float, 4>();
    s[local] = kr::cast<float>(local);
    // row: sycl::group_barrier(item.get_group())
    kr::syncthreads();
    to(1, id) = s[3 - local];
    // row: sycl::reduce_over_group(sub_group, v, plus<>()) -- over the warp; over a block: [a shared array](howto.md#reduce)
    auto sum = kr::warp::reduce(kr::cast<float>(local));
    to(2, id) = sum;
    // row: sycl::select_from_group(sub_group, v, 0), shift_group_left
    auto first = kr::warp::shfl(id, 0);
    to(3, id) = kr::cast<float>(first);
    // row: sycl::any_of_group(sub_group, p)
    auto any = kr::warp::any(local == 2);
    to(4, id) = kr::select(any, 1.0f, 0.0f);
    // row: sycl::atomic_ref<float, …>(y[0]).fetch_add(1)
    kr::atomic(to(5, 0)).add(1.0f);
    // row: sycl::float3, sycl::half
    auto p = kr::make_vec(1.0f, 2.0f, kr::cast<float>(local));
    to(6, id) = kr::dot(p, p);
    // row: kh.get_specialization_constant<taps>()
    for (auto k : kr::range(taps)) to(7, id) += kr::cast<float>(k);
    // row: sycl::stream out; out << … -- on the host: `std::cout << array`
    kr::if_(id == 0, [&] { kr::print("{} threads", kr::gridsize()); });
  });
  items.launch({2, 4}, out, 3);
  has(out(0), {0, 1, 2, 3, 4, 5, 6, 7});
  has(out(1), {3, 2, 1, 0, 3, 2, 1, 0});
  has(out(2), {6, 6, 6, 6, 6, 6, 6, 6});
  has(out(3), {0, 0, 0, 0, 4, 4, 4, 4});
  has(out(4), {1, 1, 1, 1, 1, 1, 1, 1});
  expect(float(out(5, 0)) == 8);
  has(out(6), {5, 6, 9, 14, 5, 6, 9, 14});
  has(out(7), {3, 3, 3, 3, 3, 3, 3, 3});
  // row: q.parallel_for(n, sycl::reduction(s, plus<>()), …)
  float total = kr::sum(x);
  expect(total == 30);
  // row: event e = q.submit(…); h.depends_on(e)
  kr::event e(device);
  e.record(q);
  kr::stream other(device);
  e.wait(other);
  // row: h.host_task([&] { … })
  q.call_host([] { std::puts("done"); });
  q.synchronize();
  // row: `sycl::exception`, async handlers -- thrown by the next wait
  bool refused = false;
  try {
    scale.launch({1, 1 << 24}, x, 1.0f);
  } catch (const kr::error& error) {
    refused = error.kind() == kr::error::kind_type::usage;
  }
  expect(refused);
  // row: -fsycl-targets=nvptx64,x86_64 -- compiled when it is called; or ahead of time, into a file
  kr::pack("kernels.kpack", {.targets = "x86-64-v3; sm_80; vulkan"}, scale);
  std::remove("kernels.kpack");
}

int main() {
  kokkos(), sycl();
  return rows::result();
}
