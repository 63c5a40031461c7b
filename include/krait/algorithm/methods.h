// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More members of kr::vectorize's functions, as of NumPy's universal functions. With `f` of two
// numbers:
//   f.reduce(x, kr::axis(1))        // x[:, 0] f x[:, 1] f …; without axes the first
//   f.accumulate(x, 1)              // the result after each element
//   f.outer(x, y)                   // of each element of x with each of y
//   // x[i] = f(x[i], y) for one index after the other, also where indices are equal
//   f.at(x, indices, y)
//   f.reduceat(x, firsts)           // of x from each index to before the next
#pragma once

#include <optional>

#include <krait/algorithm/detail/folds.h>
#include <krait/algorithm/detail/form.h>
#include <krait/algorithm/detail/selection.h>
#include <krait/algorithm/reduce.h>

namespace krait {
namespace detail {
template <class Number>
struct identity_type {
  Number value;
};
}  // namespace detail

/// An option of a function's `reduce`: f(identity, x) is x, and the order does not matter.
/// It is the result without elements, and allows several axes.
/// \code
/// auto hypotenuse = kr::vectorize([](auto p, auto q) { return kr::hypot(p, q); });
/// auto lengths = hypotenuse.reduce(a, kr::axis(0, 1), kr::identity(0.0f));
/// \endcode
template <class Number>
  requires(detail::plain<Number> || detail::complex_number<Number>)
detail::identity_type<Number> identity(Number x) {
  return {x};
}

namespace detail {

/// An array's dimensions with this one last.
template <class Elem, int Rank>
array<Elem, Rank> with_last(const array<Elem, Rank>& x, int axis) {
  return view_at(axis_last(layout_of(x), axis), x);
}
/// Appends dimensions of extent 1 to those of x.
template <int More, class Elem, int Rank>
array<const Elem, Rank + More> with_ones(const array<Elem, Rank>& x) {
  layout at = layout_of(x);
  for (int d = 0; d < More; ++d) at.extents[at.rank] = 1, at.strides[at.rank++] = 0;
  return view_at(at, x);
}

/// Options for a reduction whose identity is known: what is given starts it, where no other value
/// does.
template <bool Starts, class Option>
auto without_identity(const Option& option) {
  return option;
}
template <bool Starts, class Number>
auto without_identity(const identity_type<Number>& option) {
  if constexpr (Starts) return no_option();
  else return initial(option.value);
}
template <class Option>
inline constexpr bool is_initial = false;
template <class Number>
inline constexpr bool is_initial<initial_type<Number>> = true;

/// A container of the host as an array.
template <class Array>
decltype(auto) array_of(const Array& x) {
  if constexpr (is_device_array<Array>::value) return (x);
  else return to_device(x);
}

template <class Lambda>
struct methods {
  kernel_state* state;
  const Lambda& f;

  template <class Elem, int Rank, class... Options>
  auto reduce(const array<Elem, Rank>& x, const Options&... options) const {
    static_assert(
        (outputs_in<Options> + ... + 0) == 0,
        "krait: a function's reduce returns a new array: kr::into works with kr::sum and the "
        "other reductions");
    if constexpr ((axes_in<Options> + ... + 0) == 0) return reduce(x, axis_list<1>(0), options...);
    else return reduce_along(x, options...);
  }
  template <host_container Array, class... Options>
  auto reduce(const Array& x, const Options&... options) const {
    return reduce(array_of(x), options...);
  }

  template <class Elem, int Rank>
  auto accumulate(const array<Elem, Rank>& x, const axis_list<1>& axis) const {
    using of = fold_t<Lambda, std::remove_const_t<Elem>>;
    array<of, Rank> out(x.extents(), x.device());
    const int along = first_axis(axes_mask(axis.at, 1, Rank));
    const auto from = with_last(x.share(), along);
    fold<of, true>(from, with_last(out, along), nullptr, nullptr);
    return out;
  }
  template <host_container Array>
  auto accumulate(const Array& x, const axis_list<1>& axis) const {
    return accumulate(array_of(x), axis);
  }

  template <class Function, class Left, int Rank, class Right, int OtherRank>
  static auto outer(const Function& function, const array<Left, Rank>& x,
                    const array<Right, OtherRank>& y) {
    return function(with_ones<OtherRank>(x), y);
  }
  template <class Function, class Left, class Right>
    requires(host_container<Left> || host_container<Right>)
  static auto outer(const Function& function, const Left& x, const Right& y) {
    return outer(function, array_of(x), array_of(y));
  }

  template <class Elem>
  auto reduceat(const array<Elem, 1>& x, const auto& firsts) const {
    using of = fold_t<Lambda, std::remove_const_t<Elem>>;
    const auto indices = checked_indices(
        firsts, 0, x.size(), [&](std::int64_t index) { refuse_segment(state, index, x.size()); });
    array<of, 1> out(indices.extents(), x.device());
    using body = fold_segments<Lambda, of>;
    run_method<view<const std::remove_const_t<Elem>>, view<const std::int64_t>, view<of>>(
        state, body{f}, out.size(), x, indices, out);
    return out;
  }
  template <class Array, class Firsts>
    requires(host_container<Array> || host_container<Firsts>)
  auto reduceat(const Array& x, const Firsts& firsts) const {
    return reduceat(array_of(x), array_of(firsts));
  }

  template <class Elem, class Index, class... Other>
  void at(array<Elem, 1>& x, const array<Index, 1>& given, const Other&... other) const {
    const auto indices = checked_indices(given, x.size(), 0);
    check_apart(layout_of(x), "at");
    update(x, indices, spread_over(indices, other)...);
  }
  template <class Elem, host_container Indices, class... Other>
  void at(array<Elem, 1>& x, const Indices& given, const Other&... other) const {
    at(x, array_of(given), other...);
  }

