// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running sums of an array in one pass, by looking back: Merrill and Garland, "Single-pass parallel prefix scan with decoupled
// look-back" (2016). A block publishes the sum of its elements, adds up what the blocks before it have published, and publishes
// that. Blocks take their number from a ticket, so that those before a block are at work already and waiting for them ends.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr int block = 256, n = 200'003, blocks = (n + block - 1) / block;
  // A word a block: two bits say what the other thirty are; one access reads both, so that no order among words is needed.
  constexpr unsigned nothing = 0, own_sum = 1u << 30, running_sum = 2u << 30, kinds = 3u << 30;

  using Words = kr::view<unsigned>;
  auto scan = kr::kernel([](kr::view<const unsigned> in, Words out, Words states, Words ticket) {
    auto sums = kr::shared<unsigned, block>();
    auto taken = kr::shared<unsigned, 2>();  // this block's number, and the sum of the blocks before it
    auto t = kr::thread_idx().x;
    kr::if_(t == 0, [&] { taken[0] = kr::atomic(ticket[0]).add(1); });
    kr::syncthreads();
    auto number = kr::cast<int>(taken[0]);
    auto i = number * block + t;

    sums[t] = kr::select(i < in.size(), [&] { return in[i]; }, 0u);
    for (int distance = 1; distance < block; distance *= 2) {
      kr::syncthreads();
      auto below = kr::select(t >= distance, [&] { return sums[t - distance]; }, 0u);
      kr::syncthreads();
      sums[t] += below;
    }
    kr::if_(t == block - 1, [&] {
      auto own = sums[t];
      kr::atomic(states[number]).exchange(own | kr::select(number == 0, running_sum, own_sum));
      kr::var before = 0u;
      kr::var at = number - 1;
      kr::while_([&] { return at >= 0; }, [&] {
        auto state = kr::atomic(states[at]).load();  // reads what other blocks write meanwhile
        auto kind = state & kinds;
        kr::if_(kind != nothing, [&] {
          before += state & ~kinds;
          at = kr::select(kind == running_sum, -1, at - 1);
        });
      });
      kr::if_(number > 0, [&] { kr::atomic(states[number]).exchange((own + before) | running_sum); });
      taken[1] = before;
    });
    kr::syncthreads();
    kr::if_(i < out.size(), [&] { out[i] = taken[1] + sums[t]; });
  }, {.name = "scan_lookback"});

  std::vector<unsigned> in(n), out(n), states(blocks), ticket(1);
  for (unsigned i = 0; i < n; ++i) in[i] = i * 7919 % 1000;
  scan.launch({blocks, block}, in, out, states, ticket);

  unsigned sum = 0;
  for (int i = 0; i < n; ++i)
    if (sum += in[i]; out[i] != sum) return std::printf("sum %d is %u, the host says %u\n", i, out[i], sum), 1;
  std::printf("%d running sums in one pass of %d blocks: equal to the host\n", n, blocks);
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
