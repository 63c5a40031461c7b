// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bench_fft [DEVICE] [--quick] [--cpu-time] [--only TEXT] [--json FILE]
// kr::fft beside the library that each device has: cuFFT on CUDA, FFTW on the CPU, with one thread
// for few elements, each opened where it is installed. Complex numbers, transforms along the rows;
// a GPU's calls wait once a batch. In GFLOP/s of 5 n log2 n a transform, as FFTW's own benchmark
// counts.
#include <krait/algorithm/fft.h>
#include <krait/krait.h>

#include <dlfcn.h>

#include <cmath>
#include <cstring>
#include <random>
#include <thread>

#include "measure.h"

namespace {

namespace kr = krait;
using bench::Candidate;
using bench::Row;

void* open_first(std::initializer_list<const char*> names, int how = RTLD_NOW | RTLD_LOCAL) {
  for (const char* name : names)
    if (void* library = dlopen(name, how)) return library;
  return nullptr;
}

/// Transforms of rows, `rows` of n, so many times; it returns when they are done.
using Transform = std::function<void(int times)>;

template <class T>
Transform fftw(std::complex<T>* from, std::complex<T>* to, int rows, int n) {
  constexpr bool two = sizeof(T) == 8;
  using Plan = void* (*)(int, const int*, int, void*, const int*, int, int, void*, const int*, int,
                         int, int, unsigned);
  void* const library =
      open_first({two ? "libfftw3.so.3" : "libfftw3f.so.3"}, RTLD_NOW | RTLD_GLOBAL);
  if (!library) return std::printf("not measured, FFTW: %s\n", dlerror()), nullptr;
  const auto plan =
      reinterpret_cast<Plan>(dlsym(library, two ? "fftw_plan_many_dft" : "fftwf_plan_many_dft"));
  const auto execute =
      reinterpret_cast<void (*)(void*)>(dlsym(library, two ? "fftw_execute" : "fftwf_execute"));
  if (void* const threads =
          open_first({two ? "libfftw3_threads.so.3" : "libfftw3f_threads.so.3"})) {
    const auto start = reinterpret_cast<int (*)()>(
        dlsym(threads, two ? "fftw_init_threads" : "fftwf_init_threads"));
    const auto use = reinterpret_cast<void (*)(int)>(
        dlsym(threads, two ? "fftw_plan_with_nthreads" : "fftwf_plan_with_nthreads"));
    if (start && use && start())
      use(std::int64_t(rows) * n < 1 << 14 ? 1 : int(std::thread::hardware_concurrency()));
  }
  constexpr int forward = -1;
  constexpr unsigned measure = 0;
  void* const made =
      plan ? plan(1, &n, rows, from, nullptr, 1, n, to, nullptr, 1, n, forward, measure) : nullptr;
  if (!made || !execute) return std::printf("not measured, FFTW: it makes no plan\n"), nullptr;
  return [=](int times) {
    for (int i = 0; i < times; ++i) execute(made);
  };
}

template <class T>
Transform cufft(std::complex<T>* from, std::complex<T>* to, int rows, int n) {
  using Plan = int (*)(int*, int, int*, int*, int, int, int*, int, int, int, int);
  using Execute = int (*)(int, void*, void*, int);
  void* const library =
      open_first({"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"});
  if (!library) return std::printf("not measured, cuFFT: %s\n", dlerror()), nullptr;
  // It runs on the runtime's own stream, for which no stream of Krait's waits; the first wait makes
  // the runtime ready.
  void* const runtime =
      open_first({"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so"});
  const auto wait =
      runtime ? reinterpret_cast<int (*)()>(dlsym(runtime, "cudaDeviceSynchronize")) : nullptr;
  if (!wait) return std::printf("not measured, cuFFT: %s\n", dlerror()), nullptr;
  wait();
  const auto plan = reinterpret_cast<Plan>(dlsym(library, "cufftPlanMany"));
  const auto execute =
      reinterpret_cast<Execute>(dlsym(library, sizeof(T) == 8 ? "cufftExecZ2Z" : "cufftExecC2C"));
  constexpr int single_complex = 0x29, double_complex = 0x69, forward = -1;
  int made = 0;
  if (!plan || !execute ||
      plan(&made, 1, &n, nullptr, 1, n, nullptr, 1, n,
           sizeof(T) == 8 ? double_complex : single_complex, rows) != 0)
    return std::printf("not measured, cuFFT: it makes no plan\n"), nullptr;
  const int executed = execute(made, from, to, forward), waited = wait();
  if (executed != 0 || waited != 0)
    return std::printf("not measured, cuFFT: it ends with %d, and the runtime with %d\n", executed,
                       waited),
           nullptr;
  return [=](int times) {
    for (int i = 0; i < times; ++i) execute(made, from, to, forward);
    wait();
  };
}

class Bench {
 public:
  Bench(kr::device on, const bench::Wishes& wish) : on_(on), wish_(wish) {}

