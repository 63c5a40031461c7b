// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over 0 to n - 1 on a device. The body is a function of the index and of arguments, as in a
// kernel.
//   kr::parallel_for(n, [](auto i, auto x, auto y) { y[i] = 2.0f * x[i]; }, x, y);
//   float s = kr::reduce(n, 0.0f, [](auto a, auto b) { return a + b; },
//                        [](auto i, auto x) { return x[i] * x[i]; }, x);
#pragma once

#include <krait/algorithm/detail/form.h>

namespace krait {
namespace detail {

/// The device of the first array, else the default one.
inline device device_of_arguments() { return device(); }
template <class First, class... Rest>
device device_of_arguments(const First& first, const Rest&... rest) {
  if constexpr (requires { first.device(); }) return first.device();
  else return device_of_arguments(rest...);
}

template <class Function>
auto make_loop(const Function& f) {
  return kernel(
      [f](value<std::int64_t> n, auto... args) {
        for (auto i : grid_stride(n)) f(i, args...);
      },
      {.name = "parallel_for"});
}

template <class Op, class Function>
struct folding {
  [[no_unique_address]] Op op;
  [[no_unique_address]] Function f;
};
struct read_partial {
  template <class Index, class Partials>
  auto operator()(const Index& i, const Partials& from) const {
    return from[i];
  }
};
/// How blocks share indices: a block of `threads` has the next `chunk` of them.
struct fold_shape {
  std::int64_t chunk, blocks;
};
/// Chunks keep the device busy, and each is worth a block's start and its tree: a thread has so
/// many indices at least. They depend on n and the kind of device alone, and so does the result.
inline fold_shape fold_shape_of(std::int64_t n, std::int64_t threads, const algorithm_device& on) {
  constexpr std::int64_t least_own = 1024, least_own_of_gpu = 16, most_of_cpu = 256;
  const bool cpu = on.form == algorithm_form::chunks;
  const std::int64_t least = threads * (cpu ? least_own : least_own_of_gpu),
                     most = smaller(larger(n / least, 1), cpu ? most_of_cpu : 4 * on.workers),
                     chunk = divided_up(divided_up(n, most), threads) * threads;
  return {chunk, divided_up(n, chunk)};
}
/// A block's lanes take neighbours in turn, four of their own at a time, and a tree combines what
/// they have: nothing needs an identity. `starts`: the result is combined with `init`.
template <int Threads, class Elem, class Op, class Function>
auto make_fold(const folding<Op, Function>& by) {
  return kernel(
      [by](view<Elem> out, value<std::int64_t> n, value<std::int64_t> chunk, value<bool> starts,
           value<Elem> init, auto... args) {
        using index = value<std::int64_t>;
        const auto op = [&](const value<Elem>& x, const value<Elem>& y) {
          return as_value<Elem>(by.op(x, y));
        };
        const index lane = thread_idx().x, begin = block_idx().x * chunk,
                    count = min(chunk, n - begin), rows = count / Threads,
                    last = count - rows * Threads;
        const auto own = [&](const index& row) {
          return as_value<Elem>(by.f(index(begin + row * Threads + lane), args...));
        };
        // `all` is init only until the lane has an element: no value of Elem is neutral.
        var<Elem> all = init;
        if_(rows > 0, [&] {
          all = own(index(0));
          const index fours = (rows - 1) / 4;
          for (auto k : range(fours)) {
            const index row = 1 + 4 * index(k);
            const value<Elem> a = own(row), b = own(row + 1), c = own(row + 2), d = own(row + 3);
            all = op(all, op(op(a, c), op(b, d)));
          }
          for (auto row : range(1 + 4 * fours, rows)) all = op(all, own(index(row)));
          if_(lane < last, [&] { all = op(all, own(rows)); });
        }).else_([&] { if_(lane < last, [&] { all = own(index(0)); }); });
        // Lanes beyond the block's elements have nothing, and no lane takes from them.
        auto tree = shared<Elem, Threads>();
        tree[lane] = all;
        syncthreads();
        const index some = min(count, index(Threads));
        for (int half = Threads / 2; half > 0; half /= 2) {
          if_((lane < half) & (lane + half < some), [&] {
            all = op(all, as_value<Elem>(tree[lane + half]));
            tree[lane] = all;
          });
          syncthreads();
        }
        if_(lane == 0, [&] {
          if_(starts, [&] { all = op(init, all); });
          out[block_idx().x] = all;
        });
      },
      {.name = "reduce_loop"});
}
/// An element a block; one block starts from init.
template <int Threads, class Elem, class Op, class Function, class... Args>
array<Elem, 1> fold_indices(std::int64_t n, const fold_shape& as, device on,
                            const folding<Op, Function>& by, Elem init, const Args&... args) {
  // as.blocks, or a negative n, which is refused
  array<Elem, 1> out(shape<1>(smaller(n, as.blocks)), on);
  with_kernel(
      by, [](const auto& of) { return make_fold<Threads, Elem>(of); },
      [&](const auto& fold) {
        fold.launch({as.blocks, Threads}, out, n, as.chunk, as.blocks == 1, init, args...);
      });
  return out;
}
/// Two launches at most: the second combines what blocks have.
template <int Threads, class Elem, class Op, class Function, class... Args>
Elem fold_all(std::int64_t n, device on, Elem init, const folding<Op, Function>& by,
              const Args&... args) {
  const auto parts = fold_indices<Threads>(n, fold_shape_of(n, Threads, algorithm_device_of(on)),
                                           on, by, init, args...);
  if (parts.size() == 1) return parts(0);
  return fold_indices<Threads>(parts.size(), {parts.size(), 1}, on,
                               folding<Op, read_partial>{by.op, {}}, init, parts.share())(0);
}

}  // namespace detail

/// Calls f(i, arguments…) for each i from 0 to n - 1, in any order, in one launch.
/// Arrays become views and numbers become values, as in a kernel. It runs on the device of the
/// arrays, else on the default one. Throws error{usage} for a negative n.
/// \code
/// kr::parallel_for(x.size(), [](auto k, auto p, auto q) { q[k] = 2.0f * p[k]; }, x, y);
/// \endcode
template <class Function, class... Args>
void parallel_for(std::int64_t n, const Function& f, Args&&... args) {
  if (n == 0) return;
  detail::with_kernel(
      f, [](const auto& of) { return detail::make_loop(of); },
      [&](const auto& loop) { loop.forall(n)(n, std::forward<Args>(args)...); });
}

/// Reduces f(i, arguments…) for i from 0 to n - 1 with `op`, starting from init; the call waits.
/// `op` is a lambda of two values, associative and commutative as for std::reduce; the order
/// depends on the device. The element type is the type of init. Throws error{usage} for a negative
/// n.
/// \code
/// const auto plus = [](auto p, auto q) { return p + q; };
/// float s = kr::reduce(x.size(), 0.0f, plus, [](auto k, auto p) { return p[k] * p[k]; }, x);
/// \endcode
template <class Elem, class Op, class Function, class... Args>
Elem reduce(std::int64_t n, Elem init, const Op& op, const Function& f, const Args&... args) {
  if (n == 0) return init;
  const device on = detail::device_of_arguments(args...);
  const detail::folding<Op, Function> by{op, f};
  constexpr int gang = 32, block = 256;  // threads of a block of a processor, and of a GPU
  if (detail::algorithm_device_of(on).form == detail::algorithm_form::chunks)
    return detail::fold_all<gang>(n, on, init, by, args...);
  return detail::fold_all<block>(n, on, init, by, args...);
}

}  // namespace krait
