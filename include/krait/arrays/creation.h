// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes new arrays with NumPy's functions: `kr::zeros<float>({3, 4})`, `kr::arange(10)`,
// `kr::eye<double>(3)`.
#pragma once

#include <concepts>
#include <tuple>

#include <krait/array.h>
#include <krait/kernel.h>

namespace krait {

/// Where a new array is placed: a device, an order of its dimensions, or both.
/// Without it a new array is on the default device, in C order.
struct placement {
  /// The order of the dimensions in memory.
  storage_order order = storage_order::c;
  /// The device.
  krait::device on;
  placement(krait::device on_ = krait::device())
      : on(on_) {}  // NOLINT: implicit on purpose, as the next
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

/// first + i * step in the elements' type, for narrow floats in float. As in NumPy, the step of
/// floats is the difference of the first two elements.
template <class Elem>
using step_type = std::conditional_t<is_narrow_v<Elem>, float, Elem>;
template <class Elem>
void fill_steps(array<Elem, 1>& out, step_type<Elem> first, step_type<Elem> second) {
  using word = step_type<Elem>;
  static const auto& steps = lasting(kernel(
      [](view<Elem> to, value<word> from, value<word> next) {
        const value<word> step(cast<word>(next - from));
        for (auto i : grid_stride(to.size()))
          to[i] = cast<Elem>(select(i == 1, next, cast<word>(from + cast<word>(i) * step)));
      },
      {.name = "arange", .fp = fp::strict}));
  steps.forall(out.size())(out, first, second);
}
/// The number of steps in a half-open interval. Throws error{usage} for a step of 0, and if the
/// number is too large.
KRAIT_API std::int64_t count_steps(double first, double last, double step);
KRAIT_API std::int64_t count_steps(std::int64_t first, std::int64_t last, std::int64_t step);
/// The elements of kr::linspace, as NumPy computes them.
KRAIT_API void divide_interval(double first, double last, bool with_last, double* out,
                               std::int64_t count);

}  // namespace detail

// Undefined below. A creator by a kr::shape, by extents in braces, and by extents alone; for one
// dimension a placement may follow.
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
  template <class Elem, detail::host_integer Extent>                                           \
  array<Elem, 1> name(Extent extent, const placement& at = {}) {                               \
    return name<Elem>(shape<1>(extent), at);                                                   \
  }                                                                                            \
  template <class Elem, detail::host_integer... Extents>                                       \
    requires(sizeof...(Extents) > 1)                                                           \
  auto name(Extents... extents) {                                                              \
    return name<Elem>(shape<int(sizeof...(Extents))>(extents...));                             \
  }
// As another array.
#define KRAIT_CREATOR_LIKE(name)                                                     \
  template <class Elem = void, class Like, int Rank>                                 \
  auto name##_like(const array<Like, Rank>& a, const placement& at) {                \
    return name<detail::named_or<Elem, std::remove_const_t<Like>>>(a.extents(), at); \
  }                                                                                  \
  template <class Elem = void, class Like, int Rank>                                 \
  auto name##_like(const array<Like, Rank>& a) {                                     \
    return name##_like<Elem>(a, detail::placement_like(a));                          \
  }

/// A new array with uninitialised elements.
/// Extents are a number, braces or a kr::shape; a kr::placement may follow. Throws error{usage} for
/// a negative extent, error{device} if memory is short; so do zeros and ones.
/// \code
/// auto grid = kr::empty<float>({3, 4});
/// \endcode
KRAIT_CREATOR(empty, (array<Elem, Rank>(extents, at.order, at.on)))
/// A new array of zeros; extents as for kr::empty.
/// \code
/// auto counts = kr::zeros<int>({3, 4}, kr::storage_order::fortran);
/// \endcode
KRAIT_CREATOR(zeros, detail::filled(extents, at, Elem{}))
/// A new array of ones; extents as for kr::empty.
/// \code
/// auto weights = kr::ones<float>(1000, kr::device::cpu());
/// \endcode
KRAIT_CREATOR(ones, detail::filled(extents, at, Elem(1)))
/// A new array with uninitialised elements, with the shape, order and device of a.
/// It has the element type of a unless another is named. A kr::placement may follow.
/// \code
/// auto same = kr::empty_like(x);
/// auto whole = kr::empty_like<int>(x);
/// \endcode
KRAIT_CREATOR_LIKE(empty)
/// A new array of zeros, with the shape, order and device of a; as kr::empty_like.
/// \code
/// auto sums = kr::zeros_like(a);
/// \endcode
KRAIT_CREATOR_LIKE(zeros)
/// A new array of ones, with the shape, order and device of a; as kr::empty_like.
KRAIT_CREATOR_LIKE(ones)
#undef KRAIT_CREATOR
#undef KRAIT_CREATOR_LIKE

