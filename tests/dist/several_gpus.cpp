// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   krait_dist_several_gpus MODE           the ranks of a launcher
//   krait_dist_several_gpus MODE RANKS     threads of this process, a GPU each
// On real GPUs: `right` compares programs with one rank, `speed` measures beside NCCL itself,
// `exchange` a part of that, and `stall`, `stop` and `throw` make rank 1 go wrong. Without several
// GPUs it is skipped (77).
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <krait/dist/algorithms.h>

#include "dist/checks.h"
namespace kr = krait;

namespace {

using kr::dist::block, kr::dist::whole;
using Clock = std::chrono::steady_clock;
double microseconds_since(Clock::time_point began) {
  return std::chrono::duration<double, std::micro>(Clock::now() - began).count();
}

// ---- right --------------------------------------------------------------------------------------

auto five_points = [](auto at) {
  return at(0, 0) + 0.1 * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1) - 4.0 * at(0, 0));
};

kr::array<double, 2> heat(kr::dist::world& ranks) {
  kr::dist::array<double, 2> t(ranks, {1031, 517}, kr::dist::halo(1).periodic(0));
  auto next = kr::dist::like(t);
  kr::dist::fill(
      t, [](auto i, auto j) { return kr::exp(-0.001 * kr::cast<double>((i - 500) * (j - 200))); });
  for (int step = 0; step < 100; ++step) {
    kr::dist::stencil(five_points, t, next);
    std::swap(t, next);
  }
  return kr::dist::gather(t);
}
kr::array<double, 2> conjugate_gradients(kr::dist::world& ranks) {
  const int n = 300;
  kr::dist::array<double, 2> x(ranks, {n, n}), r(ranks, {n, n}), y(ranks, {n, n}),
      d(ranks, {n, n}, kr::dist::halo(1));
  kr::dist::fill(r, [](auto i, auto j) { return kr::cast<double>((i * 7 + j * 3) % 5 - 2); });
  d = r * 1.0;
  double rr = kr::sum(r * r, kr::dist::reproducible);
  for (int step = 0; step < 100; ++step) {
    kr::dist::stencil(
        [](auto at) { return 4.0 * at(0, 0) - at(-1, 0) - at(1, 0) - at(0, -1) - at(0, 1); }, d, y);
    const double a = rr / kr::sum(d * y, kr::dist::reproducible);
    x += a * d;
    r -= a * y;
    const double now = kr::sum(r * r, kr::dist::reproducible);
    d = r + (now / rr) * d;
    rr = now;
  }
  return kr::dist::gather(x);
}
kr::array<std::complex<double>, 2> transform(kr::dist::world& ranks) {
  kr::dist::array<double, 2> a(ranks, {256, 384}, {block, whole});
  kr::dist::fill(a, [](auto i, auto j) { return kr::cast<double>((i * 5 + j * 3) % 7); });
  return kr::dist::gather(kr::fft2(a));
}
kr::array<double, 2> product(kr::dist::world& ranks) {
  kr::dist::array<double, 2> a(ranks, {700, 1100}), b(ranks, {1100, 500});
  kr::dist::fill(a, [](auto i, auto j) { return 1.0 / kr::cast<double>(i + j + 1); });
  kr::dist::fill(b, [](auto i, auto j) { return 1.0 / kr::cast<double>(2 * i + j + 1); });
  return kr::dist::gather(kr::matmul(a, b));
}
kr::array<float> order(kr::dist::world& ranks) {
  kr::dist::array<float> x(ranks, {1000003});
  kr::dist::generator random(42);
  random.normal(x);
  return kr::dist::gather(kr::sort(x));
}
kr::array<double, 1> column_sums(kr::dist::world& ranks) {
  kr::dist::array<double, 2> x(ranks, {1000, 3001}, {block, whole});
  kr::dist::fill(x, [](auto i, auto j) { return kr::cast<double>(i * 3 + j); });
  return kr::dist::gather(kr::sum(x, kr::axis(0)));
}

/// Most of what two arrays differ in, of their largest element.
template <class Elem, int Rank>
double difference(const kr::array<Elem, Rank>& x, const kr::array<Elem, Rank>& y) {
  const std::vector<Elem> a = x.to_host(), b = y.to_host();
  double most = a.size() == b.size() ? 0 : HUGE_VAL, largest = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    largest = std::max(largest, double(std::abs(b[i])));
    const double apart = std::abs(a[i] - b[i]);
    most = apart <= most ? most : apart;  // NaN, too
  }
  return most == 0 ? 0 : most / largest;
}

/// The same program on these ranks, and on one: `within` is 0 where bits are promised.
template <class Program>
void compare(kr::dist::world& ranks, const char* where, const Program& program, double within) {
  const auto got = program(ranks);
  decltype(program(ranks)) wanted;
  if (ranks.rank() != 0) return ranks.barrier();
  kr::dist::run(1, [&](kr::dist::world& alone) { wanted = program(alone); });
  const double apart = difference(got, wanted);
  std::printf("%s: %lld elements, apart %.1e\n", where, static_cast<long long>(got.size()), apart);
  EXPECT(got.size() > 0 && apart <= within);
  ranks.barrier();
}

