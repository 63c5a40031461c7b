// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bench_matmul [DEVICE] [--quick] [--cpu-time] [--only TEXT] [--json FILE]
// kr::matmul beside the vendor's: cuBLAS on CUDA, on the CPU OpenBLAS and, of narrow types, oneDNN,
// each opened where it is installed. Random operands; a GPU's calls wait once a batch. In TFLOP/s
// of 2 m n k.
#include <krait/algorithm/grouped_matmul.h>
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
template <class T, class Out = T>
using Product = std::function<void(const T* a, const T* b, Out* c, int m, int n, int k)>;

/// cuBLAS has columns first: the transposed product of the transposed matrices is the same memory.
template <class T>
Product<T> cublas() {
  using Create = int (*)(void**);
  using Gemm = int (*)(void*, int, int, int, int, int, const T*, const T*, int, const T*, int,
                       const T*, T*, int);
  void* const library =
      open_first({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"});
  if (!library) return std::printf("not measured, cuBLAS: %s\n", dlerror()), nullptr;
  const auto create = reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"));
  const auto gemm =
      reinterpret_cast<Gemm>(dlsym(library, sizeof(T) == 8 ? "cublasDgemm_v2" : "cublasSgemm_v2"));
  void* handle = nullptr;
  if (!create || !gemm || create(&handle) != 0)
    return std::printf("not measured, cuBLAS: it cannot be started\n"), nullptr;
  return [=](const T* a, const T* b, T* c, int m, int n, int k) {
    const T one = 1, zero = 0;
    gemm(handle, 0, 0, n, m, k, &one, b, n, a, k, &zero, c, n);
  };
}
/// Of narrow types, or of f32 with factors of tf32 (cublasGemmEx); b lies by columns where it is
/// `turned`.
template <class T, class Out>
Product<T, Out> cublas_ex(bool turned) {
  using Create = int (*)(void**);
  using Gemm = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int,
                       const void*, int, int, const void*, void*, int, int, int, int);
  void* const library =
      open_first({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"});
  if (!library) return std::printf("not measured, cuBLAS: %s\n", dlerror()), nullptr;
  const auto create = reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"));
  const auto gemm = reinterpret_cast<Gemm>(dlsym(library, "cublasGemmEx"));
  void* handle = nullptr;
  if (!create || !gemm || create(&handle) != 0)
    return std::printf("not measured, cuBLAS: it cannot be started\n"), nullptr;
  // cudaDataType, cublasComputeType_t, cublasGemmAlgo_t
  constexpr int floats = 0, halves = 2, bytes = 3, words = 10, brains = 14, of_floats = 68,
                of_words = 72, of_tf32 = 77, any = -1;
  const auto type_of = []<class X>(X) {
    return std::is_same_v<X, kr::bf16>      ? brains
           : std::is_same_v<X, kr::f16>     ? halves
           : std::is_same_v<X, float>       ? floats
           : std::is_same_v<X, std::int8_t> ? bytes
                                            : words;
  };
  const int type = type_of(T()), result = type_of(Out()),
            sums = type == bytes    ? of_words
                   : type == floats ? of_tf32
                                    : of_floats;
  return [=](const T* a, const T* b, Out* c, int m, int n, int k) {
    const float one = 1, zero = 0;
    const std::int32_t whole = 1, none = 0;
    const void *alpha = type == bytes ? static_cast<const void*>(&whole) : &one,
               *beta = type == bytes ? static_cast<const void*>(&none) : &zero;
    const int failed = gemm(handle, turned, 0, n, m, k, alpha, b, type, turned ? k : n, a, type, k,
                            beta, c, result, n, sums, any);
    static bool said = false;
    if (failed && !std::exchange(said, true)) std::printf("cuBLAS refuses: %d\n", failed);
  };
}
/// Of f8e4m3 as bf16 (cublasLtMatmul), sums rounded as the tensor cores leave them; b lies by
/// columns, as cuBLASLt wants it.
Product<kr::f8e4m3, kr::bf16> cublas_lt() {
  using Handle = void*;
  using Create = int (*)(Handle*);
  using CreateDescription = int (*)(Handle*, int, int);
  using CreateLayout = int (*)(Handle*, int, std::uint64_t, std::uint64_t, std::int64_t);
  using Set = int (*)(Handle, int, const void*, std::size_t);
  struct Found {
    std::uint64_t algorithm[8];
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
  };
  using Find = int (*)(Handle, Handle, Handle, Handle, Handle, Handle, Handle, int, Found*, int*);
  using Multiply =
      int (*)(Handle, Handle, const void*, const void*, Handle, const void*, Handle, const void*,
              const void*, Handle, void*, Handle, const void*, void*, std::size_t, void*);
  void* const library = open_first({"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"});
  if (!library) return std::printf("not measured, cuBLASLt: %s\n", dlerror()), nullptr;
  const auto create = reinterpret_cast<Create>(dlsym(library, "cublasLtCreate"));
  const auto describe =
      reinterpret_cast<CreateDescription>(dlsym(library, "cublasLtMatmulDescCreate"));
  const auto lay = reinterpret_cast<CreateLayout>(dlsym(library, "cublasLtMatrixLayoutCreate"));
  const auto set = reinterpret_cast<Set>(dlsym(library, "cublasLtMatmulDescSetAttribute"));
  const auto prefer = reinterpret_cast<Create>(dlsym(library, "cublasLtMatmulPreferenceCreate"));
  const auto set_preference =
      reinterpret_cast<Set>(dlsym(library, "cublasLtMatmulPreferenceSetAttribute"));
  const auto find = reinterpret_cast<Find>(dlsym(library, "cublasLtMatmulAlgoGetHeuristic"));
  const auto multiply = reinterpret_cast<Multiply>(dlsym(library, "cublasLtMatmul"));
  Handle handle = nullptr;
  if (!create || !describe || !lay || !set || !prefer || !set_preference || !find || !multiply ||
      create(&handle) != 0)
    return std::printf("not measured, cuBLASLt: it cannot be started\n"), nullptr;
  // cudaDataType, cublasComputeType_t, cublasLtMatmulDescAttributes_t,
  // cublasLtMatmulPreferenceAttributes_t
  constexpr int floats = 0, brains = 14, eights = 28, of_floats = 68, turned_left = 3,
                fast_sums = 25, most_workspace = 1;
  Handle description = nullptr, preference = nullptr;
  const std::int32_t yes = 1;
  const std::int8_t fast = 1;
  const std::size_t bytes = 32 << 20;
  describe(&description, of_floats, floats), set(description, turned_left, &yes, sizeof yes),
      set(description, fast_sums, &fast, 1);
  prefer(&preference), set_preference(preference, most_workspace, &bytes, sizeof bytes);
  struct Plan {
    std::int64_t m = 0, n = 0, k = 0;
    Handle left = nullptr, right = nullptr, result = nullptr;
    Found found{};
  };
  static auto& workspace =
      *new kr::array<std::uint8_t, 1>({std::int64_t(bytes)}, kr::device::find("cuda:0"));
  return [=, plan = Plan()](const kr::f8e4m3* a, const kr::f8e4m3* b, kr::bf16* c, int m, int n,
                            int k) mutable {
    if (plan.m != m || plan.n != n || plan.k != k) {
      plan.m = m, plan.n = n, plan.k = k;
      const auto of = [](int x) { return std::uint64_t(x); };
      lay(&plan.left, eights, of(k), of(n), k), lay(&plan.right, eights, of(k), of(m), k),
          lay(&plan.result, brains, of(n), of(m), n);
      int count = 0;
      const int failed = find(handle, description, plan.left, plan.right, plan.result, plan.result,
                              preference, 1, &plan.found, &count);
      if (failed || count == 0) std::printf("cuBLASLt refuses: %d\n", failed);
    }
    const float one = 1, zero = 0;
    multiply(handle, description, &one, b, plan.left, a, plan.right, &zero, c, plan.result, c,
             plan.result, &plan.found, reinterpret_cast<void*>(workspace.address()), bytes,
             nullptr);
  };
}
template <class T>
Product<T> openblas() {
  using Gemm = void (*)(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
  void* const library = open_first({"libopenblas.so.0", "libopenblas.so"});
  if (!library) return std::printf("not measured, OpenBLAS: %s\n", dlerror()), nullptr;
  const auto gemm =
      reinterpret_cast<Gemm>(dlsym(library, sizeof(T) == 8 ? "cblas_dgemm" : "cblas_sgemm"));
  if (!gemm) return std::printf("not measured, OpenBLAS: no cblas_sgemm\n"), nullptr;
  // where OpenBLAS does not know the processor, it takes a slow one: OPENBLAS_CORETYPE=SkylakeX
  static bool said = false;
  if (const auto core =
          reinterpret_cast<const char* (*)()>(dlsym(library, "openblas_get_corename"));
      core && !std::exchange(said, true))
    std::printf("OpenBLAS computes for a %s\n", core());
  constexpr int row_major = 101, as_it_is = 111;
  return [=](const T* a, const T* b, T* c, int m, int n, int k) {
    gemm(row_major, as_it_is, as_it_is, m, n, k, 1, a, k, b, n, 0, c, n);
  };
}

/// oneDNN's, which libpeer_dnnl.so beside the program has where it was built (peer_dnnl.cpp).
template <class T, class Out>
Product<T, Out> onednn(const char* type, bool turned) {
  using Multiply = bool (*)(const char*, const void*, const void*, void*, int, int, int, bool);
  void* const library = open_first({"libpeer_dnnl.so"});
  if (!library) return std::printf("not measured, oneDNN: %s\n", dlerror()), nullptr;
  const auto multiply = reinterpret_cast<Multiply>(dlsym(library, "peer_dnnl"));
  const std::string name = type;
  return [=](const T* a, const T* b, Out* c, int m, int n, int k) {
    static bool said = false;
    if (!multiply(name.c_str(), a, b, c, m, n, k, turned) && !std::exchange(said, true))
      std::printf("oneDNN refuses %s\n", name.c_str());
  };
}

/// Of layers and their gradients: square, tall, wide, deep, and sides that are no multiples of
/// anything.
struct Shape {
  std::int64_t m, n, k;
};
constexpr Shape shapes[] = {
    {16, 4096, 4096},    {16, 16384, 4096},   {32, 4096, 11008},  {64, 4096, 4096},
    {64, 1024, 16384},   {128, 128, 128},     {128, 11008, 4096}, {128, 128, 16384},
    {256, 256, 256},     {256, 4096, 1024},   {256, 256, 16384},  {384, 1536, 6144},
    {500, 500, 500},     {512, 2048, 8192},   {768, 768, 3072},   {1000, 1000, 1000},
    {1024, 1024, 64},    {1024, 50257, 768},  {1500, 1500, 96},   {2048, 2048, 128},
    {2048, 11008, 4096}, {2048, 4096, 11008}, {3000, 3000, 3000}, {4096, 4096, 64},
    {4096, 16384, 4096}, {4096, 1024, 4096},  {8192, 1024, 1024}, {8192, 128, 8192},
    {16384, 64, 4096},   {16384, 4096, 1024}};

class Bench {
 public:
  Bench(kr::device on, const bench::Wishes& wish) : on_(on), wish_(wish) {}

  /// `turned`: the right matrix lies by columns. Of f32: `how` it is computed.
  template <class T, class Out = T>
  void run(const char* type, std::int64_t m, std::int64_t n, std::int64_t k, bool turned = false,
           kr::precision how = kr::precision::single) {
    Row r{std::string(type) + " " + std::to_string(m) + " x " + std::to_string(n) + " x " +
              std::to_string(k),
          {}};
    if (!wish_.wants(r.workload)) return;
    const kr::array<T, 2> a = random<T>(m, k), right = turned ? random<T>(n, k) : random<T>(k, n);
    const auto b = turned ? right.transpose() : right.share();
    kr::array<Out, 2> theirs({m, n}, on_);
    const bool cpu = std::strcmp(on_.id(), "cpu") == 0;
    const double flops = 2.0 * double(m) * double(n) * double(k);
    const int batch = cpu ? std::max(1, std::min(256, int(1e6 / flops)))
                          : std::max(1, std::min(16, int(4e12 / flops)));
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
    const Product<T, Out> peer = [&]() -> Product<T, Out> {
      const bool cuda = std::strncmp(on_.id(), "cuda", 4) == 0;
      const bool narrow = sizeof(T) < 4 || how == kr::precision::tf32;
      if constexpr (std::is_same_v<T, kr::f8e4m3>) return cuda ? cublas_lt() : nullptr;
      else if constexpr (sizeof(T) <= 4)
        if (narrow)
          return cuda ? cublas_ex<T, Out>(turned) : cpu ? onednn<T, Out>(type, turned) : nullptr;
      if constexpr (sizeof(T) >= 4 && std::is_same_v<T, Out>)
        return cpu ? openblas<T>() : cuda ? cublas<T>() : nullptr;
      return nullptr;
    }();
    if (peer)
      add(!cpu            ? "cuBLAS"
          : sizeof(T) < 4 ? "oneDNN"
                          : "OpenBLAS",
          [&] {
            peer(reinterpret_cast<T*>(a.address()), reinterpret_cast<T*>(right.address()),
                 reinterpret_cast<Out*>(theirs.address()), int(m), int(n), int(k));
          });
    add("Krait", [&] { (void)kr::matmul<Out>(a, b, how); });
    for (Candidate& c : r.candidates) c.run();
    kr::wait_for_compilations();
    bench::measure(r, wish_.quick ? 1 : 5, wish_.quick ? 1 : 100, wish_.clock);
    std::printf("| %s |", r.workload.c_str());
    for (Candidate& c : r.candidates) {
      c.ms /= batch;
      std::printf(" %s %.3f ms, %.3f TFLOP/s (%.2fx) |", c.name.c_str(), c.ms, flops / c.ms * 1e-9,
                  bench::median(c.ratios));
    }
    if (peer)
      std::printf(" largest difference %.3g |", difference(kr::matmul<Out>(a, b, how), theirs));
    std::printf("\n");
    std::fflush(stdout);
    rows_.push_back(std::move(r));
  }
  /// A kernel that a user writes of tiles, as docs/tiles.md begins, in blocks of `Side` squared,
  /// beside kr::matmul.
  template <class T, int Side>
  void run_tiles(const char* type, std::int64_t n) {
    Row r{"tiles of " + std::string(type) + ", " + std::to_string(Side) + " x " +
              std::to_string(Side) + ", " + std::to_string(n),
          {}};
    if (!wish_.wants(r.workload)) return;
    constexpr int depth = 128 / sizeof(T), threads = 2 * Side;
    static const auto multiply = kr::kernel(
        [](kr::view<const T, 2> a, kr::view<const T, 2> b, kr::view<float, 2> c) {
          const auto i = kr::block_idx().y * Side, j = kr::block_idx().x * Side;
          kr::tile<float, Side, Side> sum;
          kr::pipelined<3>((a.extent(1) + depth - 1) / depth,
                           [&](auto step) {
                             return std::tuple(kr::load<Side, depth>(a, {i, step * depth}),
                                               kr::load<depth, Side>(b, {step * depth, j}));
                           },
                           [&](auto, const auto& x, const auto& y) { sum = kr::mma(x, y, sum); });
          kr::store(c, {i, j}, kr::max(sum, 0.0f));
        },
        {.block = threads});
    const kr::array<T, 2> a = random<T>(n, n), b = random<T>(n, n);
    kr::array<float, 2> c({n, n}, on_);
    const std::int64_t blocks = (n + Side - 1) / Side;
    r.candidates.push_back(
        {"kr::matmul", [&] { (void)kr::matmul<float>(a, b), on_.synchronize(); }, 0, 0, {}});
    r.candidates.push_back(
        {"tiles",
         [&] {
           multiply.launch({kr::dims(blocks, blocks), threads}, a, b, c), on_.synchronize();
         },
         0,
         0,
         {}});
    for (Candidate& each : r.candidates) each.run();
    kr::wait_for_compilations();
    bench::measure(r, wish_.quick ? 1 : 5, wish_.quick ? 1 : 100, wish_.clock);
    std::printf("| %s |", r.workload.c_str());
    for (const Candidate& each : r.candidates)
      std::printf(" %s %.3f ms, %.1f GFLOP/s (%.2fx) |", each.name.c_str(), each.ms,
                  2e-6 * double(n) * double(n) * double(n) / each.ms, bench::median(each.ratios));
    std::printf("\n");
    std::fflush(stdout);
    rows_.push_back(std::move(r));
  }
  /// Rows of equal groups, and of ones that grow from none.
  void run_groups(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t groups, bool equal) {
    Row r{"bf16, " + std::to_string(groups) + (equal ? " groups, " : " unequal groups, ") +
              std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k),
          {}};
    if (!wish_.wants(r.workload)) return;
    const auto x = random<kr::bf16>(m, k);
    const kr::array<kr::bf16, 3> y = random<kr::bf16>(groups * k, n).reshape(groups, k, n);
    std::vector<int> ends;
    for (std::int64_t g = 1; g <= groups; ++g)
      ends.push_back(int(equal ? m * g / groups : m * g * g / (groups * groups)));
    const kr::array<int, 1> at = kr::to_device(ends, on_);
    kr::array<kr::bf16, 2> theirs({m, n}, on_);
    const auto peer = cublas_ex<kr::bf16, kr::bf16>(false);
    const auto add = [&](const char* name, const auto& once) {
      r.candidates.push_back({name, [this, once] { once(), on_.synchronize(); }, 0, 0, {}});
    };
    if (peer)
      add("cuBLAS, a product after the other", [&] {
        std::int64_t begin = 0;
        for (std::size_t g = 0; g < ends.size(); ++g) {
          const std::int64_t rows = ends[g] - begin;
          if (rows > 0)
            peer(reinterpret_cast<kr::bf16*>(x.address()) + begin * k,
                 reinterpret_cast<kr::bf16*>(y.address()) + std::int64_t(g) * k * n,
                 reinterpret_cast<kr::bf16*>(theirs.address()) + begin * n, int(rows), int(n),
                 int(k));
          begin = ends[g];
        }
      });
    add("Krait", [&] { (void)kr::grouped_matmul(x, y, at); });
    for (Candidate& c : r.candidates) c.run();
    kr::wait_for_compilations();
    bench::measure(r, 5, 100, wish_.clock);
    std::printf("| %s |", r.workload.c_str());
    for (const Candidate& c : r.candidates)
      std::printf(" %s %.3f ms, %.3f TFLOP/s (%.2fx) |", c.name.c_str(), c.ms,
                  2e-9 * double(m) * double(n) * double(k) / c.ms, bench::median(c.ratios));
    if (peer)
      std::printf(" largest difference %.3g |", difference(kr::grouped_matmul(x, y, at), theirs));
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
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double apart = std::abs(double(a[i]) - double(b[i]));
      if (!(apart <= most)) most = apart;  // NaN is shown, too
    }
    return most;
  }
  template <class T>
  kr::array<T, 2> random(std::int64_t rows, std::int64_t columns) {
    std::normal_distribution<float> normal;
    std::vector<T> all(std::size_t(rows * columns));
    for (T& x : all)
      x = T(std::is_integral_v<T> ? std::round(20 * normal(random_)) : normal(random_));
    return kr::to_device(all, on_).reshape(rows, columns);
  }

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
  for (const std::int64_t n : {4, 8, 16, 32, 64, 256, 1024, 2048, 4096})
    if (n <= 256 || !wish.quick) {
      if (n > 2048 && !large) continue;
      bench.run<float>("f32", n, n, n);
      if (n <= 2048) bench.run<double>("f64", n, n, n);
    }
  if (!wish.quick) {
    bench.run_tiles<float, 64>("f32", 1024);
    bench.run_tiles<float, 128>("f32", 1024);
    bench.run_tiles<kr::bf16, 128>("bf16", 1024);
  }
  if (large) {
    for (const std::int64_t n : {512, 1024, 2048, 4096, 8192}) bench.run<kr::bf16>("bf16", n, n, n);
    bench.run<kr::f16>("f16", 4096, 4096, 4096);
    bench.run<kr::bf16>("bf16", 128, 4096, 4096);
    bench.run<kr::bf16>("bf16", 4095, 1025, 513);
    bench.run<double>("f64", 4096, 4096, 4096);
    for (const std::int64_t n : {1024, 4096, 8192}) {
      bench.run<float>("tf32", n, n, n, true, kr::precision::tf32);
      bench.run<std::int8_t, std::int32_t>("i8", n, n, n, true);
      bench.run<kr::f8e4m3, kr::bf16>("f8e4m3", n, n, n, true);
    }
    for (const bool equal : {true, false}) {
      bench.run_groups(8192, 4096, 4096, 8, equal);
      bench.run_groups(4096, 2048, 2048, 64, equal);
    }
    for (const Shape& s : shapes) bench.run<kr::bf16>("bf16", s.m, s.n, s.k);
  }
  if (std::strcmp(on.id(), "cpu") == 0)
    for (const std::int64_t n : {256, 512, 1024, 2048, 4096}) {
      if (n > 256 && wish.quick) continue;
      bench.run<kr::bf16, float>("bf16", n, n, n);
      bench.run<kr::f16, float>("f16", n, n, n);
      bench.run<std::int8_t, std::int32_t>("i8", n, n, n);
      bench.run<std::uint8_t, std::int32_t>("u8", n, n, n);
    }
  bench.run<float>("f32", wish.quick ? 16 : 128, wish.quick ? 64 : 4096, wish.quick ? 64 : 4096);
  bench.run<float>("f32", wish.quick ? 63 : 4095, wish.quick ? 65 : 1025, wish.quick ? 31 : 513);
  if (wish.json) bench::write_json(wish.json, bench.rows(), on.name());
} catch (const std::exception& e) {
  std::printf("%s\n", e.what());
  return 1;
}
