// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// New arrays, as NumPy makes them: `kr::zeros<float>({3, 4})`, `kr::arange(10)`, `kr::eye<double>(3)`.
#pragma once

#include <concepts>
#include <tuple>

#include <krait/array.h>
#include <krait/kernel.h>

namespace krait {

/// Where and how a new array lies: a device, an order of its dimensions, or both. Without: the default device, in C order.
struct placement {
  storage_order order = storage_order::c;
  krait::device on;
  placement(krait::device on_ = krait::device()) : on(on_) {}  // NOLINT: implicit on purpose, as the next
  placement(storage_order order_, krait::device on_ = krait::device()) : order(order_), on(on_) {}
};

namespace detail {

template <class Elem, int Rank>
array<Elem, Rank> filled(const shape<Rank>& extents, const placement& at, const Elem& x) {
  array<Elem, Rank> a(extents, at.order, at.on);
  a.fill(x);
  return a;
}
template <class Elem, int Rank>
placement placement_like(const array<Elem, Rank>& a) {
  const bool fortran = a.is_contiguous(storage_order::fortran) && !a.is_contiguous();
  return {fortran ? storage_order::fortran : storage_order::c, a.device()};
}
/// The elements' type: Elem, or that of a value where none is named.
template <class Elem, class Value>
using named_or = std::conditional_t<std::is_void_v<Elem>, Value, Elem>;

/// first + i * step in the elements' type, narrow floats in float; steps of floats as NumPy has them: what lies between the first two.
template <class Elem>
using step_type = std::conditional_t<is_narrow_v<Elem>, float, Elem>;
template <class Elem>
void fill_steps(array<Elem, 1>& out, step_type<Elem> first, step_type<Elem> second) {
  using word = step_type<Elem>;
  static const auto& steps = lasting(kernel(
      [](view<Elem> to, value<word> from, value<word> next) {
        const value<word> step(cast<word>(next - from));
        for (auto i : grid_stride(to.size())) to[i] = cast<Elem>(select(i == 1, next, cast<word>(from + cast<word>(i) * step)));
      },
      {.name = "arange", .fp = fp::strict}));
  steps.forall(out.size())(out, first, second);
}
/// Numbers of an open interval in steps. Throws error{usage} for a step of 0, and for what no size says.
KRAIT_API std::int64_t count_steps(double first, double last, double step);
KRAIT_API std::int64_t count_steps(std::int64_t first, std::int64_t last, std::int64_t step);
/// What kr::linspace gives, as NumPy computes it.
KRAIT_API void divide_interval(double first, double last, bool with_last, double* out, std::int64_t count);

}  // namespace detail

// Undefined below. A creator by a kr::shape, by extents in braces, for one dimension by its extent alone, and like another array.
#define KRAIT_CREATOR(name, create)                                                            \
  template <class Elem, int Rank>                                                              \
  array<Elem, Rank> name(const shape<Rank>& extents, const placement& at = {}) {               \
    return create;                                                                             \
  }                                                                                            \
  template <class Elem, int Rank>                                                              \
  array<Elem, Rank> name(const detail::any_extent(&extents)[Rank], const placement& at = {}) { \
    return name<Elem>(detail::to_shape(extents), at);                                          \
  }                                                                                            \
  template <class Elem, int Rank, std::integral Extent>                                        \
  array<Elem, Rank> name(const Extent(&extents)[Rank], const placement& at = {}) {             \
    return name<Elem>(detail::to_shape(extents), at);                                          \
  }                                                                                            \
  template <class Elem, std::integral Extent>                                                  \
  array<Elem, 1> name(Extent extent, const placement& at = {}) {                               \
    return name<Elem>(shape<1>(extent), at);                                                   \
  }                                                                                            \
  template <class Elem = void, class Like, int Rank>                                           \
  auto name##_like(const array<Like, Rank>& a, const placement& at) {                          \
    return name<detail::named_or<Elem, std::remove_const_t<Like>>>(a.extents(), at);           \
  }                                                                                            \
  template <class Elem = void, class Like, int Rank>                                           \
  auto name##_like(const array<Like, Rank>& a) {                                               \
    return name##_like<Elem>(a, detail::placement_like(a));                                    \
  }

/// Uninitialised elements: `kr::empty<float>({3, 4})`. Of these three all throw error{usage} for a negative extent, error{device} when
/// memory is short; `kr::empty_like(a)` has a's shape, order, device and, where no other is named, element type.
KRAIT_CREATOR(empty, (array<Elem, Rank>(extents, at.order, at.on)))
/// Zeros: `kr::zeros<int>({3, 4}, kr::storage_order::fortran)`.
KRAIT_CREATOR(zeros, detail::filled(extents, at, Elem{}))
/// Ones: `kr::ones<kr::f16>(1000, kr::device::cpu())`.
KRAIT_CREATOR(ones, detail::filled(extents, at, Elem(1)))
#undef KRAIT_CREATOR

/// Every element is x: `kr::full({3, 4}, 7.5f)`; of another type `kr::full<double>({3, 4}, 7)`.
template <class Elem = void, int Rank, class Value>
auto full(const shape<Rank>& extents, const Value& x, const placement& at = {}) {
  return detail::filled(extents, at, detail::named_or<Elem, Value>(x));
}
template <class Elem = void, int Rank, class Value>
auto full(const detail::any_extent (&extents)[Rank], const Value& x, const placement& at = {}) {
  return full<Elem>(detail::to_shape(extents), x, at);
}
template <class Elem = void, int Rank, std::integral Extent, class Value>
auto full(const Extent (&extents)[Rank], const Value& x, const placement& at = {}) {
  return full<Elem>(detail::to_shape(extents), x, at);
}
template <class Elem = void, std::integral Extent, class Value>
auto full(Extent extent, const Value& x, const placement& at = {}) {
  return full<Elem>(shape<1>(extent), x, at);
}
template <class Elem = void, class Like, int Rank, class Value>
auto full_like(const array<Like, Rank>& a, const Value& x) {  ///< x in every element, with the shape, order and device of a.
  return full<detail::named_or<Elem, std::remove_const_t<Like>>>(a.extents(), x, detail::placement_like(a));
}

