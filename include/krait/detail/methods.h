// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of an element-wise function's methods that take elements one after the other. The
// function is inlined in them. A thread folds a line of elements or a segment, or updates some of
// an array's elements.
#pragma once

#include <krait/array.h>
#include <krait/control.h>
#include <krait/kernel.h>

namespace krait::detail {

/// The operation that a recording of a function of two arrays is, if it is a single one whose
/// operands commute. Else Unreachable.
KRAIT_API op operation_of(kernel_state* state, const void* lambda, const signature& as);
/// A kernel that lives as long as another, one a key.
KRAIT_API kernel_state* kernel_beside(kernel_state* state, const void* key);
/// Messages of NumPy's, which name the function. Each throws error{usage}.
[[noreturn]] KRAIT_API void refuse_empty(const kernel_state* state);
[[noreturn]] KRAIT_API void refuse_mask(const kernel_state* state);
[[noreturn]] KRAIT_API void refuse_axes(const kernel_state* state);
[[noreturn]] KRAIT_API void refuse_segment(const kernel_state* state, std::int64_t index,
                                           std::int64_t size);

/// Throw error{usage} for a mask of another shape than the dimensions from `axis` on, for arrays of
/// indices that do not broadcast, for values that are not as many as it takes, and for 2^31 indices
/// or more.
KRAIT_API void check_mask_shape(const std::int64_t* mask, const std::int64_t* of, int rank,
                                int axis = 0);
KRAIT_API void check_index_shapes(const std::int64_t* first, const std::int64_t* second, int rank);
KRAIT_API void check_mask_count(std::int64_t values, std::int64_t elements);
KRAIT_API void check_index_count(std::int64_t indices);

/// The type in which elements are folded: the type that the function gives for its own results.
template <class Lambda, class Elem>
struct fold_result {
  template <class Of>
  using once =
      held_t<std::remove_cvref_t<std::invoke_result_t<const Lambda&, value<Of>, value<Of>>>>;
  using type = once<once<Elem>>;
  static_assert(plain<type> || complex_number<type>,
                "krait: the folded function must take two numbers and return one");
};
template <class Lambda, class Elem>
using fold_t = typename fold_result<Lambda, Elem>::type;

template <class State, class Lambda, class Left, class Right>
value<State> fold_step(const Lambda& f, const Left& x, const Right& y) {
  return cast_element<State>(call_inlined([&] { return f(value<State>(x), value<State>(y)); }));
}
template <class Elem, int Rank>
value<Elem> read_at(const view<const Elem, Rank>& from, const node* at) {
  place p{node_of(from), {}, Rank};
  for (int d = 0; d < Rank; ++d) p.indices[d] = at[d];
  return element<Elem>::read(p);
}
template <class Elem, int Rank>
void write_at(const view<Elem, Rank>& to, const node* at, const value<Elem>& x) {
  place p{node_of(to), {}, Rank};
  for (int d = 0; d < Rank; ++d) p.indices[d] = at[d];
  element<Elem>::name(p) = x;
}

/// A thread a line along the last dimension. All: each step's result is kept, else the last.
template <class Lambda, class State, bool All, bool Starts, bool Masked>
struct fold_lines {
  const Lambda& f;

  template <class Elem, int Rank>
  void operator()(const view<const Elem, Rank>& x, const view<State, Rank>& out,
                  const view<const bool, Rank>& mask, const value<State>& start) const {
    node lines = node_of(value<std::int64_t>(1));
    for (int d = 0; d < Rank - 1; ++d) lines = node_of(value<std::int64_t>(lines) * x.extent(d));
    for (auto line : grid_stride(value<std::int64_t>(lines))) {
      node at[Rank];
      node rest = node_of(line);
      for (int d = Rank - 2; d >= 0; --d) {
        at[d] = node_of(value<std::int64_t>(rest) % x.extent(d));
        rest = node_of(value<std::int64_t>(rest) / x.extent(d));
      }
      at[Rank - 1] = node_of(value<std::int64_t>(0));
      var<State> now(Starts ? start : cast_element<State>(read_at(x, at)));
      if constexpr (All) write_at(out, at, value<State>(now));
      for (auto k : range(std::int64_t(Starts ? 0 : 1), x.extent(Rank - 1))) {
        at[Rank - 1] = node_of(k);
        const auto step = [&] {
          now = fold_step<State>(f, now, cast_element<State>(read_at(x, at)));
        };
        if constexpr (Masked) if_(read_at(mask, at), step);
        else step();
        if constexpr (All) write_at(out, at, value<State>(now));
      }
      at[Rank - 1] = node_of(value<std::int64_t>(0));
      if constexpr (!All) write_at(out, at, value<State>(now));
    }
  }
};

/// A thread a segment: from an index to the next one, or the one element where that is not above.
template <class Lambda, class State>
struct fold_segments {
  const Lambda& f;

  template <class Elem>
  void operator()(const view<const Elem>& x, const view<const std::int64_t>& firsts,
                  const view<State>& out) const {
    for (auto s : grid_stride(out.size())) {
      const auto first = firsts[s];
      const auto last = select(
          s + 1 < out.size(), [&] { return firsts[s + 1]; }, x.size());
      var<State> now(cast_element<State>(x[first]));
      for (auto k : range(first + 1, last))
        now = fold_step<State>(f, now, cast_element<State>(x[k]));
      out[s] = now;
    }
  }
};

/// x[i] = f(x[i], y) for one index after the other. A thread has the elements whose index it is by
/// their number's remainder.
template <class Lambda>
struct update_elements {
  const Lambda& f;
  static constexpr int threads = 256;

  template <class Elem, class... Other>
  void operator()(const view<Elem>& x, const view<const std::int64_t>& indices,
                  const view<const Other>&... other) const {
    for (auto thread : grid_stride(std::int64_t(threads))) {
      for (auto k : range(std::int64_t(0), indices.size())) {
        const auto i = indices[k];
        if_(i % threads == thread, [&] {
          const value<Elem> old = x[i];
          x[i] =
              cast_element<Elem>(call_inlined([&] { return f(old, value<Other>(other[k])...); }));
        });
      }
    }
  }
};

/// Launches one of these.
template <class... Params, class Body, class... Args>
void run_method(kernel_state* state, const Body& body, std::int64_t threads, Args&&... args) {
  call_config config;
  config.form = call_config::threads, config.count = threads;
  kernel_recording<Body, Params...>::template pass_to<&detail::call>(
      kernel_beside(state, &kernel_recording<Body, Params...>::as), body, config,
      std::forward<Args>(args)...);
}

}  // namespace krait::detail
