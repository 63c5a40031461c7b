// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NCCL adds up what several GPUs computed: each integrates its part by a kernel, an all-reduce sums the parts in the same streams, and a
// kernel on each GPU uses the sum. With one GPU it runs as well.
#include <deque>

#include "neighbour.h"

namespace {

constexpr int bins = 1024;

double example() {
  const std::vector<kr::device> devices = gpus();
  const int ranks = static_cast<int>(devices.size());
  // [nccl]
  const library nccl("NCCL", {"libnccl.so.2"});
  constexpr int type_float = 7, sum = 0;
  std::vector<void*> communicators(ranks);
  check(nccl.function<int(void**, int, const int*)>("ncclCommInitAll")(communicators.data(), ranks, nullptr), "ncclCommInitAll");

  auto part = kr::kernel([](kr::view<float> result, kr::value<int> rank, kr::value<int> of) {
    auto i = kr::grid<1>();
    kr::var own = 0.0f;
    for (auto k : kr::range(rank, 64, of)) own += kr::cast<float>(i * 64 + k);
    result[i] = own;
  });
  auto halve = kr::kernel([](kr::view<float> x) { x[kr::grid<1>()] *= 0.5f; });
  std::deque<kr::stream> streams;
  std::deque<kr::array<float>> parts;
  for (int rank = 0; rank < ranks; ++rank) {
    streams.emplace_back(devices[rank]);
    parts.emplace_back(kr::shape<1>(bins), devices[rank]);
    part.launch({bins / 256, 256, streams[rank]}, parts[rank], rank, ranks);
  }
  const auto all_reduce = nccl.function<int(const void*, void*, std::size_t, int, int, void*, void*)>("ncclAllReduce");
  check(nccl.function<int()>("ncclGroupStart")(), "ncclGroupStart");
  for (int rank = 0; rank < ranks; ++rank) {
    void* const at = pointer(parts[rank].address());
    check(all_reduce(at, at, bins, type_float, sum, communicators[rank], streams[rank].native()), "ncclAllReduce");
  }
  check(nccl.function<int()>("ncclGroupEnd")(), "ncclGroupEnd");
  for (int rank = 0; rank < ranks; ++rank) halve.launch({bins / 256, 256, streams[rank]}, parts[rank]);
  for (const kr::stream& s : streams) s.synchronize();
  // [/nccl]

  std::vector<double> expected;
  for (int i = 0; i < bins; ++i) expected.push_back((64.0 * 64 * i + 63 * 32) / 2);
  double apart = 0;
  for (const auto& result : parts) apart = std::fmax(apart, distance(result, expected));
  std::printf("NCCL: %d GPUs\n", ranks);
  for (void* const c : communicators) check(nccl.function<int(void*)>("ncclCommDestroy")(c), "ncclCommDestroy");
  return apart;
}

}  // namespace

int main() { return run("NCCL", 1e-6, example); }
