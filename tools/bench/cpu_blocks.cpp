// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU table's workloads of whole blocks, in the default mode: tiles as kernels, and the
// library's sum, scan, histogram and sort, beside plain loops.
#include <algorithm>

#include <krait/algorithm/histogram.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/scan.h>
#include <krait/algorithm/sort.h>

#include "block_kernels.h"
#include "cpu_measure.h"
#include "measure.h"

namespace bench {
namespace {

constexpr double rounding = 1e-3;  // sums in another order

std::vector<Candidate> ours(Run run) {
  std::vector<Candidate> only;
  only.push_back({"Krait native", std::move(run), 0, {}});
  return only;
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

void sums(CpuSuite& suite, const kr::device& cpu, const kr::array<float>& x,
          kr::array<float>& out) {
  const long n = x.size();
  kr::array<float> total(kr::shape<1>(1), cpu);
  suite.add(
      "sum 2^24",
      [&](const Peer& p) { return p.sum ? Run([&] { p.sum(raw(x), raw(total), n); }) : Run(); },
      ours([&] { kr::sum(x, kr::axis(0), kr::keepdims, kr::into(total)); }), span_of(total),
      rounding);
  suite.add(
      "inclusive scan 2^24",
      [&](const Peer& p) { return p.scan ? Run([&] { p.scan(raw(x), raw(out), n); }) : Run(); },
      ours([&] { kr::cumsum(x, kr::into(out)); }), span_of(out), rounding);
}

void integers(CpuSuite& suite, const kr::device& cpu, long n) {
  std::vector<unsigned> words(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = unsigned(i) * 2654435761u ^ unsigned(i) >> 7;
  const auto keys = kr::to_device(words, cpu);
  {
    kr::array<unsigned> counts(kr::shape<1>(256), cpu);
    kr::array<std::int64_t> bins(kr::shape<1>(256), cpu);
    const auto low_bytes = low_bytes_of(keys);
    suite.add(
        "histogram 2^24",
        [&](const Peer& p) {
          return p.histogram ? Run([&] { p.histogram(raw(keys), raw(counts), n); }) : Run();
        },
        ours([&] {
          kr::histogram(low_bytes, 256, 0, 256, kr::into(bins));
          std::copy_n(raw(bins), 256, raw(counts));
        }),
        span_of(counts), 0);
  }
  {
    kr::array<unsigned> sorted(kr::shape<1>(n), cpu);
    suite.add(
        "radix sort u32 2^24",
        [&](const Peer& p) {
          return p.sort ? Run([&] { p.sort(raw(keys), raw(sorted), n); }) : Run();
        },
        ours([&] { kr::sort(keys, kr::into(sorted)); }), span_of(sorted), 0);
  }
}

}  // namespace

void measure_blocks(CpuSuite& suite, const std::vector<float>& hx, const std::vector<float>& hy) {
  const kr::device cpu = kr::device::cpu();
  const auto x = kr::to_device(hx, cpu);
  kr::array<float> out(kr::shape<1>(x.size()), cpu);
  matrices(suite, cpu, hx, hy);
  sums(suite, cpu, x, out);
  integers(suite, cpu, x.size());
}

}  // namespace bench
