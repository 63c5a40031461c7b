// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sum, scan, histogram and radix sort as a CPU runs them: each block walks through a chunk of
// neighbours of its own. A block is one warp, which takes 32 neighbours a trip as vectors, where
// elements are computed with, and one thread, which is scalar code, where each element decides a
// place. Elements and operators are template arguments; results have one order of operations for
// one number of chunks.
#pragma once

#include <krait/krait.h>

#include <limits>
#include <thread>

namespace bench {
namespace kr = krait;

namespace chunks {
constexpr int warp = 32;

/// Several a worker, so that one that is held up leaves the others work.
inline int usual_count() { return 8 * int(std::max(1u, std::thread::hardware_concurrency())); }

/// The elements of this block, of n that the grid's blocks share out in multiples of `grain`.
struct Chunk {
  kr::value<std::int64_t> begin, end;
};
inline Chunk own_chunk(kr::value<std::int64_t> n, int grain) {
  auto blocks = kr::grid_dim().x;
  auto size = (n + (blocks * grain - 1)) / (blocks * grain) * grain;
  auto begin = kr::min(kr::block_idx().x * size, n);
  return {begin, kr::min(begin + size, n)};
}

/// What two values make, and what changes none.
template <class T, kr::combine how>
struct Operator {
  static_assert(how == kr::combine::add || how == kr::combine::min || how == kr::combine::max);
  static kr::value<T> of(kr::value<T> a, kr::value<T> b) {
    if constexpr (how == kr::combine::add) return a + b;
    else if constexpr (how == kr::combine::min) return kr::min(a, b);
    else return kr::max(a, b);
  }
  static constexpr T none() {
    using limits = std::numeric_limits<T>;
    if constexpr (how == kr::combine::add) return T(0);
    else if constexpr (how == kr::combine::min)
      return limits::has_infinity ? limits::infinity() : limits::max();
    else return limits::has_infinity ? -limits::infinity() : limits::lowest();
  }
};

/// parts[b] = what the elements of block b's chunk make; blocks of a warp. One block makes one of
/// all parts.
template <class T, kr::combine how = kr::combine::add>
auto make_reduce() {
  return kr::kernel(
      [](kr::view<const T> x, kr::view<T> parts) {
        using Op = Operator<T, how>;
        auto lane = kr::lane_id();
        auto [begin, end] = own_chunk(x.size(), warp);
        kr::var<T> own = Op::none();
        for (auto i : kr::range(begin + lane, end, warp)) own = Op::of(own, x[i]);
        auto all = kr::warp::reduce(kr::value<T>(own), how);
        kr::if_(lane == 0, [&] { parts[kr::block_idx().x] = all; });
      },
      {.name = "reduce_chunks"});
}

/// out[i] = what x[0] to x[i] make, where `parts` are those of make_reduce for as many blocks of a
/// warp.
template <class T, kr::combine how = kr::combine::add>
auto make_scan() {
  return kr::kernel(
      [](kr::view<const T> x, kr::view<const T> parts, kr::view<T> out) {
        using Op = Operator<T, how>;
        auto lane = kr::lane_id();
        auto [begin, end] = own_chunk(x.size(), warp);
        kr::var<T> before = Op::none();
        for (auto b : kr::range(kr::block_idx().x)) before = Op::of(before, parts[b]);
        kr::var<std::int64_t> at = begin;
        kr::while_([&] { return at + warp <= end; },
                   [&] {
                     auto sums = kr::warp::inclusive_scan(kr::value<T>(x[at + lane]), how);
                     out[at + lane] = Op::of(before, sums);
                     before = Op::of(before, kr::warp::shfl(sums, warp - 1));
                     at += warp;
                   });
        kr::if_(at + lane < end, [&] {
          out[at + lane] =
              Op::of(before, kr::warp::inclusive_scan(kr::value<T>(x[at + lane]), how));
        });
      },
      {.name = "scan_chunks"});
}

/// How often `digit` makes each number below `digits` of the chunk's elements, in a table that
/// starts as zeros. Four tables, so that neighbours with equal digits do not wait for each other.
template <int digits>
void for_each_count(const auto& x, const auto& digit, const auto& use) {
  constexpr int tables = 4;
  auto own = kr::local<unsigned, tables, digits>();
  auto [begin, end] = own_chunk(x.size(), tables);
  for (auto i : kr::range((end - begin) / tables))
    for (int k = 0; k < tables; ++k) own(k, digit(x[begin + i * tables + k])) += 1u;
  for (auto i : kr::range(end - (end - begin) % tables, end)) own(0, digit(x[i])) += 1u;
  for (auto d : kr::range(digits)) use(d, own(0, d) + own(1, d) + own(2, d) + own(3, d));
}

/// Adds to counts[d] how many elements `digit` makes a d of, an int below `digits`; blocks of one
/// thread.
template <class T, int digits>
auto make_histogram(auto digit) {
  return kr::kernel(
      [digit](kr::view<const T> x, kr::view<unsigned> counts) {
        for_each_count<digits>(x, digit,
                               [&](auto d, auto count) { kr::atomic(counts[d]).add(count); });
      },
      {.name = "count_chunks"});
}

namespace sort {
constexpr int bits = 8, digits = 1 << bits;
constexpr int grain = 4;  // of chunks

inline auto digit_of(const auto& key, const auto& shift) {
  return kr::cast<int>(key >> shift & (digits - 1u));
}

/// counts[d, b]: of block b's chunk; blocks of one thread.
template <class T>
auto make_counts() {
  return kr::kernel(
      [](kr::view<const T> keys, kr::view<unsigned, 2> counts, kr::value<unsigned> shift) {
        for_each_count<digits>(
            keys, [&](const auto& key) { return digit_of(key, shift); },
            [&](auto d, auto count) { counts(d, kr::block_idx().x) = count; });
      },
      {.name = "sort_counts"});
}

/// Each count becomes the sum of those before it: where the keys of a digit and a chunk begin. One
/// thread.
inline auto make_starts() {
  return kr::kernel(
      [](kr::view<unsigned, 2> counts) {
        kr::var<unsigned> sum = 0u;
        for (auto d : kr::range(digits))
          for (auto b : kr::range(counts.extent(1))) {
            kr::value<unsigned> count = counts(d, b);
            counts(d, b) = sum;
            sum += count;
          }
      },
      {.name = "sort_starts"});
}

/// Keys to their digits' places, in order; blocks of one thread, as many as before. The keys of a
/// digit wait until a cache line of the output is complete: 256 places far apart that take a key
/// each would be as many misses. `streams`: lines go past the cache.
template <class T>
auto make_pass(bool streams) {
  return kr::kernel(
      [streams](kr::view<const T> keys, kr::view<T> out, kr::view<const unsigned, 2> starts,
                kr::value<unsigned> shift) {
        constexpr int line = 64 / sizeof(T);
        auto waiting = kr::local<T, digits, line>();
        // places in the output
        auto first = kr::local<unsigned, digits>(), next = kr::local<unsigned, digits>();
        for (auto d : kr::range(digits)) {
          kr::value<unsigned> start = starts(d, kr::block_idx().x);
          first[d] = start, next[d] = start;
        }
        auto [begin, end] = own_chunk(keys.size(), grain);
        for (auto i : kr::range(begin, end)) {
          kr::value<T> key = keys[i];
          auto d = digit_of(key, shift);
          kr::value<unsigned> place = next[d];
          next[d] = place + 1u;
          waiting(d, kr::cast<int>(place % line)) = key;
          kr::if_(place % line == line - 1, [&] {
            auto to = place - (line - 1u);
            kr::if_(to >= first[d], [&] {
              for (int k = 0; k < line; ++k) {
                auto at = kr::cast<std::int64_t>(to) + k;
                if (streams) kr::store_streaming(out[at], waiting(d, k));
                else out[at] = waiting(d, k);
              }
            }).else_([&] {
              for (auto p : kr::range(kr::value<unsigned>(first[d]), place + 1u))
                out[p] = waiting(d, kr::cast<int>(p % line));
            });
          });
        }
        for (auto d : kr::range(digits)) {
          kr::value<unsigned> place = next[d];
          for (auto p :
               kr::range(kr::max(place - place % line, kr::value<unsigned>(first[d])), place))
            out[p] = waiting(d, kr::cast<int>(p % line));
        }
      },
      {.name = "sort_pass"});
}
}  // namespace sort
}  // namespace chunks

/// out[0] = what all elements make.
template <class T, kr::combine how = kr::combine::add>
class ChunkReduce {
 public:
  explicit ChunkReduce(kr::device on, int count = chunks::usual_count())
      : count_(count), parts_(kr::shape<1>(count), on) {}
  void operator()(const kr::array<T>& x, kr::array<T>& out) {
    reduce_.launch({count_, chunks::warp}, x, parts_);
    reduce_.launch({1, chunks::warp}, parts_, out);
  }