/// A new array with every element equal to x; extents as for kr::empty.
/// The element type is the type of x unless another is named.
/// \code
/// auto sevens = kr::full<double>({3, 4}, 7);
/// \endcode
template <class Elem = void, int Rank, class Value>
auto full(const shape<Rank>& extents, const Value& x, const placement& at = {}) {
  return detail::filled(extents, at, detail::named_or<Elem, detail::number_t<Value>>(x));
}
template <class Elem = void, int Rank, class Value>
auto full(const detail::any_extent (&extents)[Rank], const Value& x, const placement& at = {}) {
  return full<Elem>(detail::to_shape(extents), x, at);
}
template <class Elem = void, int Rank, std::integral Extent, class Value>
auto full(const Extent (&extents)[Rank], const Value& x, const placement& at = {}) {
  return full<Elem>(detail::to_shape(extents), x, at);
}
template <class Elem = void, detail::host_integer Extent, class Value>
auto full(Extent extent, const Value& x, const placement& at = {}) {
  return full<Elem>(shape<1>(extent), x, at);
}
/// A new array with every element equal to x, with the shape, order and device of a.
/// \code
/// auto halves = kr::full_like(a, 0.5f);
/// \endcode
template <class Elem = void, class Like, int Rank, class Value>
auto full_like(const array<Like, Rank>& a, const Value& x) {
  return full<detail::named_or<Elem, std::remove_const_t<Like>>>(a.extents(), x,
                                                                 detail::placement_like(a));
}

/// The numbers first, first + step and so on, before last, as NumPy's arange.
/// The element type is the common type of the arguments unless another is named. Throws
/// error{usage} for a step of 0.
/// \code
/// auto quarters = kr::arange(0.0f, 1.0f, 0.25f);   // 0, 0.25, 0.5, 0.75
/// \endcode
template <class Elem = void, detail::host_number First, detail::host_number Last,
          detail::host_number Step = int>
