// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU table's workloads of whole blocks: matrix product, transpose and tiled n-body as kernels,
// and the library's sum, scan, sort and histogram, each checked against the host before it is
// timed.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include <krait/algorithm/histogram.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/scan.h>
#include <krait/algorithm/sort.h>

#include "block_kernels.h"
#include "cuda_peer.h"
#include "gpu_measure.h"

namespace bench {
namespace {

float* raw(const kr::array<float>& a) { return reinterpret_cast<float*>(a.address()); }
template <class Elem>
kr::array<Elem> zeros(const kr::device& on, std::int64_t n) {
  return kr::to_device(std::vector<Elem>(std::size_t(n)), on);
}

/// The base when there is a peer.
GpuRow row_of(const std::string& name, double bytes, const CudaPeer* peer,
              std::function<void()> run, const char* base = "CUDA C++") {
  GpuRow row{name, bytes, {}};
  if (peer) row.candidates.push_back({base, std::move(run), 0, {}});
  return row;
}
void require(bool right, const char* what) {
  if (!right) throw kr::error(kr::error::kind_type::internal, what, "", 0);
}

struct Arrays {
  const kr::device& on;
  const Sizes& sizes;
  const std::string& ours;
  std::int64_t n;
  kr::array<float> x, out;
  std::vector<float> hx;
};

void sum_and_scan(Arrays& a, const CudaPeer* peer, std::vector<Row>& rows) {
  {
    auto total = zeros<float>(a.on, 1), other = zeros<float>(a.on, 1);
    const auto ours = [&] { kr::sum(a.x, kr::axis(0), kr::keepdims, kr::into(total)); };
    ours();
    double expected = 0;
    for (const float v : a.hx) expected += double(v);
    require(std::fabs(total.to_host()[0] / expected - 1) < 1e-5, "the sum is wrong");
    GpuRow row = row_of(
        "sum 2^" + std::to_string(a.sizes.log_n), 4.0 * double(a.n), peer,
        [&] { peer->sum(raw(a.x), raw(other), a.n); }, "CUB");
    row.candidates.push_back({a.ours, ours, 0, {}});
    rows.push_back(measure_on(a.on, row, a.sizes.rounds));
  }
  {
    kr::array<float> sums(kr::shape<1>(a.n), a.on);
    const auto ours = [&] { kr::cumsum(a.x, kr::into(sums)); };
    ours();
    const auto got = sums.to_host();
    double run = 0, worst = 0;
    for (std::size_t i = 0; i < a.hx.size(); ++i)
      run += double(a.hx[i]), worst = std::fmax(worst, std::fabs(double(got[i]) / run - 1));
    require(worst < 1e-4, "the scan is wrong");
    GpuRow row = row_of(
        "inclusive scan 2^" + std::to_string(a.sizes.log_n), 8.0 * double(a.n), peer,
        [&] { peer->scan(raw(a.x), raw(a.out), a.n); }, "CUB");
    row.candidates.push_back({a.ours, ours, 0, {}});
    rows.push_back(measure_on(a.on, row, a.sizes.rounds));
  }
}

void sort(Arrays& a, const CudaPeer* peer, std::vector<Row>& rows) {
  const std::int64_t n = std::int64_t(1) << a.sizes.log_keys;
  std::vector<unsigned> unsorted;
  for (std::int64_t i = 0; i < n; ++i)
    unsorted.push_back(unsigned(i) * 2654435761u ^ unsigned(i) >> 7);
  const auto keys = kr::to_device(unsorted, a.on);
  auto sorted = zeros<unsigned>(a.on, n);
  auto other = zeros<unsigned>(a.on, n);
  const auto ours = [&] { kr::sort(keys, kr::into(sorted)); };
  ours();
  const auto got = sorted.to_host();
  const auto mark = [](std::uint64_t sum, unsigned key) {
    return sum + std::uint64_t(key) * key;
  };  // of a set, whatever its order
  require(std::is_sorted(got.begin(), got.end()) &&
              std::accumulate(got.begin(), got.end(), std::uint64_t(0), mark) ==
                  std::accumulate(unsorted.begin(), unsorted.end(), std::uint64_t(0), mark),
          "the keys are not sorted");
  const auto raw_keys = [](const kr::array<unsigned>& v) {
    return reinterpret_cast<unsigned*>(v.address());
  };
  GpuRow row = row_of(
      "radix sort u32 2^" + std::to_string(a.sizes.log_keys), 0, peer,
      [&] { peer->sort(raw_keys(keys), raw_keys(other), n); }, "CUB");
  row.candidates.push_back({a.ours, ours, 0, {}});
  rows.push_back(measure_on(a.on, row, a.sizes.rounds));
}

void tiles(Arrays& a, const CudaPeer* peer, std::vector<Row>& rows) {
  {
    const int side = a.sizes.transpose;
    auto in = kr::array<float, 2>::wrap(a.x.address(), {side, side}, a.on),
         out = kr::array<float, 2>::wrap(a.out.address(), {side, side}, a.on);
    auto f = make_transpose();
    const auto ours = [&] { f.launch({{side / 32, side / 32}, {32, 8}}, in, out); };
    ours();
    const auto got = a.out.to_host();
    for (std::size_t i = 0; i < a.hx.size(); i += 9973)
      require(got[i] == a.hx[i % std::size_t(side) * std::size_t(side) + i / std::size_t(side)],
              "the transpose is wrong");
    GpuRow row = row_of("transpose " + std::to_string(side) + "^2", 8.0 * side * side, peer,
                        [&] { peer->transpose(raw(a.x), raw(a.out), side); });
    row.candidates.push_back({a.ours, ours, 0, {}});
    rows.push_back(measure_on(a.on, row, a.sizes.rounds));
  }
  {
    const int side = a.sizes.sgemm;
    kr::array<float> b(kr::shape<1>(side * side), a.on), c(kr::shape<1>(side * side), a.on);
    b.copy_from(std::vector<float>(a.hx.begin(), a.hx.begin() + side * side));
    auto ma = kr::array<float, 2>::wrap(a.x.address(), {side, side}, a.on),
         mb = kr::array<float, 2>::wrap(b.address(), {side, side}, a.on);
    auto mc = kr::array<float, 2>::wrap(c.address(), {side, side}, a.on);
    auto f = make_sgemm();
    const auto ours = [&] { f.launch({{side / 16, side / 16}, {16, 16}}, ma, mb, mc); };
    ours();
    const auto got = c.to_host();
    for (int i = 0; i < side; i += 511) {
      double expected = 0;
      for (int k = 0; k < side; ++k)
        expected +=
            double(a.hx[std::size_t(i) * side + k]) * double(a.hx[std::size_t(k) * side + i]);
      require(std::fabs(double(got[std::size_t(i) * side + i]) / expected - 1) < 1e-4,
              "the matrix product is wrong");
    }
    GpuRow row = row_of("SGEMM " + std::to_string(side) + ", tiles of 16", 0, peer,
                        [&] { peer->sgemm(raw(a.x), raw(b), raw(c), side); });
    row.candidates.push_back({a.ours, ours, 0, {}});
    rows.push_back(measure_on(a.on, row, a.sizes.rounds));
  }
}

void histogram(Arrays& a, const CudaPeer* peer, std::vector<Row>& rows) {
  auto words = kr::array<unsigned>::wrap(a.x.address(), kr::shape<1>(a.n), a.on);
  const auto low_bytes = low_bytes_of(words);
  auto counts = zeros<std::int64_t>(a.on, 256);
  auto other = zeros<unsigned>(a.on, 256);
  const auto ours = [&] { kr::histogram(low_bytes, 256, 0, 256, kr::into(counts)); };
  ours();
  std::vector<std::int64_t> expected(256);
  for (const float v : a.hx) ++expected[__builtin_bit_cast(unsigned, v) & 255];
  const auto got = counts.to_host();
  for (std::size_t i = 0; i < 256; ++i) require(got[i] == expected[i], "the histogram is wrong");
  GpuRow row =
      row_of("histogram of bytes 2^" + std::to_string(a.sizes.log_n), 4.0 * double(a.n), peer, [&] {
        peer->histogram(reinterpret_cast<unsigned*>(words.address()),
                        reinterpret_cast<unsigned*>(other.address()), a.n);
      });
  row.candidates.push_back({a.ours, ours, 0, {}});
  rows.push_back(measure_on(a.on, row, a.sizes.rounds));
}

void nbody(Arrays& a, const CudaPeer* peer, std::vector<Row>& rows) {
  const int bodies = a.sizes.bodies;
  auto p = kr::array<float, 2>::wrap(a.x.address(), {bodies, 4}, a.on),
       force = kr::array<float, 2>::wrap(a.out.address(), {bodies, 4}, a.on);
  GpuRow row = row_of("n-body " + std::to_string(bodies) + ", tiled", 0, peer,
                      [&] { peer->nbody_tiled(raw(a.x), raw(a.out), bodies); });
  constexpr kr::fp modes[] = {kr::fp::native, kr::fp::reproducible, kr::fp::fast};
  const std::string names[] = {a.ours + " native", a.ours + " reproducible", a.ours + " fast"};
  for (int m = 0; m < 3; ++m)
    row.candidates.push_back({names[m],
                              [&, f = std::make_shared<decltype(make_nbody_tiled(modes[m]))>(
                                      make_nbody_tiled(modes[m]))] {
                                f->launch({bodies / 256, 256}, p, force);
                              },
                              0,
                              {}});
  rows.push_back(measure_on(a.on, row, a.sizes.rounds));
}

}  // namespace

void measure_blocks(const krait::device& on, const CudaPeer* peer, const Sizes& sizes,
                    const std::string& ours, std::vector<Row>& rows) {
  Arrays a{on, sizes, ours, std::int64_t(1) << sizes.log_n, {}, {}, {}};
  a.hx.resize(std::size_t(a.n));
  for (std::size_t i = 0; i < a.hx.size(); ++i) {
    unsigned h = unsigned(i) * 2654435761u;
    h ^= h >> 16, h *= 0x85ebca6bu, h ^= h >> 13;
    a.hx[i] = float(h >> 8) * (1.0f / 16777216.0f) + 0.1f;
  }
  a.x = kr::to_device(a.hx, on);
  a.out = kr::array<float>(kr::shape<1>(a.n), on);
  sum_and_scan(a, peer, rows);
  sort(a, peer, rows);
  tiles(a, peer, rows);
  histogram(a, peer, rows);
  nbody(a, peer, rows);
}

}  // namespace bench