void right(kr::dist::world& ranks) {
  compare(ranks, "heat", heat, 0);
  compare(ranks, "conjugate gradients", conjugate_gradients, 0);
  compare(ranks, "fft2", transform, 1e-14);
  compare(ranks, "matmul", product, 0);
  compare(ranks, "sort", order, 0);
  compare(ranks, "sums of columns", column_sums, 1e-15);
}

// ---- speed --------------------------------------------------------------------------------------

/// The least time of so many rounds of calls, in µs a call, on the slowest rank.
double timed(kr::dist::world& ranks, int rounds, int calls, const std::function<void()>& f) {
  f();
  double least = HUGE_VAL;
  for (int round = 0; round < rounds; ++round) {
    ranks.device().synchronize();
    ranks.barrier();
    const auto began = Clock::now();
    for (int i = 0; i < calls; ++i) f();
    ranks.device().synchronize();
    kr::dist::array<double> each(ranks, {ranks.size()});
    each = microseconds_since(began) / calls;
    least = std::min(least, kr::max(each));
  }
  return least;
}

/// NCCL by itself, as its own tests use it: a communicator that blocks, and a stream.
class Raw {
 public:
  explicit Raw(kr::dist::world& ranks) : stream_(ranks.device()) {
    const char* const file = std::getenv("KRAIT_NCCL");
    void* const library = dlopen(file ? file : "libnccl.so.2", RTLD_NOW);
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library || !driver) throw std::runtime_error("no NCCL");
    const auto find = [](void* in, const char* name, auto& to) {
      to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(dlsym(in, name));
    };
    int (*device_get)(int*, int) = nullptr, (*retain)(void**, int) = nullptr,
                            (*use)(void*) = nullptr;
    find(driver, "cuDeviceGet", device_get), find(driver, "cuDevicePrimaryCtxRetain", retain);
    find(driver, "cuCtxSetCurrent", use);
    int device = 0;
    void* context = nullptr;
    device_get(&device, std::atoi(std::strchr(ranks.device().id(), ':') + 1));
    retain(&context, device), use(context);
    int (*new_id)(Id*) = nullptr, (*init)(void**, int, Id, int) = nullptr;
    find(library, "ncclGetUniqueId", new_id), find(library, "ncclCommInitRank", init);
    find(library, "ncclAllReduce", all_reduce_), find(library, "ncclCommDestroy", destroy_);
    Id id{};
    if (ranks.rank() == 0) new_id(&id);
    kr::dist::array<std::int64_t> words(ranks, {16 * ranks.size()});
    if (ranks.rank() == 0)
      words.owned().copy_from(std::vector<std::int64_t>(id.words, id.words + 16));
    for (int i = 0; i < 16; ++i) id.words[i] = kr::dist::at(words, i);
    if (init(&comm_, ranks.size(), id, ranks.rank()) != 0) throw std::runtime_error("no NCCL");
  }
  ~Raw() { destroy_(comm_); }
  void all_reduce(kr::array<float>& from, kr::array<float>& to) {
    constexpr int floats = 7, sum = 0;
    const auto at = [](const kr::array<float>& x) { return reinterpret_cast<void*>(x.address()); };
    all_reduce_(at(from), at(to), std::size_t(from.size()), floats, sum, comm_, stream_.native());
  }
  void wait() const { stream_.synchronize(); }

 private:
  struct Id {
    std::int64_t words[16];
  };
  kr::stream stream_;
  void* comm_ = nullptr;
  int (*all_reduce_)(const void*, void*, std::size_t, int, int, void*, void*) = nullptr;
  int (*destroy_)(void*) = nullptr;
};

void all_reduce_speed(kr::dist::world& ranks) {
  const bool first = ranks.rank() == 0;
  const int p = ranks.size();
  Raw raw(ranks);
  if (first)
    std::puts(
        "sum over ranks, floats: MB, kr::sum(x, axis(0)), NCCL alone (GB/s on the bus), ratio");
  for (const std::int64_t n : {1 << 10, 1 << 18, 1 << 22, 1 << 24, 1 << 26, 1 << 28}) {
    kr::dist::array<float, 2> x(ranks, {p, n}, {block, whole});
    x = 1.0f;
    kr::array<float> from(n, ranks.device()), to(n, ranks.device());
    from.fill(1.0f);
    ranks.device().synchronize();
    const int calls = n > 1 << 24 ? 5 : 20;
    const double own = timed(ranks, 5, calls, [&] { kr::sum(x, kr::axis(0)); });
    const double queued = timed(ranks, 5, calls, [&] { raw.all_reduce(from, to); });
    const double waited = timed(ranks, 5, calls, [&] { raw.all_reduce(from, to), raw.wait(); });
    const double bus = 4e-3 * double(n) * 2 * (p - 1) / p;
    if (first)
      std::printf(
          "  %8.3f: %8.1f us %7.2f | %8.1f us %7.2f | waited for each %8.1f us | %.3f %.3f\n",
          double(n) * 4e-6, own, bus / own, queued, bus / queued, waited, queued / own,
          waited / own);
  }
}

