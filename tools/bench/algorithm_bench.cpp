// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bench_algorithms [DEVICE] [--quick] [--cpu-time] [--only TEXT] [--json FILE]
// Sum, dot, scan, histogram and sorts of the product for small arrays, where a call's fixed cost
// counts, and for 2^15 to 2^24 elements: on CUDA beside CUB (the peer is libpeer_cuda.so, see
// run_gpu), on the CPU beside std::. Each run ends when its result is there; GPU calls wait once a
// batch.
#include <krait/algorithm/histogram.h>
#include <krait/algorithm/moments.h>
#include <krait/algorithm/scan.h>
#include <krait/algorithm/select.h>
#include <krait/algorithm/sort.h>
#include <krait/krait.h>

#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>

#include "cuda_peer.h"
#include "measure.h"

namespace {

namespace kr = krait;
using bench::Candidate;
using bench::Row;

const CudaPeer* load_peer() {
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libpeer_cuda.so";
  void* library = dlopen("libpeer_cuda.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::printf("not measured, CUB: %s\n", dlerror()), nullptr;
  return static_cast<const CudaPeer*>(dlsym(library, "krait_cuda_peer"));
}

class Bench {
 public:
  Bench(kr::device on, const bench::Wishes& wish)
      : on_(on), wish_(wish), cpu_(std::strcmp(on.id(), "cpu") == 0) {
    if (std::strncmp(on.id(), "cuda", 4) == 0) cub_ = load_peer();
  }
  void run(std::int64_t n) {
    std::mt19937 random(7);
    floats_.resize(std::size_t(n)), keys_.resize(std::size_t(n));
    for (auto& f : floats_) f = float(random()) * 0x1p-32f;
    for (auto& k : keys_) k = std::uint32_t(random());
    const kr::array<float> x = kr::to_device(floats_, on_), y = x.copy();
    const kr::array<std::uint32_t> keys = kr::to_device(keys_, on_);
    kr::array<float> out(kr::shape<1>(n), on_), total(kr::shape<1>(1), on_);
    kr::array<std::uint32_t> sorted(kr::shape<1>(n), on_), moved(kr::shape<1>(n), on_);
    const auto floats = [](const kr::array<float>& a) {
      return reinterpret_cast<float*>(a.address());
    };
    const auto words = [](const kr::array<std::uint32_t>& a) {
      return reinterpret_cast<unsigned*>(a.address());
    };
    std::vector<float> host_out(floats_.size());
    std::vector<std::uint32_t> host_keys;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(keys_.size());

    row(
        "sum f32", n, [&] { (void)kr::sum(x, kr::axis(0), kr::keepdims); },
        [&] { cub_->sum(floats(x), floats(total), n); },
        [&] { host_out[0] = std::accumulate(floats_.begin(), floats_.end(), 0.0f); });
    row(
        "new array, add f32", n, [&] { const kr::array<float> z = x + y; }, nullptr,
        [&] {
          std::vector<float> z(floats_.size());
          std::transform(floats_.begin(), floats_.end(), floats_.begin(), z.begin(), std::plus<>());
          host_out[0] = z[0];
        });
    row(
        "dot f32", n, [&] { (void)kr::sum(x * y, kr::axis(0), kr::keepdims); }, nullptr,
        [&] {
          host_out[0] = std::inner_product(floats_.begin(), floats_.end(), floats_.begin(), 0.0f);
        });
    row(
        "histogram f32, 64 bins", n, [&] { (void)kr::histogram(x, 64, 0.0, 1.0); }, nullptr,
        [&] {
          std::int64_t counts[64] = {};
          for (const float f : floats_) ++counts[std::min(int(f * 64), 63)];
          host_out[0] = float(counts[7]);
        });
    row(
        "scan f32", n, [&] { (void)kr::cumsum(x); }, [&] { cub_->scan(floats(x), floats(out), n); },
        [&] { std::inclusive_scan(floats_.begin(), floats_.end(), host_out.begin()); });
    row(
        "sort u32", n, [&] { (void)kr::sort(keys); },
        [&] { cub_->sort(words(keys), words(sorted), n); },
        [&] { host_keys = keys_, std::sort(host_keys.begin(), host_keys.end()); });
    row(
        "sort f32", n, [&] { (void)kr::sort(x); },
        [&] { cub_->sort_floats(floats(x), floats(out), n); },
        [&] { host_out = floats_, std::sort(host_out.begin(), host_out.end()); });
    row(
        "sort pairs u32", n, [&] { (void)kr::sort_by_key(keys, keys); },
        [&] { cub_->sort_pairs(words(keys), words(sorted), words(keys), words(moved), n); },
        [&] {
          for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {keys_[i], keys_[i]};
          std::stable_sort(pairs.begin(), pairs.end(),
                           [](auto& a, auto& b) { return a.first < b.first; });
        });
  }
  /// Rows of large arrays alone.
  void run_large(std::int64_t n) {
    std::mt19937_64 random(9);
    std::vector<std::uint64_t> longs(static_cast<std::size_t>(n)), host_longs;
    for (auto& k : longs) k = random();
    floats_.resize(std::size_t(n)), keys_.resize(std::size_t(n));
    for (auto& f : floats_) f = float(random() >> 32) * 0x1p-32f;
    for (auto& k : keys_) k = std::uint32_t(random());
    const kr::array<float> x = kr::to_device(floats_, on_);
    const kr::array<std::uint64_t> keys = kr::to_device(longs, on_);
    const kr::array<std::uint32_t> words = kr::to_device(keys_, on_);
    kr::array<std::uint64_t> sorted(kr::shape<1>(n), on_);
    kr::array<std::uint32_t> in_segments(kr::shape<1>(n), on_);
    const auto of = [](const auto& a) {
      return reinterpret_cast<typename std::remove_cvref_t<decltype(a)>::value_type*>(a.address());
    };
    row(
        "sort u64", n, [&] { (void)kr::sort(keys); },
        [&] {
          cub_->sort_longs(reinterpret_cast<unsigned long*>(of(keys)),
                           reinterpret_cast<unsigned long*>(of(sorted)), n);
        },
        [&] { host_longs = longs, std::sort(host_longs.begin(), host_longs.end()); });
    std::vector<std::uint32_t> host_words;
    for (const std::int64_t length : {300, 1000, 4000}) {
      std::vector<std::int64_t> offsets{0};
      while (offsets.back() < n)
        offsets.push_back(
            std::min(n, offsets.back() + std::int64_t(random() % std::uint64_t(length)) + 1));
      const kr::array<std::int64_t> at = kr::to_device(offsets, on_);
      row(("sort segments of up to " + std::to_string(length)).c_str(), n,
          [&] { (void)kr::segmented_sort(words, at); },
          [&] {
            cub_->sort_segments(of(words), of(in_segments), reinterpret_cast<long*>(of(at)),
                                long(offsets.size()) - 1, n);
          },
          [&] {
            host_words = keys_;
            for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
              std::sort(host_words.begin() + offsets[s], host_words.begin() + offsets[s + 1]);
          });
    }
    std::vector<float> best(100);
    row(
        "top 100", n, [&] { (void)kr::top_k(x, 100); }, nullptr,
        [&] {
          std::partial_sort_copy(floats_.begin(), floats_.end(), best.begin(), best.end(),
                                 std::greater<>());
        });
    double total = 0;
    // Permutations of three axes, none of which is a multiple of a tile.
    const std::int64_t side = 250;
    const long extents[] = {long(n / (side * 130)), side, 130};
    const auto cube = x(kr::range(0, extents[0] * extents[1] * extents[2]))
                          .reshape(extents[0], extents[1], extents[2]);
    kr::array<float> out(kr::shape<1>(cube.size()), on_);
    const int orders[][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (const auto& order : orders) {
      const std::string name = "permute " + std::to_string(order[0]) + std::to_string(order[1]) +
                               std::to_string(order[2]);
      kr::array<float, 3> turned(
          kr::shape<3>(extents[order[0]], extents[order[1]], extents[order[2]]), on_);
      row(
          name.c_str(), cube.size(),
          [&] { turned.copy_from(cube.permute(order[0], order[1], order[2])); },
          [&] { cub_->permute(of(x), of(out), extents, order); },
          [&] {
            std::vector<float> z(std::size_t(cube.size()));
            const long strides[] = {extents[1] * extents[2], extents[2], 1};
            std::size_t at = 0;
            for (long a = 0; a < extents[order[0]]; ++a)
              for (long b = 0; b < extents[order[1]]; ++b)
                for (long c = 0; c < extents[order[2]]; ++c)
                  z[at++] = floats_[std::size_t(a * strides[order[0]] + b * strides[order[1]] +
                                                c * strides[order[2]])];
            total += double(z[0]);
          });
    }
    if (total == 0.5) std::printf("\n");  // the host's sums are used
  }
  /// What reads its arrays once and computes little. On CUDA beside CUB's sum of as many bytes,
  /// which is the memory's speed.
  void run_streams(std::int64_t n) {
    std::mt19937_64 random(11);
    floats_.resize(std::size_t(2 * n));
    for (auto& f : floats_) f = float(random() >> 32) * 0x1p-32f;
    const kr::array<float> both = kr::to_device(floats_, on_);
    const kr::array<const float> x = both(kr::range(0, n)), y = both(kr::range(n, kr::end));
    kr::array<float> z(kr::shape<1>(n), on_), one(kr::shape<1>(1), on_);
    float* const address = reinterpret_cast<float*>(both.address());
    float* const out = reinterpret_cast<float*>(z.address());
    const auto read_once = [&] { cub_->sum(address, reinterpret_cast<float*>(one.address()), n); };
    double total = 0;
    row(
        "saxpy as an expression", n, [&] { (2.0f * x + y).into(z); },
        [&] { cub_->saxpy_float4(2.0f, address, address + n, out, n); },
        [&] {
          std::vector<float> sum(static_cast<std::size_t>(n));
          for (std::size_t i = 0; i < sum.size(); ++i)
            sum[i] = 2.0f * floats_[i] + floats_[std::size_t(n) + i];
          total += double(sum[0]);
        });
    row(
        "sum, array f32", n, [&] { (void)kr::sum(x, kr::axis(0), kr::keepdims); }, read_once,
        [&] { total += std::accumulate(floats_.begin(), floats_.begin() + n, 0.0f); });
    row(
        "dot, arrays f32", n, [&] { (void)kr::sum(x * y, kr::axis(0), kr::keepdims); },
        [&] { cub_->sum(address, reinterpret_cast<float*>(one.address()), 2 * n); },
        [&] {
          total +=
              std::inner_product(floats_.begin(), floats_.begin() + n, floats_.begin() + n, 0.0f);
        });
    row(
        "mean f32", n, [&] { (void)kr::mean(x, kr::axis(0), kr::keepdims); }, read_once,
        [&] { total += std::accumulate(floats_.begin(), floats_.begin() + n, 0.0f); });
    row(
        "variance f32", n, [&] { (void)kr::variance(x, kr::axis(0), kr::keepdims); }, read_once,
        [&] {
          const float mean = std::accumulate(floats_.begin(), floats_.begin() + n, 0.0f) / float(n);
          for (std::int64_t i = 0; i < n; ++i)
            total += double((floats_[std::size_t(i)] - mean) * (floats_[std::size_t(i)] - mean));
        });
    row(
        "norm f32", n, [&] { (void)kr::norm(x, kr::axis(0), kr::keepdims); }, read_once,
        [&] {
          total += std::inner_product(floats_.begin(), floats_.begin() + n, floats_.begin(), 0.0f);
        });
    row(
        "scan, array f32", n, [&] { (void)kr::cumsum(x); }, [&] { cub_->scan(address, out, n); },
        [&] {
          std::vector<float> sums(static_cast<std::size_t>(n));
          std::inclusive_scan(floats_.begin(), floats_.begin() + n, sums.begin());
          total += double(sums[0]);
        });
    if (total == 0.5) std::printf("\n");  // the host's sums are used
  }
  const std::vector<Row>& rows() const { return rows_; }
  bool on_cpu() const { return cpu_; }

 private:
  /// A candidate runs so many times and then waits, so that a sample has the time of one.
  template <class Ours, class Cub, class Std>
  void row(const char* name, std::int64_t n, const Ours& ours, const Cub& cub,
           const Std& standard) {
    const int batch = n > 1 << 16 || wish_.quick ? (cpu_ ? 1 : 4) : 64;
    Row r{std::string(name) + " " + std::to_string(n), {}};
    if (!wish_.wants(r.workload)) return;
    const auto add = [&](const char* candidate, const auto& run) {
      r.candidates.push_back({candidate,
                              [this, batch, run] {
                                for (int i = 0; i < batch; ++i) run();
                                on_.synchronize();
                              },
                              0,
                              0,
                              {}});
    };
    if constexpr (!std::is_null_pointer_v<Cub>)
      if (cub_) add("CUB", cub);
    if (cpu_) add("std", standard);
    add("Krait", ours);
    for (Candidate& c : r.candidates) c.run();
    kr::wait_for_compilations();
    bench::measure(r, wish_.quick ? 1 : 5, wish_.quick ? 1 : 40, wish_.clock);
    for (Candidate& c : r.candidates) c.ms /= batch;
    std::printf("| %s |", r.workload.c_str());
    for (const Candidate& c : r.candidates)
      std::printf(" %s %.2f us (%.3fx) |", c.name.c_str(), 1e3 * c.ms, bench::median(c.ratios));
    std::printf("\n");
    std::fflush(stdout);
    rows_.push_back(std::move(r));
  }

  kr::device on_;
  bench::Wishes wish_;
  bool cpu_;
  const CudaPeer* cub_ = nullptr;
  std::vector<float> floats_;
  std::vector<std::uint32_t> keys_;
  std::vector<Row> rows_;
};

}  // namespace

int main(int argc, char** argv) try {
  const bench::Wishes wish(argc, argv);
  const kr::device on = wish.device ? kr::device::find(wish.device) : kr::device();
  std::printf("%s (%s)\n", on.id(), on.name());
  Bench bench(on, wish);
  for (const std::int64_t n : {16, 64, 256, 1024, 2048, 4096}) bench.run(n);
  for (const int power : {15, 18, 20, 22, 24})
    if (power <= 20 || !wish.quick) bench.run(std::int64_t(1) << power);
  bench.run_large(std::int64_t(1) << (wish.quick ? 20 : 24));
  for (const int power : {20, 24, 28})
    if (power == 20 || !wish.quick) {
      if (power < 28 || !bench.on_cpu()) bench.run_streams(std::int64_t(1) << power);
    }
  if (wish.json) bench::write_json(wish.json, bench.rows(), on.name());
} catch (const std::exception& e) {
  std::printf("%s\n", e.what());
  return 1;
}
