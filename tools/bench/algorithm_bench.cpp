// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bench_algorithms [DEVICE] [--quick] [--cpu-time] [--only TEXT] [--json FILE]
// Sum, dot, scan, histogram and sorts of the product for small arrays, where a call's fixed cost counts, and for 2^15 to 2^24 elements: on CUDA beside CUB (the
// peer is libpeer_cuda.so, see run_gpu), on the CPU beside std::. Each run ends when its result is there; GPU calls wait once a batch.
#include <krait/algorithm/histogram.h>
#include <krait/algorithm/scan.h>
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
  const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libpeer_cuda.so";
  void* library = dlopen("libpeer_cuda.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::printf("not measured, CUB: %s\n", dlerror()), nullptr;
  return static_cast<const CudaPeer*>(dlsym(library, "krait_cuda_peer"));
}

class Bench {
 public:
  Bench(kr::device on, const bench::Wishes& wish) : on_(on), wish_(wish), cpu_(std::strcmp(on.id(), "cpu") == 0) {
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
    const auto floats = [](const kr::array<float>& a) { return reinterpret_cast<float*>(a.address()); };
    const auto words = [](const kr::array<std::uint32_t>& a) { return reinterpret_cast<unsigned*>(a.address()); };
    std::vector<float> host_out(floats_.size());
    std::vector<std::uint32_t> host_keys;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(keys_.size());

    row(
        "sum f32", n, [&] { (void)kr::sum(x, kr::axis(0), kr::keepdims); }, [&] { cub_->sum(floats(x), floats(total), n); },
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
        [&] { host_out[0] = std::inner_product(floats_.begin(), floats_.end(), floats_.begin(), 0.0f); });
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
        "sort u32", n, [&] { (void)kr::sort(keys); }, [&] { cub_->sort(words(keys), words(sorted), n); },
        [&] { host_keys = keys_, std::sort(host_keys.begin(), host_keys.end()); });
    row(
        "sort f32", n, [&] { (void)kr::sort(x); }, [&] { cub_->sort_floats(floats(x), floats(out), n); },
        [&] { host_out = floats_, std::sort(host_out.begin(), host_out.end()); });
    row(
        "sort pairs u32", n, [&] { (void)kr::sort_by_key(keys, keys); },
        [&] { cub_->sort_pairs(words(keys), words(sorted), words(keys), words(moved), n); },
        [&] {
          for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {keys_[i], keys_[i]};
          std::stable_sort(pairs.begin(), pairs.end(), [](auto& a, auto& b) { return a.first < b.first; });
        });
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  /// A candidate runs so many times and then waits, so that a sample has the time of one.
  template <class Ours, class Cub, class Std>
  void row(const char* name, std::int64_t n, const Ours& ours, const Cub& cub, const Std& standard) {
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
  if (wish.json) bench::write_json(wish.json, bench.rows(), on.name());
} catch (const std::exception& e) {
  std::printf("%s\n", e.what());
  return 1;
}