/// Microseconds of a step on an n x n block a rank.
double step_time(kr::dist::world& ranks, int n) {
  kr::dist::array<double, 2> t(ranks, {n * ranks.size(), n}, {block, whole}, kr::dist::halo(1));
  auto next = kr::dist::like(t);
  t = 1.0;
  return timed(ranks, 5, n > 8000 ? 20 : 100, [&] {
    kr::dist::stencil(five_points, t, next);
    std::swap(t, next);
  });
}
void weak_scaling(kr::dist::world& ranks) {
  if (ranks.rank() == 0)
    std::puts("a step of heat: block a rank, one rank, all ranks (us), efficiency");
  for (const int n : {1024, 2048, 4096, 8192, 16384}) {
    double alone = 0;
    ranks.barrier();
    if (ranks.rank() == 0)
      kr::dist::run(1, [&](kr::dist::world& one) { alone = step_time(one, n); });
    ranks.barrier();
    const double all = step_time(ranks, n);
    if (ranks.rank() == 0) std::printf("  %5d^2: %8.1f %8.1f  %.3f\n", n, alone, all, alone / all);
  }
}

/// When an exchange is over, and when the kernel is that began beside it.
void overlap(kr::dist::world& ranks) {
  const int n = 16384;
  kr::dist::array<double, 2> t(ranks, {n * ranks.size(), n}, {block, whole}, kr::dist::halo(1));
  auto next = kr::dist::like(t);
  t = 1.0;
  const auto body = [](kr::view<const double, 2> in, kr::view<double, 2> out) {
    auto [x, y] = kr::grid<2>();
    auto i = y + 1, j = x + 1;
    kr::if_(i < in.extent(0) - 1 && j < in.extent(1) - 1, [&] {
      out(i, j) = in(i, j) + 0.1 * (in(i - 1, j) + in(i + 1, j) + in(i, j - 1) + in(i, j + 1) -
                                    4.0 * in(i, j));
    });
  };
  auto step = kr::kernel(body);
  auto run = [&](const kr::array<double, 2>& in, kr::array<double, 2>&& out) {
    step.launch({kr::dims((in.extent(1) + 63) / 64, in.extent(0)), kr::dims(64, 1)}, in, out);
  };
  kr::event began(ranks.device()), ended(ranks.device());
  for (int round = 0; round < 3; ++round) {
    ranks.device().synchronize();
    ranks.barrier();
    const auto start = Clock::now();
    auto coming = kr::dist::exchange_begin(t);
    began.record();
    run(t.inner(), next.inner());
    ended.record();
    coming.wait();
    const double exchanged = microseconds_since(start);
    ended.wait();
    const double computed = microseconds_since(start), kernel = ended.elapsed_ms_since(began) * 1e3;
    ranks.barrier();
    const double alone = timed(ranks, 3, 10, [&] { kr::dist::exchange(t); });
    if (ranks.rank() == 0)
      std::printf(
          "overlap: the exchange is over at %.0f us, the interior at %.0f us (it takes %.0f); an exchange alone %.0f us\n",
          exchanged, computed, kernel, alone);
  }
  for (const int width : {64, 4096, 1 << 20}) {
    kr::dist::array<double, 2> rows(ranks, {4 * ranks.size(), width}, {block, whole},
                                    kr::dist::halo(1, 0));
    rows = 1.0;
    const double time = timed(ranks, 5, 50, [&] { kr::dist::exchange(rows); });
    if (ranks.rank() == 0) std::printf("exchange of rows of %d doubles: %.1f us\n", width, time);
  }
}

void speed(kr::dist::world& ranks) {
  all_reduce_speed(ranks);
  weak_scaling(ranks);
  overlap(ranks);
}

// ---- faults -------------------------------------------------------------------------------------

void go_wrong(kr::dist::world& ranks, std::string_view mode) {
  kr::dist::array<double> x(ranks, {1 << 20}, kr::dist::halo(1 << 16).periodic());
  x = 1.0;
  for (int k = 0; k < 3; ++k) kr::dist::exchange(x);
  if (ranks.rank() == 1) {
    if (mode == "stop") raise(SIGSTOP);
    if (mode == "throw") throw std::runtime_error("no more of this");
    std::this_thread::sleep_for(std::chrono::seconds(8));
  }
  kr::dist::exchange(x);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t gpus = 0;
  for (const kr::device& d : kr::devices()) gpus += std::strncmp(d.id(), "cuda:", 5) == 0;
  if (gpus < 2 || argc < 2) {
    std::puts("skipped: there are not several GPUs of CUDA");
    return 77;
  }
  const std::string_view mode = argv[1];
  return dist_test::run(argc - 1, argv + 1, [&](kr::dist::world& ranks) {
    if (mode == "right") right(ranks);
    else if (mode == "speed") speed(ranks);
    else if (mode == "exchange") overlap(ranks);
    else go_wrong(ranks, mode);
  });
}
