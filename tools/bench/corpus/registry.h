// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The corpus: ordinary kernels as a user would write them after reading the documentation, each beside a plain peer of the same
// task (peer/*.cpp with OpenMP, peer/*.cu with CUDA). Entries with odd numbers are open: one may look for causes in them. Those
// with even numbers judge: they are looked at only to tell whether a change was good for kernels that nobody tuned for.
#pragma once

#include <krait/krait.h>

#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
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

/// What a run leaves, and how it is made as it was before one.
struct Output {
  Run reset;
  std::function<std::vector<double>()> read;
};
struct Work {
  Run krait;
  std::function<Run(const Library&)> peer;  // an empty Run where the library lacks it
  Output out;
  double tolerance = 1e-4;  // of the sum of magnitudes of the results
};

struct Entry {
  int number;
  const char* name;
  const char* theme;
  Work (*make)();
  bool open() const { return number % 2 == 1; }
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

// Arrays are shared by the runs of an entry.
template <class T, int N = 1>
using Array = std::shared_ptr<kr::array<T, N>>;
template <class T, int N = 1, class... Extents>
Array<T, N> make_array(Extents... extents) {
  return std::make_shared<kr::array<T, N>>(kr::shape<N>(extents...));
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

/// The array as numbers of type `As`; before a run it holds `initial`, or zeros where that is empty.
template <class As = void, class T, int N>
Output output(const Array<T, N>& a, std::vector<T> initial = {}) {
  if (initial.empty()) {
    initial.resize(std::size_t(a->size()));
    std::memset(static_cast<void*>(initial.data()), 0, initial.size() * sizeof(T));
  }
  return {[a, initial] { a->copy_from(initial); },
          [a] {
            using Number = std::conditional_t<std::is_void_v<As>, T, As>;
            const std::vector<T> host = a->to_host();
            const auto* first = reinterpret_cast<const Number*>(host.data());
            return std::vector<double>(first, first + host.size() * sizeof(T) / sizeof(Number));
          }};
}
/// Both: for kernels that leave more than one array.
inline Output operator+(Output a, Output b) {
  return {[=] { a.reset(), b.reset(); },
          [=] {
            auto all = a.read();
            for (double v : b.read()) all.push_back(v);
            return all;
          }};
}

// Data, the same in every run.
template <class T = float>
std::vector<T> numbers(std::size_t n, double low = 0, double high = 1, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> in(low, high);
  std::vector<T> v(n);
  for (T& x : v) x = static_cast<T>(in(random));
  return v;
}
template <class T = int>
std::vector<T> integers(std::size_t n, long below, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<T> v(n);
  for (T& x : v) x = static_cast<T>(random() % static_cast<unsigned long>(below));
  return v;
}
/// The grid of blocks that covers so many threads.
inline kr::launch_config cover(long n, int block = 256) { return {(n + block - 1) / block, block}; }
inline kr::launch_config cover2(long width, long height, int bx = 32, int by = 8) {
  return {{(width + bx - 1) / bx, (height + by - 1) / by}, {bx, by}};
}

/// `CORPUS_PEER(peer_saxpy, a, raw(x), raw(y), n)`: the call of a function of peers.h in any library that has it.
#define CORPUS_PEER(function, ...)                                                        \
  [=](const ::corpus::Library& library) -> ::corpus::Run {                                \
    const auto called = reinterpret_cast<decltype(&function)>(library.symbol(#function)); \
    return called ? ::corpus::Run([=] { called(__VA_ARGS__); }) : ::corpus::Run();        \
  }

}  // namespace corpus