auto arange(First first_, Last last_, Step step_ = Step(1), device on = device()) {
  const auto first = detail::as_number(first_);
  const auto last = detail::as_number(last_);
  const auto step = detail::as_number(step_);
  using common = detail::named_or<
      Elem, detail::arith_t<detail::arith_t<detail::number_t<First>, detail::number_t<Last>>,
                            detail::number_t<Step>>>;
  static_assert(!std::is_same_v<common, bool>,
                "krait: arange cannot step through bool: choose another element type");
  using wide = std::conditional_t<detail::is_float_v<common>, double, std::int64_t>;
  using word = detail::step_type<common>;
  const wide from = std::is_unsigned_v<common> ? wide(0) : wide(first),
             to = std::is_unsigned_v<common> ? wide(std::uint64_t(last) - std::uint64_t(first))
                                             : wide(last);
  array<common, 1> out(shape<1>(detail::count_steps(from, to, wide(step))), on);
  // Integers wrap where there is no second element.
  using sum = std::conditional_t<detail::is_float_v<common>, double, std::uint64_t>;
  detail::fill_steps(out, word(common(first)),
                     word(common(wide(sum(wide(first)) + sum(wide(step))))));
  return out;
}
/// The numbers 0 to last - 1.
template <class Elem = void, detail::host_number Last>
auto arange(Last last, device on = device()) {
  using number = detail::number_t<Last>;
  return arange<detail::named_or<Elem, number>>(number(0), last, number(1), on);
}
/// `count` numbers at equal distances from first to last, as NumPy's linspace.
/// `last` itself is left out if `with_last` is false. They are computed in double on the host;
/// integers are rounded down. Throws error{usage} for a negative count.
/// \code
/// auto points = kr::linspace<float>(0, 1, 101);
/// \endcode
template <detail::plain Elem = double>
array<Elem, 1> linspace(double first, double last, std::int64_t count = 50, bool with_last = true,
                        device on = device()) {
  array<Elem, 1> out(shape<1>(count), on);
  host_array<double> points(static_cast<std::size_t>(count));
  detail::divide_interval(first, last, with_last, points.data(), count);
  if constexpr (std::is_same_v<Elem, double>) {
    out.copy_from(points);
  } else {
    host_array<Elem> converted(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      converted[i] = detail::convert_plain<Elem>(
          std::is_integral_v<Elem> ? __builtin_floor(points[i]) : points[i]);
    out.copy_from(converted);
  }
  return out;
}

/// A matrix with ones on a diagonal and zeros elsewhere; `offset` moves the diagonal upwards.
/// \code
/// auto identity = kr::eye<double>(3);
/// \endcode
template <class Elem>
array<Elem, 2> eye(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0,
                   const placement& at = {}) {
  array<Elem, 2> a = zeros<Elem>(shape<2>(rows, columns), at);
  a.diagonal(offset).fill(Elem(1));
  return a;
}
template <class Elem>
array<Elem, 2> eye(std::int64_t rows, const placement& at = {}) {
  return eye<Elem>(rows, rows, 0, at);
}
/// A square matrix with these elements on a diagonal and zeros elsewhere.
/// \code
/// auto scaling = kr::diag(x);
/// \endcode
template <class Elem>
auto diag(const array<Elem, 1>& elements, std::int64_t offset = 0) {
  const std::int64_t rows = elements.extent(0) + (offset < 0 ? -offset : offset);
  auto a = zeros<std::remove_const_t<Elem>>(shape<2>(rows, rows), elements.device());
  a.diagonal(offset).copy_from(elements);
  return a;
}
/// A copy of a diagonal of a matrix.
template <class Elem>
auto diag(const array<Elem, 2>& a, std::int64_t offset = 0) {
  return a.diagonal(offset).copy();
}

namespace detail {

template <class... Elems>
auto grid_of(bool exchanged, const array<Elems, 1>&... axes) {
  constexpr int rank = sizeof...(Elems);
  const auto dimension = [&](int argument) {
    return exchanged && rank >= 2 && argument < 2 ? 1 - argument : argument;
  };
  shape<rank> extents;
  int argument = 0;
  ((extents.extents[dimension(argument++)] = axes.extent(0)), ...);
  argument = 0;
  const auto along = [&]<class Elem>(const array<Elem, 1>& axis) {
    detail::layout at;
    at.rank = rank, at.offset = detail::layout_of(axis).offset;
    for (int d = 0; d < rank; ++d) at.extents[d] = extents[d], at.strides[d] = 0;
    at.strides[dimension(argument++)] = axis.stride(0);
    return array<const Elem, rank>(detail::view_at(at, axis));
  };
  return std::tuple{along(axes)...};  // braces: from left to right
}

}  // namespace detail

/// The order of the dimensions of kr::meshgrid: as the arguments (`ij`), or the first two exchanged
/// (`xy`).
enum class indexing : unsigned char { ij, xy };
/// The coordinates of all points of a grid: one array per dimension.
/// The arrays are read-only views that repeat the arguments; `copy()` makes arrays of them.
/// The last argument may be the order: kr::indexing::ij; without it, it is `xy`.
/// \code
/// auto [px, py] = kr::meshgrid(kr::linspace(0, 1), kr::linspace(-1, 1, 20));   // shape (20, 50)
/// \endcode
template <class... Items>
  requires((detail::is_device_array<Items>::value || detail::deferred<Items> ||
            std::is_same_v<Items, indexing>) &&
           ...)
auto meshgrid(const Items&... items) {
  const auto order_of = []<class Item>(const Item& item) {
    if constexpr (std::is_same_v<Item, indexing>) return item;
    else return indexing::xy;
  };
  const auto axis_of = []<class Item>(const Item& item) {
    if constexpr (std::is_same_v<Item, indexing>) return std::tuple<>();
    else return std::tuple(detail::evaluated(item).share());
  };
  const bool exchanged = ((order_of(items) == indexing::xy) && ...);
  return std::apply([&](const auto&... axes) { return detail::grid_of(exchanged, axes...); },
                    std::tuple_cat(axis_of(items)...));
}

}  // namespace krait
