// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bench_matmul [DEVICE] [--quick] [--json FILE]
// kr::matmul beside the vendor's: cuBLAS on CUDA, OpenBLAS on the CPU, each opened where it is installed. Random operands; a GPU's
// calls wait once a batch. In TFLOP/s of 2 m n k.
#include <krait/algorithm/matmul.h>
#include <krait/krait.h>

#include <dlfcn.h>

#include <cstring>
#include <random>
#include <utility>

#include "measure.h"

namespace {

namespace kr = krait;
using bench::Candidate;
using bench::Row;

void* open_first(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

/// c = a b of row-major matrices: m by k, k by n.
template <class T>
using Product = std::function<void(const T* a, const T* b, T* c, int m, int n, int k)>;

/// cuBLAS has columns first: the transposed product of the transposed matrices is the same memory.
template <class T>
Product<T> cublas() {
  using Create = int (*)(void**);
  using Gemm = int (*)(void*, int, int, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int);
  void* const library = open_first({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"});
  if (!library) return std::printf("not measured, cuBLAS: %s\n", dlerror()), nullptr;
  const auto create = reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"));
  const auto gemm = reinterpret_cast<Gemm>(dlsym(library, sizeof(T) == 8 ? "cublasDgemm_v2" : "cublasSgemm_v2"));
  void* handle = nullptr;
  if (!create || !gemm || create(&handle) != 0) return std::printf("not measured, cuBLAS: it cannot be started\n"), nullptr;
  return [=](const T* a, const T* b, T* c, int m, int n, int k) {
    const T one = 1, zero = 0;
    gemm(handle, 0, 0, n, m, k, &one, b, n, a, k, &zero, c, n);
  };
}
/// Of bf16 and f16, with sums of f32 (cublasGemmEx).
template <class T>
requires(sizeof(T) == 2) Product<T> cublas_halves() {
  using Create = int (*)(void**);
  using Gemm = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, const void*,
                       void*, int, int, int, int);
  void* const library = open_first({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"});
  if (!library) return std::printf("not measured, cuBLAS: %s\n", dlerror()), nullptr;
  const auto create = reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"));
  const auto gemm = reinterpret_cast<Gemm>(dlsym(library, "cublasGemmEx"));
  void* handle = nullptr;
  if (!create || !gemm || create(&handle) != 0) return std::printf("not measured, cuBLAS: it cannot be started\n"), nullptr;
  constexpr int halves = 2, brains = 14, sums = 68, any = -1;  // cudaDataType, cublasComputeType_t, cublasGemmAlgo_t
  const int type = std::is_same_v<T, kr::bf16> ? brains : halves;
  return [=](const T* a, const T* b, T* c, int m, int n, int k) {
    const float one = 1, zero = 0;
    gemm(handle, 0, 0, n, m, k, &one, b, type, n, a, type, k, &zero, c, type, n, sums, any);
  };
}
template <class T>
Product<T> openblas() {
  using Gemm = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
  void* const library = open_first({"libopenblas.so.0", "libopenblas.so"});
  if (!library) return std::printf("not measured, OpenBLAS: %s\n", dlerror()), nullptr;
  const auto gemm = reinterpret_cast<Gemm>(dlsym(library, sizeof(T) == 8 ? "cblas_dgemm" : "cblas_sgemm"));
  if (!gemm) return std::printf("not measured, OpenBLAS: no cblas_sgemm\n"), nullptr;
  static bool said = false;  // where OpenBLAS does not know the processor, it takes a slow one: OPENBLAS_CORETYPE=SkylakeX
  if (const auto core = reinterpret_cast<const char* (*)()>(dlsym(library, "openblas_get_corename"));
      core && !std::exchange(said, true))
    std::printf("OpenBLAS computes for a %s\n", core());
  constexpr int row_major = 101, as_it_is = 111;
  return [=](const T* a, const T* b, T* c, int m, int n, int k) {
    gemm(row_major, as_it_is, as_it_is, m, n, k, 1, a, k, b, n, 0, c, n);
  };
}

class Bench {
 public:
  Bench(kr::device on, bool quick) : on_(on), quick_(quick) {}

  template <class T>
  void run(const char* type, std::int64_t m, std::int64_t n, std::int64_t k) {
    const kr::array<T, 2> a = random<T>(m, k), b = random<T>(k, n);
    kr::array<T, 2> theirs({m, n}, on_);
    const bool cpu = std::strcmp(on_.id(), "cpu") == 0;
    const double flops = 2.0 * double(m) * double(n) * double(k);
    const int batch = cpu ? std::max(1, std::min(256, int(1e6 / flops))) : std::max(1, std::min(16, int(4e12 / flops)));
    Row r{std::string(type) + " " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k), {}};
    const auto add = [&](const char* name, const auto& once) {
      r.candidates.push_back({name,
                              [this, batch, once] {
                                for (int i = 0; i < batch; ++i) once();
                                on_.synchronize();
                              },
                              0,
                              0,
                              {}});
    };
    const auto at = [](const kr::array<T, 2>& x) { return reinterpret_cast<T*>(x.address()); };
    const Product<T> peer = [&]() -> Product<T> {
      const bool cuda = std::strncmp(on_.id(), "cuda", 4) == 0;
      if constexpr (sizeof(T) == 2) return cuda ? cublas_halves<T>() : nullptr;
      else return cpu ? openblas<T>() : cuda ? cublas<T>() : nullptr;
    }();
    if (peer) add(cpu ? "OpenBLAS" : "cuBLAS", [&] { peer(at(a), at(b), at(theirs), int(m), int(n), int(k)); });
    add("Krait", [&] { (void)kr::matmul(a, b); });
    for (Candidate& c : r.candidates) c.run();
    kr::wait_for_compilations();
    bench::measure(r, quick_ ? 1 : 5, quick_ ? 1 : 100);
    std::printf("| %s |", r.workload.c_str());
    for (Candidate& c : r.candidates) {
      c.ms /= batch;
      std::printf(" %s %.3f ms, %.3f TFLOP/s (%.2fx) |", c.name.c_str(), c.ms, flops / c.ms * 1e-9, bench::median(c.ratios));
    }
    if (peer) std::printf(" largest difference %.3g |", difference(kr::matmul(a, b), theirs));
    std::printf("\n");
    std::fflush(stdout);
    rows_.push_back(std::move(r));
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  template <class T>
  static double difference(const kr::array<T, 2>& x, const kr::array<T, 2>& y) {
    const std::vector<T> a = x.to_host(), b = y.to_host();
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(double(a[i]) - double(b[i])));
    return most;
  }
  template <class T>
  kr::array<T, 2> random(std::int64_t rows, std::int64_t columns) {
    std::normal_distribution<float> normal;
    std::vector<T> all(std::size_t(rows * columns));
    for (T& x : all) x = T(normal(random_));
    return kr::to_device(all, on_).reshape(rows, columns);
  }

  kr::device on_;
  bool quick_;
  std::mt19937 random_{7};
  std::vector<Row> rows_;
};

}  // namespace

int main(int argc, char** argv) try {
  const bench::Wishes wish(argc, argv);
  const kr::device on = wish.device ? kr::device::find(wish.device) : kr::device();
  std::printf("%s (%s)\n", on.id(), on.name());
  Bench bench(on, wish.quick);
  const bool large = !wish.quick && std::strcmp(on.id(), "cpu") != 0;
  for (const std::int64_t n : {4, 8, 16, 32, 64, 256, 1024, 2048, 4096})
    if (n <= 256 || !wish.quick) {
      if (n > 2048 && !large) continue;
      bench.run<float>("f32", n, n, n);
      if (n <= 2048) bench.run<double>("f64", n, n, n);
    }
  if (large) {
    for (const std::int64_t n : {512, 1024, 2048, 4096, 8192}) bench.run<kr::bf16>("bf16", n, n, n);
    bench.run<kr::f16>("f16", 4096, 4096, 4096);
    bench.run<kr::bf16>("bf16", 128, 4096, 4096);
    bench.run<kr::bf16>("bf16", 4095, 1025, 513);
    bench.run<double>("f64", 4096, 4096, 4096);
  }
  bench.run<float>("f32", wish.quick ? 16 : 128, wish.quick ? 64 : 4096, wish.quick ? 64 : 4096);
  bench.run<float>("f32", wish.quick ? 63 : 4095, wish.quick ? 65 : 1025, wish.quick ? 31 : 513);
  if (wish.json) bench::write_json(wish.json, bench.rows(), on.name());
} catch (const std::exception& e) {
  std::printf("%s\n", e.what());
  return 1;
}
