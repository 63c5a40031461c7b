// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over 0 to n - 1 on a device. The body is a function of the index and of arguments, as in a
// kernel.
//   kr::parallel_for(n, [](auto i, auto x, auto y) { y[i] = 2.0f * x[i]; }, x, y);
//   float s = kr::reduce(n, 0.0f, [](auto a, auto b) { return a + b; }, [](auto i, auto x) { return x[i] * x[i]; }, x);
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
/// Thread t of T has the indices t, t + T, … below n; there are no more threads than indices.
template <class Elem, class Op, class Function>
auto make_fold(const folding<Op, Function>& by) {
  return kernel(
      [by](view<Elem> out, value<std::int64_t> n, auto... args) {
        const value<std::int64_t> threads = out.size();
        for (auto t : grid_stride(threads)) {
          var<Elem> sum = as_value<Elem>(by.f(t, args...));
          for (auto i : range(t + threads, n, threads))
            sum = as_value<Elem>(
                by.op(value<Elem>(sum), as_value<Elem>(by.f(value<std::int64_t>(i), args...))));
          out[t] = sum;
        }
      },
      {.name = "reduce_loop"});
}
template <class Elem, class Op, class Function, class... Args>
array<Elem, 1> fold_indices(std::int64_t n, std::int64_t threads, device on,
                            const folding<Op, Function>& by, const Args&... args) {
  array<Elem, 1> out(shape<1>(threads), on);
  with_kernel(
      by, [](const auto& of) { return make_fold<Elem>(of); },
      [&](const auto& fold) { fold.forall(threads)(out, n, args...); });
  return out;
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
  // Three launches: so many threads keep a large GPU busy, then a block, then one thread.
  constexpr std::int64_t most = 1 << 16, fewer = 256;
  using read = detail::read_partial;
  const auto first = detail::fold_indices<Elem>(n, detail::smaller(n, most), on,
                                                detail::folding<Op, Function>{op, f}, args...);
  const auto second =
      detail::fold_indices<Elem>(first.size(), detail::smaller(first.size(), fewer), on,
                                 detail::folding<Op, read>{op, {}}, first.share());
  array<Elem, 1> partials(shape<1>(second.size() + 1), on);
  partials(range(0, second.size())) = second;
  partials(second.size()) = init;
  const auto last = detail::fold_indices<Elem>(partials.size(), 1, on,
                                               detail::folding<Op, read>{op, {}}, partials.share());
  return last(0);
}

}  // namespace krait