 private:
  int count_;
  kr::array<T> parts_;
  decltype(chunks::make_reduce<T, how>()) reduce_ = chunks::make_reduce<T, how>();
};

/// out[i] = what x[0] to x[i] make.
template <class T, kr::combine how = kr::combine::add>
class ChunkScan {
 public:
  explicit ChunkScan(kr::device on, int count = chunks::usual_count())
      : count_(count), parts_(kr::shape<1>(count), on) {}
  void operator()(const kr::array<T>& x, kr::array<T>& out) {
    reduce_.launch({count_, chunks::warp}, x, parts_);
    scan_.launch({count_, chunks::warp}, x, parts_, out);
  }

 private:
  int count_;
  kr::array<T> parts_;
  decltype(chunks::make_reduce<T, how>()) reduce_ = chunks::make_reduce<T, how>();
  decltype(chunks::make_scan<T, how>()) scan_ = chunks::make_scan<T, how>();
};

/// Sorts unsigned keys, fewer than 2^32, whose number is fixed. `streams` is faster where the keys
/// do not fit the caches.
template <class T>
class ChunkSort {
 public:
  // bytes of the last cache that a program may count on
  static constexpr std::int64_t usual_cache = 8 << 20;
  ChunkSort(std::int64_t n, kr::device on, int count = chunks::usual_count())
      : ChunkSort(n, on, count, n * std::int64_t(sizeof(T)) > usual_cache) {}
  ChunkSort(std::int64_t n, kr::device on, int count, bool streams)
      : count_(count),
        pass_(chunks::sort::make_pass<T>(streams)),
        between_(kr::shape<1>(n), on),
        starts_(kr::shape<2>(chunks::sort::digits, count), on) {}
  void operator()(const kr::array<T>& keys, kr::array<T>& out) {
    constexpr unsigned passes = sizeof(T) * 8 / chunks::sort::bits;
    static_assert(passes % 2 == 0);
    const kr::array<T>* from = &keys;
    for (unsigned pass = 0; pass < passes; ++pass) {
      kr::array<T>& to = pass % 2 ? out : between_;
      const unsigned shift = pass * chunks::sort::bits;
      count_digits_.launch({count_, 1}, *from, starts_, shift);
      start_.launch({1, 1}, starts_);
      pass_.launch({count_, 1}, *from, to, starts_, shift);
      from = &to;
    }
  }

 private:
  int count_;
  decltype(chunks::sort::make_pass<T>(true)) pass_;
  kr::array<T> between_;
  kr::array<unsigned, 2> starts_;
  decltype(chunks::sort::make_counts<T>()) count_digits_ = chunks::sort::make_counts<T>();
  decltype(chunks::sort::make_starts()) start_ = chunks::sort::make_starts();
};

}  // namespace bench