 private:
  /// Beside each index one element.
  template <class Other>
  static auto spread_over(const array<std::int64_t, 1>& indices, const Other& other) {
    if constexpr (plain<Other> || complex_number<Other>) {
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
  void update(array<Elem, 1>& x, const array<std::int64_t, 1>& indices,
              const array<Other, 1>&... other) const {
    run_method<view<Elem>, view<const std::int64_t>, view<const Other>...>(
        state, update_elements<Lambda>{f}, update_elements<Lambda>::threads, x, indices, other...);
  }

  template <class Elem, int Rank, class... Options>
  auto reduce_along(const array<Elem, Rank>& x, const Options&... options) const {
    using of = fold_t<Lambda, std::remove_const_t<Elem>>;
    const auto source = make_expression<cast_elements<of>>(x);
    if constexpr (complex_number<of>) {
      using result = decltype(reduce_numbers<sum_of>(source, without_identity<true>(options)...));
      return reduce_in_order<of, result>(x, options...);
    } else {
      return reduce_known(source, x, options...);
    }
  }
  template <class Source, class Elem, int Rank, class... Options>
  auto reduce_known(const Source& source, const array<Elem, Rank>& x,
                    const Options&... options) const {
    using of = operand_element<Source>;
    using recording = elementwise_recording<Lambda, 1, std::tuple<input<of, true>, input<of, true>>,
                                            std::tuple<of>>;
    const op operation = operation_of(state, &f, recording::as);
    const auto by = [&]<template <class> class Reducer>() {
      return reduce_whole<Reducer>(source,
                                   without_identity<(is_initial<Options> || ...)>(options)...);
    };
    switch (operation) {
      case op::Add: return by.template operator()<fold_by_add>();
      case op::Mul: return by.template operator()<fold_by_multiply>();
      case op::Min: return by.template operator()<fold_by_min>();
      case op::Max: return by.template operator()<fold_by_max>();
      default: break;
    }
    if constexpr (std::is_integral_v<of>) {
      switch (operation) {
        case op::And: return by.template operator()<fold_by_and>();
        case op::Or: return by.template operator()<fold_by_or>();
        case op::Xor: return by.template operator()<fold_by_xor>();
        default: break;
      }
    }
    return reduce_in_order<of, decltype(by.template operator()<fold_by_add>())>(x, options...);
  }

  /// One element after the other, for functions whose order matters, as far as is known.
  template <class State, class Result, class Elem, int Rank, class... Options>
  Result reduce_in_order(const array<Elem, Rank>& x, const Options&... options) const {
    const auto value_of = []<class Option>(const Option& option) -> std::optional<State> {
      if constexpr (std::is_same_v<Option, std::nullptr_t>) return std::nullopt;
      else if constexpr (complex_number<State>) return State(option.value);
      else return convert_plain<State>(option.value);
    };
    const std::optional<State> start = value_of(option_of<initial_type>::find(options...)),
                               neutral = value_of(option_of<identity_type>::find(options...));
    const auto where = option_of<where_type>::find(options...);
    std::optional<array<bool, Rank>> mask;
    if constexpr (!std::is_same_v<decltype(where), const std::nullptr_t>) {
      if (!start && !neutral) refuse_mask(state);
      using mask_element =
          expression<cast_elements<bool>, std::remove_cvref_t<decltype(where.mask)>>;
      mask_element(where.mask).into(mask.emplace(x.extents(), x.device()));
    }
    const unsigned axes = (mask_of(options, Rank) | ...);
    if ((axes & (axes - 1)) != 0 && !neutral) refuse_axes(state);
    const auto first_of = [&](unsigned rest) {
      return !neutral || (start && (rest & (rest - 1)) == 0) ? start : neutral;
    };
    array<State, Rank> out =
        reduce_line(x, first_axis(axes), first_of(axes), mask ? &*mask : nullptr);
    for (unsigned rest = axes & (axes - 1); rest != 0; rest &= rest - 1)
      out = reduce_line(out, first_axis(rest), first_of(rest), nullptr);
    if constexpr (plain<Result> || complex_number<Result>) {
      return static_cast<State>(out.reshape(-1)(0));
    } else if constexpr (Result::rank == Rank) {
      return out;
    } else {
      std::int64_t gone[Rank], count = 0;
      for (int d = 0; d < Rank; ++d)
        if (axes >> d & 1) gone[count++] = d;
      return Result(view_at(squeeze(layout_of(out), gone, int(count)), out));
    }
  }
  /// Along one axis, which stays with extent 1.
  template <class Elem, int Rank, class State>
  array<State, Rank> reduce_line(const array<Elem, Rank>& x, int along,
                                 const std::optional<State>& start,
                                 const std::type_identity_t<array<bool, Rank>>* mask) const {
    if (!start && x.extent(along) == 0) refuse_empty(state);
    shape<Rank> extents = x.extents();
    extents.extents[along] = 1;
    array<State, Rank> out(extents, x.device());
    const auto from = with_last(x.share(), along);
    const State* const first = start ? &*start : nullptr;
    if (mask) {
      const auto chosen = with_last(*mask, along);
      fold<State, false>(from, with_last(out, along), first, &chosen);
    } else {
      fold<State, false>(from, with_last(out, along), first, nullptr);
    }
    return out;
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
    return view_at(layout_of(x), x);
  }
};

}  // namespace detail
}  // namespace krait