  template <class T>
  void run(const char* type, std::int64_t rows, std::int64_t n) {
    Row r{std::string(type) + " " + std::to_string(rows) + " x " + std::to_string(n), {}};
    if (!wish_.wants(r.workload)) return;
    std::normal_distribution<T> normal;
    std::vector<std::complex<T>> all(std::size_t(rows * n));
    for (auto& x : all) x = {normal(random_), normal(random_)};
    kr::array<std::complex<T>, 2> x({rows, n}, on_), theirs({rows, n}, on_);
    const auto at = [](const auto& a) { return reinterpret_cast<std::complex<T>*>(a.address()); };
    const bool cpu = std::strcmp(on_.id(), "cpu") == 0;
    const double flops = 5.0 * double(rows) * double(n) * std::log2(double(n));
    const int batch = std::max(1, std::min(cpu ? 100 : 16, int((cpu ? 1e7 : 1e11) / flops)));
    const auto add = [&](const char* name, const Transform& run) {
      r.candidates.push_back({name, [batch, run] { run(batch); }, 0, 0, {}});
    };
    const Transform peer = cpu ? fftw(at(x), at(theirs), int(rows), int(n))
                           : std::strncmp(on_.id(), "cuda", 4) == 0
                               ? cufft(at(x), at(theirs), int(rows), int(n))
                               : nullptr;
    x.copy_from(all);  // plans are made with whatever elements
    if (peer) add(cpu ? "FFTW" : "cuFFT", peer);
    add("Krait", [&](int times) {
      for (int i = 0; i < times; ++i) (void)kr::fft(x);
      on_.synchronize();
    });
    for (Candidate& c : r.candidates) c.run();
    kr::wait_for_compilations();
    bench::measure(r, wish_.quick ? 1 : 5, wish_.quick ? 1 : 100, wish_.clock);
    std::printf("| %s |", r.workload.c_str());
    for (Candidate& c : r.candidates) {
      c.ms /= batch;
      std::printf(" %s %.4f ms, %.1f GFLOP/s (%.2fx) |", c.name.c_str(), c.ms, flops / c.ms * 1e-6,
                  bench::median(c.ratios));
    }
    std::printf("\n");
    std::fflush(stdout);
    rows_.push_back(std::move(r));
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  kr::device on_;
  bench::Wishes wish_;
  std::mt19937 random_{7};
  std::vector<Row> rows_;
};

}  // namespace

int main(int argc, char** argv) try {
  const bench::Wishes wish(argc, argv);
  const kr::device on = wish.device ? kr::device::find(wish.device) : kr::device();
  std::printf("%s (%s)\n", on.id(), on.name());
  Bench bench(on, wish);
  const bool large = !wish.quick && std::strcmp(on.id(), "cpu") != 0;
  for (const std::int64_t n : {16, 64, 256, 1024, 4096, 65536, 1 << 20})
    if (n <= 4096 || !wish.quick) bench.run<float>("f32", 1, n);
  bench.run<float>("f32", wish.quick ? 16 : 1024, 1024);
  bench.run<double>("f64", wish.quick ? 16 : 1024, 1024);
  bench.run<float>("f32", wish.quick ? 16 : 1024, 1000);
  bench.run<float>("f32", wish.quick ? 16 : 1024, 1009);
  if (large) bench.run<float>("f32", 1, 1 << 24), bench.run<float>("f32", 16384, 1024);
  if (wish.json) bench::write_json(wish.json, bench.rows(), on.name());
} catch (const std::exception& e) {
  std::printf("%s\n", e.what());
  return 1;
}
