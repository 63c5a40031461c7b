// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function of kr::vectorize offers beside calls, as NumPy's universal functions do. With `f` of two numbers:
//   f.reduce(x, kr::axis(1))        // x[:, 0] f x[:, 1] f …; without axes the first
//   f.accumulate(x, 1)              // what that is after each element
//   f.outer(x, y)                   // of each element of x with each of y
//   f.at(x, indices, y)             // x[i] = f(x[i], y) for one index after the other, also where indices are equal
//   f.reduceat(x, firsts)           // of x from each index to before the next
#pragma once

#include <krait/algorithm/detail/folds.h>
#include <krait/algorithm/detail/indexing.h>
#include <krait/algorithm/reduce.h>

namespace krait::detail {

/// An array's dimensions with this one last.
template <class Elem, int Rank>
array<Elem, Rank> with_last(const array<Elem, Rank>& x, int axis) {
  std::int64_t order[Rank];
  for (int d = 0; d < Rank; ++d) order[d] = d < axis ? d : d + 1 < Rank ? d + 1 : axis;
  return {permute(x.at(), order, Rank), x.memory_owner(), handle_of(x.device())};
}
/// Dimensions of extent 1 behind those of x.
template <int More, class Elem, int Rank>
array<const Elem, Rank + More> with_ones(const array<Elem, Rank>& x) {
  layout at = x.at();
  for (int d = 0; d < More; ++d) at.extents[at.rank] = 1, at.strides[at.rank++] = 0;
  return {at, x.memory_owner(), handle_of(x.device())};
}

template <class Lambda>
struct methods {
  kernel_state* state;
  const Lambda& f;

  template <class Elem, int Rank, class... Options>
  auto reduce(const array<Elem, Rank>& x, const Options&... options) const {
    if constexpr ((axes_in<Options> + ... + 0) == 0) return reduce(x, axis_list<1>{{0}}, options...);
    else return reduce_along(x, options...);
  }

  template <class Elem, int Rank>
  auto accumulate(const array<Elem, Rank>& x, std::int64_t axis) const {
    using of = fold_t<Lambda, std::remove_const_t<Elem>>;
    array<of, Rank> out(x.extents(), x.device());
    const int along = first_axis(axes_mask(&axis, 1, Rank));
    const auto from = with_last(x.share(), along);
    fold<of, true>(from, with_last(out, along), nullptr, nullptr);
    return out;
  }

  template <class Function, class Left, int Rank, class Right, int OtherRank>
  static auto outer(const Function& function, const array<Left, Rank>& x, const array<Right, OtherRank>& y) {
    return function(with_ones<OtherRank>(x), y);
  }

  template <class Elem>
  auto reduceat(const array<Elem, 1>& x, const auto& firsts) const {
    using of = fold_t<Lambda, std::remove_const_t<Elem>>;
    const auto indices =
        checked_indices(firsts, 0, x.size(), [&](std::int64_t index) { refuse_segment(state, index, x.size()); });
    array<of, 1> out(indices.extents(), x.device());
    using body = fold_segments<Lambda, of>;
    run_method<view<const std::remove_const_t<Elem>>, view<const std::int64_t>, view<of>>(state, body{f}, out.size(), x, indices,
                                                                                          out);
    return out;
  }

  template <class Elem, class Index, class... Other>
  void at(array<Elem, 1>& x, const array<Index, 1>& given, const Other&... other) const {
    const auto indices = checked_indices(given, x.size(), 0);
    update(x, indices, spread_over(indices, other)...);
  }

 private:
  /// Beside each index one element.
  template <class Other>
  static auto spread_over(const array<std::int64_t, 1>& indices, const Other& other) {
    if constexpr (plain<Other>) {
      array<Other, 1> all(indices.extents(), indices.device());
      all.fill(other);
      return all;
    } else {
      using elem = operand_element<decltype(make_operand(other))>;
      array<elem, 1> all(indices.extents(), indices.device());
      make_expression<same_elements>(other).into(all);
      return all;
    }
  }
  template <class Elem, class... Other>
  void update(array<Elem, 1>& x, const array<std::int64_t, 1>& indices, const array<Other, 1>&... other) const {
    run_method<view<Elem>, view<const std::int64_t>, view<const Other>...>(
        state, update_elements<Lambda>{f}, update_elements<Lambda>::threads, x, indices, other...);
  }

