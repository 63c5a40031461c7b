// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU table's workloads of whole blocks, in the default mode: the kernels that GPUs run, and
// where there are such, forms for the CPU, beside plain loops.
#include <memory>
#include <thread>

#include "block_kernels.h"
#include "chunk_kernels.h"
#include "cpu_measure.h"
#include "radix_sort.h"

namespace bench {
namespace {

constexpr double rounding = 1e-3;  // sums in another order

std::vector<Candidate> ours(Run run) {
  std::vector<Candidate> only;
  only.push_back({"Krait native", std::move(run), 0, {}});
  return only;
}
std::vector<Candidate> ours(Run run, Run for_gpus) {
  std::vector<Candidate> both = ours(std::move(run));
  both.push_back({"Krait, as on GPUs", std::move(for_gpus), 0, {}});
  return both;
}

void matrices(CpuSuite& suite, const kr::device& cpu, const std::vector<float>& hx,
              const std::vector<float>& hy) {
  {
    const int side = 1024;
    kr::array<float, 2> a({side, side}, cpu), b({side, side}, cpu), c({side, side}, cpu);
    a.copy_from(std::span(hx).first(side * side)), b.copy_from(std::span(hy).first(side * side));
    auto f = make_sgemm();
    suite.add(
        "matrix product 1024",
        [&](const Peer& p) {
          return p.sgemm ? Run([&] { p.sgemm(raw(a), raw(b), raw(c), side); }) : Run();
        },
        ours([&] {
          f.launch({{side / 16, side / 16}, {16, 16}}, a, b, c);
        }),
        span_of(c), rounding);
  }
  {
    const int side = 4096;
    kr::array<float, 2> in({side, side}, cpu), out({side, side}, cpu);
    in.copy_from(hx);
    auto f = make_transpose();
    suite.add(
        "transpose 4096^2",
        [&](const Peer& p) {
          return p.transpose ? Run([&] { p.transpose(raw(in), raw(out), side); }) : Run();
        },
        ours([&] {
          f.launch({{side / 32, side / 32}, {32, 8}}, in, out);
        }),
        span_of(out), 0);
  }
}

void sums(CpuSuite& suite, const kr::device& cpu, int blocks, const kr::array<float>& x,
          kr::array<float>& out) {
  const long n = x.size();
  {
    kr::array<float> parts(kr::shape<1>(blocks), cpu), total(kr::shape<1>(1), cpu);
    auto f = make_block_sum();
    ChunkReduce<float> of_chunks(cpu);
    suite.add(
        "sum 2^24",
        [&](const Peer& p) { return p.sum ? Run([&] { p.sum(raw(x), raw(total), n); }) : Run(); },
        ours([&] { of_chunks(x, total); },
             [&] {
               f.launch({blocks, 1024}, x, parts), f.launch({1, 1024}, parts, total);
             }),
        span_of(total), rounding);
  }
  {
    Scan f(n, cpu);
    ChunkScan<float> of_chunks(cpu);
    suite.add(
        "inclusive scan 2^24",
        [&](const Peer& p) { return p.scan ? Run([&] { p.scan(raw(x), raw(out), n); }) : Run(); },
        ours([&] { of_chunks(x, out); }, [&] { f(x, out); }), span_of(out), rounding);
  }
}

void integers(CpuSuite& suite, const kr::device& cpu, int blocks, long n) {
  std::vector<unsigned> words(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = unsigned(i) * 2654435761u ^ unsigned(i) >> 7;
  const auto keys = kr::to_device(words, cpu);
  {
    kr::array<unsigned> counts(kr::shape<1>(256), cpu);
    auto f = make_histogram();
    auto of_chunks = chunks::make_histogram<unsigned, 256>(
        [](const auto& key) { return kr::cast<int>(key & 255u); });
    suite.add(
        "histogram 2^24",
        [&](const Peer& p) {
          return p.histogram ? Run([&] { p.histogram(raw(keys), raw(counts), n); }) : Run();
        },
        ours(
            [&] {
              of_chunks.launch({chunks::usual_count(), 1}, keys, counts);
            },
            [&] {
              f.launch({blocks, 256}, keys, counts);
            }),
        span_of(counts), 0);
  }
  {
    kr::array<unsigned> sorted(kr::shape<1>(n), cpu);
    RadixSort<8> f(n, cpu);
    ChunkSort<unsigned> of_chunks(n, cpu);
    suite.add(
        "radix sort u32 2^24",
        [&](const Peer& p) {
          return p.sort ? Run([&] { p.sort(raw(keys), raw(sorted), n); }) : Run();
        },
        ours([&] { of_chunks(keys, sorted); }, [&] { f(keys, sorted); }), span_of(sorted), 0);
  }
}

}  // namespace

void measure_blocks(CpuSuite& suite, const std::vector<float>& hx, const std::vector<float>& hy) {
  const kr::device cpu = kr::device::cpu();
  const int blocks = int(std::max(1u, std::thread::hardware_concurrency()));  // a worker each
  const auto x = kr::to_device(hx, cpu);
  kr::array<float> out(kr::shape<1>(x.size()), cpu);
  matrices(suite, cpu, hx, hy);
  sums(suite, cpu, blocks, x, out);
  integers(suite, cpu, blocks, x.size());
}

}  // namespace bench
