// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batcher's bitonic sort of 2^16 keys. A stage merges runs of `size` keys by comparing keys `distance` apart, for distances that
// halve. Far ones take a launch each; those within a block of keys are done in shared memory in one launch.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr std::int64_t n = 1 << 16, block = 256, keys_of_block = 2 * block;

  // The t-th pair of a step: the lower key's place, such that the upper one's is `distance` above it.
  const auto lower_place = [](auto t, auto distance) { return 2 * t - (t & (distance - 1)); };
  // Puts the pair in order, upwards or downwards as the stage asks for at the keys' place in the whole array.
  const auto order = [](auto& keys, auto i, auto distance, auto upwards) {
    kr::value<std::uint32_t> x = keys[i], y = keys[i + distance];
    kr::if_((x > y) == upwards, [&] { keys[i] = y, keys[i + distance] = x; });
  };

  auto far_step = kr::kernel([=](kr::view<std::uint32_t> keys, kr::value<std::int64_t> size, kr::value<std::int64_t> distance) {
    auto i = lower_place(kr::grid(), distance);
    order(keys, i, distance, (i & size) == 0);
  }, {.name = "far_step"});
  auto near_steps = kr::kernel([=](kr::view<std::uint32_t> keys, kr::value<std::int64_t> first, kr::value<std::int64_t> last) {
    auto near = kr::shared<std::uint32_t, keys_of_block>();
    auto t = kr::thread_idx().x, start = kr::block_idx().x * keys_of_block;
    near[t] = keys[start + t], near[t + block] = keys[start + t + block];
    kr::var size = first;
    kr::while_([&] { return size <= last; }, [&] {
      kr::var distance = kr::min(size / 2, block);
      kr::while_([&] { return distance > 0; }, [&] {
        kr::syncthreads();
        auto i = lower_place(t, distance);
        order(near, i, distance, ((start + i) & size) == 0);
        distance /= 2;
      });
      size *= 2;
    });
    kr::syncthreads();
    keys[start + t] = near[t], keys[start + t + block] = near[t + block];
  }, {.name = "near_steps"});

  std::mt19937 random(1);
  std::vector<std::uint32_t> in(n);
  for (auto& key : in) key = static_cast<std::uint32_t>(random());
  kr::array<std::uint32_t> keys = kr::to_device(in);

  const kr::launch_config covering{n / keys_of_block, block};
  near_steps.launch(covering, keys, std::int64_t{2}, keys_of_block);
  for (std::int64_t size = 2 * keys_of_block; size <= n; size *= 2) {
    for (std::int64_t distance = size / 2; distance > block; distance /= 2) far_step.launch(covering, keys, size, distance);
    near_steps.launch(covering, keys, size, size);
  }
  const std::vector<std::uint32_t> sorted = keys.to_host();
  std::sort(in.begin(), in.end());
  std::printf("%ld keys: %s\n", n, sorted == in ? "in order, as the host's" : "not as the host's");
  return sorted == in ? 0 : 1;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