  template <class Elem, int Rank, class... Options>
  auto reduce_along(const array<Elem, Rank>& x, const Options&... options) const {
    using of = fold_t<Lambda, std::remove_const_t<Elem>>;
    using recording = elementwise_recording<Lambda, 1, std::tuple<input<of, true>, input<of, true>>, std::tuple<of>>;
    const auto source = make_expression<converted_element<of>>(x);
    const op operation = operation_of(state, &f, recording::as);
    switch (operation) {
      case op::Add: return reduce_whole<fold_by_add>(source, options...);
      case op::Mul: return reduce_whole<fold_by_multiply>(source, options...);
      case op::Min: return reduce_whole<fold_by_min>(source, options...);
      case op::Max: return reduce_whole<fold_by_max>(source, options...);
      default: break;
    }
    if constexpr (std::is_integral_v<of>) {
      switch (operation) {
        case op::And: return reduce_whole<fold_by_and>(source, options...);
        case op::Or: return reduce_whole<fold_by_or>(source, options...);
        case op::Xor: return reduce_whole<fold_by_xor>(source, options...);
        default: break;
      }
    }
    return reduce_in_order<of, decltype(reduce_whole<fold_by_add>(source, options...))>(x, options...);
  }

  /// One element after the other, for functions whose order matters, as far as is known.
  template <class State, class Result, class Elem, int Rank, class... Options>
  Result reduce_in_order(const array<Elem, Rank>& x, const Options&... options) const {
    if constexpr ((axes_in<Options> + ... + 0) > 1) {
      refuse_axes(state);
    } else {
      return reduce_line<State, Result>(x, options...);
    }
  }
  template <class State, class Result, class Elem, int Rank, class... Options>
  Result reduce_line(const array<Elem, Rank>& x, const Options&... options) const {
    const unsigned axes = (mask_of(options, Rank) | ...);
    const int along = first_axis(axes);
    shape<Rank> extents = x.extents();
    extents.extents[along] = 1;
    array<State, Rank> out(extents, x.device());

    const auto first = option_of<initial_type>::find(options...);
    const auto mask = option_of<where_type>::find(options...);
    constexpr bool starts = !std::is_same_v<decltype(first), const std::nullptr_t>;
    constexpr bool masked = !std::is_same_v<decltype(mask), const std::nullptr_t>;
    State start{};
    if constexpr (starts) start = convert_plain<State>(first.value);
    else if (masked) refuse_mask(state);
    else if (x.extent(along) == 0) refuse_empty(state);
    const auto from = with_last(x.share(), along);
    if constexpr (masked && starts) {
      array<bool, Rank> all(x.extents(), x.device());
      make_expression<converted_element<bool>>(mask.mask).into(all);
      const auto chosen = with_last(all, along);
      fold<State, false>(from, with_last(out, along), &start, &chosen);
    } else {
      fold<State, false>(from, with_last(out, along), starts ? &start : nullptr, nullptr);
    }
    if constexpr (plain<Result>) return static_cast<State>(out(0));
    else if constexpr (Result::rank == Rank) return out;
    else return out.squeeze(along);
  }

  template <class State, bool All, class Elem, int Rank>
  void fold(const array<Elem, Rank>& x, const array<State, Rank>& out, const State* start,
            const std::type_identity_t<array<bool, Rank>>* mask) const {
    if (out.size() == 0) return;
    const std::int64_t lines = All ? out.size() / out.extent(Rank - 1) : out.size();
    const auto launch = [&]<bool Starts, bool Masked>() {
      using body = fold_lines<Lambda, State, All, Starts, Masked>;
      using elem = std::remove_const_t<Elem>;
      const array<bool, Rank> none;
      auto to = view_of(out);
      run_method<view<const elem, Rank>, view<State, Rank>, view<const bool, Rank>, value<State>>(
          state, body{f}, lines, x, to, mask ? *mask : none, start ? *start : State{});
    };
    if (mask) launch.template operator()<true, true>();
    else if (start) launch.template operator()<true, false>();
    else launch.template operator()<false, false>();
  }
  template <class Elem, int Rank>
  static array<Elem, Rank> view_of(const array<Elem, Rank>& x) {
    return {x.at(), x.memory_owner(), handle_of(x.device())};
  }
};

}  // namespace krait::detail
