// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The corpus: ordinary kernels as a user would write them after reading the documentation, each
// beside a plain peer of the same task (peer/*.cpp with OpenMP, peer/*.cu with CUDA). Entries with
// odd numbers are open: one may look for causes in them. Those with even numbers judge: they are
// looked at only to tell whether a change was good for kernels that nobody tuned for. The third
// part grows by dozens, look_*.cpp: their first measurement stands in
// docs/performance/first-look.json, and from then on they are open.
#pragma once

#include <krait/krait.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace corpus {
namespace kr = krait;
using Run = std::function<void()>;

/// A peer's shared object; `symbol` is null where it lacks the function.
struct Library {
  std::string name;
  void* handle = nullptr;
  void* symbol(const char* name) const;
};

/// The sums of magnitudes of differences and of values.
struct Difference {
  double off = 0, all = 0;
};
/// What a run leaves, and how it is made as it was before one.
struct Output {
  Run reset;
  std::function<std::shared_ptr<void>()> read;  // a copy on the host
  // of two copies, the values being a's
  std::function<void(const void* a, const void* b, Difference& by)> compare;
};
struct Work {
  Run krait;
  std::function<Run(const Library&)> peer;  // an empty Run where the library lacks it
  Output out;
  double tolerance = 1e-4;  // of the sum of magnitudes of the results
};

/// Which sizes an entry takes: those for a CPU with few cores, which the published figures are of,
/// or those that keep a large GPU busy for 0.2 ms and more, in at most 2 GiB. Launch shapes of
/// loops over the whole grid go with them.
struct Size {
  bool gpu = false;
  template <class T>
  T operator()(T for_cpu, std::type_identity_t<T> for_gpu) const {
    return gpu ? for_gpu : for_cpu;
  }
};

struct Entry {
  int number;
  const char* name;
  const char* theme;
  Work (*make)(Size);
  int dozen = 0;  // of the first look
  bool open() const { return number % 2 == 1 || dozen; }
};
using Registry = std::vector<Entry>;

void add_linear(Registry&);
void add_stencils(Registry&);
void add_learning(Registry&);
void add_images(Registry&);
void add_particles(Registry&);
void add_finance(Registry&);
void add_blocks(Registry&);
void add_hashes(Registry&);
void add_look_1(Registry&);
void add_look_2(Registry&);
void add_look_3(Registry&);
void add_look_4(Registry&);

/// The device of the arrays that are made next.
inline kr::device& home() {
  static kr::device on;
  return on;
}
// Arrays are shared by the runs of an entry.
template <class T, int N = 1>
using Array = std::shared_ptr<kr::array<T, N>>;
template <class T, int N = 1, class... Extents>
Array<T, N> make_array(Extents... extents) {
  return std::make_shared<kr::array<T, N>>(kr::shape<N>(extents...), home());
}
template <class T, int N, class... Extents>
Array<T, N> upload(const std::vector<T>& from, Extents... extents) {
  auto a = make_array<T, N>(extents...);
  a->copy_from(from);
  return a;
}
template <class T>
Array<T> upload(const std::vector<T>& from) {
  return upload<T, 1>(from, from.size());
}
/// The elements as a peer sees them.
template <class As = void, class T, int N>
auto raw(const Array<T, N>& a) {
  return reinterpret_cast<std::conditional_t<std::is_void_v<As>, T, As>*>(a->address());
}

/// The array as numbers of type `As`; before a run it holds `initial`, or zeros where that is
/// empty.
template <class As = void, class T, int N>
Output output(const Array<T, N>& a, std::vector<T> initial = {}) {
  if (initial.empty()) {
    initial.resize(std::size_t(a->size()));
    std::memset(static_cast<void*>(initial.data()), 0, initial.size() * sizeof(T));
  }
  const auto start = std::make_shared<const std::vector<T>>(std::move(initial));
  return {[=] { a->copy_from(*start); },
          [=] { return std::make_shared<kr::host_array<T>>(a->reshape(-1).to_host()); },
          [](const void* a, const void* b, Difference& by) {
            using Number = std::conditional_t<std::is_void_v<As>, T, As>;
            const auto& host = *static_cast<const kr::host_array<T>*>(a);
            const auto* x = reinterpret_cast<const Number*>(host.data());
            const auto* y =
                reinterpret_cast<const Number*>(static_cast<const kr::host_array<T>*>(b)->data());
            for (std::size_t i = 0; i < host.size() * sizeof(T) / sizeof(Number); ++i)
              by.off += std::fabs(double(x[i]) - double(y[i])), by.all += std::fabs(double(x[i]));
          }};
}
/// Both: for kernels that leave more than one array.
inline Output operator+(Output a, Output b) {
  using Both = std::pair<std::shared_ptr<void>, std::shared_ptr<void>>;
  return {[=] { a.reset(), b.reset(); }, [=] { return std::make_shared<Both>(a.read(), b.read()); },
          [=](const void* x, const void* y, Difference& by) {
            const auto &these = *static_cast<const Both*>(x), &those = *static_cast<const Both*>(y);
            a.compare(these.first.get(), those.first.get(), by),
                b.compare(these.second.get(), those.second.get(), by);
          }};
}

// Data, the same in every run. What lies beyond the first 2^23 values, more than any CPU's size
// has, repeats them: random numbers would take longer to make than all kernels to run.
template <class T, class Next>
std::vector<T> filled_by(std::size_t n, const Next& next) {
  const std::size_t fresh = std::min(n, std::size_t(1) << 23);
  std::vector<T> v(n);
  for (std::size_t i = 0; i < fresh; ++i) v[i] = static_cast<T>(next());
  for (std::size_t i = fresh; i < n; i += fresh)
    std::copy_n(v.begin(), std::min(fresh, n - i), v.begin() + std::ptrdiff_t(i));
  return v;
}
template <class T = float>
std::vector<T> numbers(std::size_t n, double low = 0, double high = 1, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> in(low, high);
  return filled_by<T>(n, [&] { return in(random); });
}
template <class T = int>
std::vector<T> integers(std::size_t n, long below, unsigned seed = 1) {
  std::mt19937 random(seed);
  return filled_by<T>(n, [&] { return random() % static_cast<unsigned long>(below); });
}
/// The grid of blocks that covers so many threads.
inline kr::launch_config cover(long n, int block = 256) { return {(n + block - 1) / block, block}; }
inline kr::launch_config cover2(long width, long height, int bx = 32, int by = 8) {
  return {{(width + bx - 1) / bx, (height + by - 1) / by}, {bx, by}};
}

/// `CORPUS_PEER(peer_saxpy, a, raw(x), raw(y), n)`: the call of a function of peers.h in any
/// library that has it.
#define CORPUS_PEER(function, ...)                                                        \
  [=](const ::corpus::Library& library) -> ::corpus::Run {                                \
    const auto called = reinterpret_cast<decltype(&function)>(library.symbol(#function)); \
    return called ? ::corpus::Run([=] { called(__VA_ARGS__); }) : ::corpus::Run();        \
  }

}  // namespace corpus
