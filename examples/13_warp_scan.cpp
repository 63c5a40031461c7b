// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running sums within blocks: the lanes of a warp pass their sums upwards in log2(lanes) steps, and the warps' totals meet in
// shared memory. The number of lanes is read on the device; it is 32 on NVIDIA GPUs and on the CPU, and may differ on others.
#include <cstdio>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

namespace {
/// The sum of x over this lane and those below it.
kr::value<int> warp_scan(kr::value<int> x) {
  kr::var sum = x;
  kr::var distance = 1;
  kr::while_([&] { return distance < kr::warp_size(); }, [&] {
    auto below = kr::warp::shfl_up(sum, distance);
    kr::if_(kr::lane_id() >= distance, [&] { sum += below; });
    distance *= 2;
  });
  return kr::value(sum);
}
}  // namespace

int main() try {
  constexpr int block = 256, blocks = 50, n = block * blocks;

  auto scan = kr::kernel([](kr::view<const int> in, kr::view<int> out, kr::view<int> lanes) {
    auto totals = kr::shared<int, block>();  // one a warp; as many as threads at most
    auto i = kr::grid();
    auto warp = kr::thread_idx().x / kr::warp_size();
    kr::var sum = warp_scan(in[i]);
    kr::if_(kr::lane_id() == kr::warp_size() - 1, [&] { totals[warp] = sum; });
    kr::syncthreads();
    for (auto w : kr::range(warp)) sum += totals[w];
    out[i] = sum;
    kr::if_(i == 0, [&] { lanes[0] = kr::warp_size(); });
  }, {.name = "warp_scan"});

  std::vector<int> in(n), out(n), lanes(1);
  for (int i = 0; i < n; ++i) in[i] = i * 7919 % 1000 - 400;
  scan.launch({blocks, block}, in, out, lanes);

  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum = i % block == 0 ? in[i] : sum + in[i];
    if (out[i] != sum) return std::printf("sum %d is %d, the host says %d\n", i, out[i], sum), 1;
  }
  std::printf("%d running sums in blocks of %d, warps of %d lanes: equal to the host\n", n, block, lanes[0]);
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
