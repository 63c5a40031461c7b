// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of an array: each thread adds a stride of elements, each block halves its threads' sums in shared memory, and the same
// kernel with one block adds the blocks' sums.
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr int block = 256, blocks = 40;

  auto reduce = kr::kernel([](kr::view<const std::int64_t> in, kr::view<std::int64_t> sums) {
    auto part = kr::shared<std::int64_t, block>();
    auto t = kr::thread_idx().x;
    kr::var sum = std::int64_t{0};
    for (auto i : kr::grid_stride(in.size())) sum += in[i];
    part[t] = sum;
    kr::syncthreads();
    for (int half = block / 2; half > 0; half /= 2) {
      kr::if_(t < half, [&] { part[t] += part[t + half]; });
      kr::syncthreads();
    }
    kr::if_(t == 0, [&] { sums[kr::block_idx().x] = part[0]; });
  }, {.name = "reduce"});

  for (const std::size_t n : {std::size_t{1}, std::size_t{255}, std::size_t{1'000'003}}) {
    std::vector<std::int64_t> in(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<std::int64_t>(i * i % 1'000'007 + 1) * 1'000'003;
    const kr::array<std::int64_t> numbers = kr::to_device(in);
    kr::array<std::int64_t> sums(blocks), total(1);
    reduce.launch({blocks, block}, numbers, sums);
    reduce.launch({1, block}, sums, total);
    const std::vector<std::int64_t> result = total.to_host();
    const std::int64_t expected = std::accumulate(in.begin(), in.end(), std::int64_t{0});
    std::printf("%8zu numbers: %ld\n", n, result[0]);
    if (result[0] != expected) return std::printf("the host says %ld\n", expected), 1;
  }
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