/// first, first + step, … before last: `kr::arange(0.0f, 1.0f, 0.25f)`. The element type is the numbers' common one where none is named.
/// Throws error{usage} for a step of 0.
template <class Elem = void, detail::plain First, detail::plain Last, detail::plain Step = int>
auto arange(First first, Last last, Step step = Step(1), device on = device()) {
  using common = detail::named_or<Elem, detail::arith_t<detail::arith_t<First, Last>, Step>>;
  static_assert(!std::is_same_v<common, bool>, "krait: arange cannot step through bool: choose another element type");
  using wide = std::conditional_t<detail::is_float_v<common>, double, std::int64_t>;
  using word = detail::step_type<common>;
  const wide from = std::is_unsigned_v<common> ? wide(0) : wide(first),
             to = std::is_unsigned_v<common> ? wide(std::uint64_t(last) - std::uint64_t(first)) : wide(last);
  array<common, 1> out(shape<1>(detail::count_steps(from, to, wide(step))), on);
  // Integers wrap where there is no second element.
  using sum = std::conditional_t<detail::is_float_v<common>, double, std::uint64_t>;
  detail::fill_steps(out, word(common(first)), word(common(wide(sum(wide(first)) + sum(wide(step))))));
  return out;
}
/// From 0.
template <class Elem = void, detail::plain Last>
auto arange(Last last, device on = device()) {
  return arange<detail::named_or<Elem, Last>>(Last(0), last, Last(1), on);
}
/// `count` numbers at equal distances, of which the last is `last` unless `with_last` is false; computed in double on the host. Integers are
/// rounded down. Throws error{usage} for a negative count.
template <detail::plain Elem = double>
array<Elem, 1> linspace(double first, double last, std::int64_t count = 50, bool with_last = true, device on = device()) {
  array<Elem, 1> out(shape<1>(count), on);
  host_array<double> points(static_cast<std::size_t>(count));
  detail::divide_interval(first, last, with_last, points.data(), count);
  if constexpr (std::is_same_v<Elem, double>) {
    out.copy_from(points);
  } else {
    host_array<Elem> converted(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      converted[i] = detail::convert_plain<Elem>(std::is_integral_v<Elem> ? __builtin_floor(points[i]) : points[i]);
    out.copy_from(converted);
  }
  return out;
}

/// Ones on a diagonal, which lies `offset` above the main one, and zeros elsewhere.
template <class Elem>
array<Elem, 2> eye(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0, const placement& at = {}) {
  array<Elem, 2> a = zeros<Elem>(shape<2>(rows, columns), at);
  a.diagonal(offset).fill(Elem(1));
  return a;
}
template <class Elem>
array<Elem, 2> eye(std::int64_t rows, const placement& at = {}) {
  return eye<Elem>(rows, rows, 0, at);
}
/// A square array with these elements on a diagonal, and zeros elsewhere.
template <class Elem>
auto diag(const array<Elem, 1>& elements, std::int64_t offset = 0) {
  const std::int64_t rows = elements.extent(0) + (offset < 0 ? -offset : offset);
  auto a = zeros<std::remove_const_t<Elem>>(shape<2>(rows, rows), elements.device());
  a.diagonal(offset).copy_from(elements);
  return a;
}
/// A copy of a diagonal.
template <class Elem>
auto diag(const array<Elem, 2>& a, std::int64_t offset = 0) {
  return a.diagonal(offset).copy();
}

/// Which dimension of kr::meshgrid's results belongs to which argument: one after the other, or the first two exchanged, as x and y are.
enum class indexing : unsigned char { ij, xy };
/// The coordinates of all points of a grid: an array a dimension, which repeats an argument along the other dimensions. They are views
/// of the arguments' memory, and const; `copy()` makes arrays of them.
///   auto [x, y] = kr::meshgrid(kr::linspace(0, 1), kr::linspace(-1, 1, 20));   // of shape (20, 50)
template <indexing Order = indexing::xy, class... Elems>
requires(sizeof...(Elems) > 0) auto meshgrid(const array<Elems, 1>&... axes) {
  constexpr int rank = sizeof...(Elems);
  const auto dimension = [](int argument) {
    return Order == indexing::xy && rank >= 2 && argument < 2 ? 1 - argument : argument;
  };
  shape<rank> extents;
  int argument = 0;
  ((extents.extents[dimension(argument++)] = axes.extent(0)), ...);
  argument = 0;
  const auto along = [&]<class Elem>(const array<Elem, 1>& axis) {
    detail::layout at;
    at.rank = rank, at.offset = axis.at().offset;
    for (int d = 0; d < rank; ++d) at.extents[d] = extents[d], at.strides[d] = 0;
    at.strides[dimension(argument++)] = axis.stride(0);
    return array<const Elem, rank>(at, axis.memory_owner(), detail::handle_of(axis.device()));
  };
  return std::tuple{along(axes)...};  // braces: from left to right
}

}  // namespace krait
