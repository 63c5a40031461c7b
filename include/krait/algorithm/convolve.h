// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and stencils of arrays of one to three dimensions, with SciPy's modes and borders.
//   auto smooth = kr::convolve(signal, weights, "same");
//   auto edges = kr::correlate(image, sobel, kr::border::nearest);
//   auto next = kr::stencil([](auto at) { return 0.25f * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)); }, heat, kr::border::wrap);
#pragma once

#include <array>

#include <krait/algorithm/detail/einstein_sum.h>
#include <krait/algorithm/detail/form.h>

namespace krait {

/// The elements outside an array a b c d, for convolutions and stencils.
/// - constant: one number
/// - reflect: c b a | a b c d | d c b
/// - mirror: d c b | a b c d | c b a
/// - nearest: a a a | a b c d | d d d
/// - wrap: b c d | a b c d | a b c
enum class border : unsigned char { constant, reflect, mirror, nearest, wrap };

namespace detail {

/// Extents of the result, and the distance of its first element from that of the full one. Throws
/// error{usage} for a mode other than full, same and valid, and for operands without elements. For
/// "valid" one operand must be at least as large as the other in all dimensions, else it throws,
/// too. True if the operands of "valid" have to be exchanged.
KRAIT_API bool convolve_shape(const layout& x, const layout& weights, const char* mode,
                              std::int64_t* extents, std::int64_t* first);
KRAIT_API void check_weights(const layout& x, const layout& weights);

using index_value = value<std::int64_t>;

/// An index within the extent, where one outside is meant as `at` says.
inline index_value inside_border(const index_value& p, const index_value& n, border at) {
  const auto modulo = [](const index_value& x, const index_value& period) {
    return (x % period + period) % period;
  };
  switch (at) {
    case border::constant: return p;
    case border::nearest: return krait::max(krait::min(p, n - 1), std::int64_t(0));
    case border::wrap: return modulo(p, n);
    case border::reflect: {
      const index_value q = modulo(p, 2 * n);
      return krait::min(q, 2 * n - 1 - q);
    }
    case border::mirror: {
      const index_value period = krait::max(2 * n - 2, std::int64_t(1)), q = modulo(p, period);
      return krait::min(q, period - q);
    }
  }
  return p;
}

/// The element of x at a place, with one index per dimension, or the one that the border gives
/// outside.
template <class Elem, int Rank>
value<Elem> bordered(const view<const Elem, Rank>& x, const std::array<index_value, Rank>& p,
                     border at, const value<Elem>& outside) {
  const auto read = [&]<std::size_t... D>(std::index_sequence<D...>) {
    return value<Elem>(x(inside_border(p[D], x.extent(int(D)), at)...));
  };
  const auto element = [&] { return read(std::make_index_sequence<Rank>()); };
  if (at != border::constant) return element();
  const auto within = [&](int d) {
    return value<bool>(p[std::size_t(d)] >= 0 && p[std::size_t(d)] < x.extent(d));
  };
  if constexpr (Rank == 1) return select(within(0), element, outside);
  else if constexpr (Rank == 2) return select(within(0) && within(1), element, outside);
  else return select(within(0) && within(1) && within(2), element, outside);
}
/// The indices of element i of a result in C order.
template <int Rank, class Elem>
std::array<index_value, Rank> place_in_result(const view<Elem, Rank>& out, const index_value& i) {
  if constexpr (Rank == 1) {
    return {i};
  } else if constexpr (Rank == 2) {
    return {i / out.extent(1), i % out.extent(1)};
  } else {
    const index_value line = i / out.extent(2);
    return {line / out.extent(1), line % out.extent(1), i % out.extent(2)};
  }
}
template <int Rank, class Elem, class Value>
void write_result(const view<Elem, Rank>& out, const std::array<index_value, Rank>& p,
                  const Value& x) {
  if constexpr (Rank == 1) out(p[0]) = x;
  else if constexpr (Rank == 2) out(p[0], p[1]) = x;
  else out(p[0], p[1], p[2]) = x;
}

/// out[i] = sum of w[k] x[i + first - k].
template <class Elem, class Weight, class Out, int Rank>
void convolve_into(const array<const Elem, Rank>& x, const array<const Weight, Rank>& w,
                   array<Out, Rank>& out, const std::int64_t* first, border at, Elem outside) {
  using word = product_word<Out>;
  static const auto make = [](border given) {
    return kernel(
        [given](view<const Elem, Rank> from, view<const Weight, Rank> weights, view<Out, Rank> to,
                index_value f0, index_value f1, index_value f2, value<Elem> beyond) {
          const std::array<index_value, 3> firsts{f0, f1, f2};
          for (auto i : grid_stride(to.size())) {
            const auto own = place_in_result<Rank>(to, i);
            var<word> sum = word(0);
            const auto add = [&](const auto&... k) {
              const std::array<index_value, Rank> steps{k...};
              const auto moved = [&]<std::size_t... D>(std::index_sequence<D...>) {
                return std::array<index_value, Rank>{own[D] + firsts[D] - steps[D]...};
              };
              const value<Elem> element = bordered<Elem, Rank>(
                  from, moved(std::make_index_sequence<Rank>()), given, beyond);
              sum += cast<word>(element) * cast<word>(value<Weight>(weights(k...)));
            };
            for (auto a : range(std::int64_t(0), weights.extent(0))) {
              if constexpr (Rank == 1) {
                add(a);
              } else {
                for (auto b : range(std::int64_t(0), weights.extent(1))) {
                  if constexpr (Rank == 2) add(a, b);
                  else
                    for (auto c : range(std::int64_t(0), weights.extent(2))) add(a, b, c);
                }
              }
            }
            write_result<Rank>(to, own, leave_word<Out>(value<word>(sum)));
          }
        },
        {.name = "convolve"});
  };
  using made = decltype(make(at));
  static made* const kernels[] = {new made(make(border::constant)), new made(make(border::reflect)),
                                  new made(make(border::mirror)), new made(make(border::nearest)),
                                  new made(make(border::wrap))};  // never destroyed
  std::int64_t all[3] = {};
  for (int d = 0; d < Rank; ++d) all[d] = first[d];
  if (out.size() > 0)
    kernels[int(at)]->forall(out.size())(x, w, out, all[0], all[1], all[2], outside);
}

template <class Left, class Right>
using convolved_t =
    typename common_number<std::remove_const_t<Left>, std::remove_const_t<Right>>::type;

template <class Elem, class Weight, int Rank, class Output>
auto convolve_bordered(const array<Elem, Rank>& x, const array<Weight, Rank>& weights,
                       const std::int64_t* first, border at, std::remove_const_t<Elem> outside,
                       Output output) {
  static_assert(Rank <= 3, "krait: convolutions must have one to three dimensions");
  check_weights(x.at(), weights.at());
  auto out = result_in<convolved_t<Elem, Weight>, Rank>(
      output, dense(x.extents().extents, Rank, false), x.device(), x, weights);
  const array<const std::remove_const_t<Weight>, Rank> by(weights.at(), weights.memory_owner(),
                                                          handle_of(weights.device()));
  convolve_into(
      array<const std::remove_const_t<Elem>, Rank>(x.at(), x.memory_owner(), handle_of(x.device())),
      by, out.to, first, at, outside);
  return out.give();
}

/// The elements around one, as a stencil has them.
template <class Elem, int Rank>
struct stencil_place {
  view<const Elem, Rank> x;
  std::array<index_value, Rank> own;
  border at;
  value<Elem> outside;

  template <class... Offsets>
    requires(sizeof...(Offsets) == Rank)
  value<Elem> operator()(const Offsets&... offsets) const {
    const std::array<index_value, Rank> by{index_value(cast<std::int64_t>(offsets))...};
    const auto moved = [&]<std::size_t... D>(std::index_sequence<D...>) {
      return std::array<index_value, Rank>{own[D] + by[D]...};
    };
    return bordered<Elem, Rank>(x, moved(std::make_index_sequence<Rank>()), at, outside);
  }
};

}  // namespace detail

/// The convolution of x with weights, as scipy.signal.convolve; 1 to 3 dimensions.
/// Modes: "full" gives all sums, "same" as many as x has, from the middle, and "valid" those
/// without elements outside. The result has the common type. Throws error{usage} for other modes
/// and for operands without elements.
/// \code
/// auto smooth = kr::convolve(x, y, "same");
/// \endcode
template <class Elem, class Weight, int Rank, detail::into_option... Options>
auto convolve(const array<Elem, Rank>& x, const array<Weight, Rank>& weights,
              const char* mode = "full", const Options&... options) {
  static_assert(Rank <= 3, "krait: convolutions must have one to three dimensions");
  using left = std::remove_const_t<Elem>;
  using right = std::remove_const_t<Weight>;
  shape<Rank> extents;
  std::int64_t first[Rank];
  const bool exchanged = detail::convolve_shape(x.at(), weights.at(), mode, extents.extents, first);
  auto out = detail::result_in<detail::convolved_t<Elem, Weight>, Rank>(
      detail::output_in(options...), detail::dense(extents.extents, Rank, false), x.device(), x,
      weights);
  const array<const left, Rank> from(x.at(), x.memory_owner(), detail::handle_of(x.device()));
  const array<const right, Rank> by(weights.at(), weights.memory_owner(),
                                    detail::handle_of(weights.device()));
  if (exchanged) detail::convolve_into(by, from, out.to, first, border::constant, right());
  else detail::convolve_into(from, by, out.to, first, border::constant, left());
  return out.give();
}
/// The correlation of x with weights, as scipy.signal.correlate: a convolution with flipped
/// weights.
/// \code
/// auto edges = kr::correlate(a, b, kr::border::nearest);
/// \endcode
template <class Elem, class Weight, int Rank, detail::into_option... Options>
auto correlate(const array<Elem, Rank>& x, const array<Weight, Rank>& weights,
               const char* mode = "full", const Options&... options) {
  return convolve(x, weights.flip(), mode, options...);
}
/// The convolution of x with weights, as scipy.ndimage.convolve: the result has x's shape.
/// The border gives the elements outside x; `outside` is the number of border::constant.
template <class Elem, class Weight, int Rank, detail::into_option... Options>
auto convolve(const array<Elem, Rank>& x, const array<Weight, Rank>& weights, border at,
              std::remove_const_t<Elem> outside = {}, const Options&... options) {
  std::int64_t first[Rank];
  for (int d = 0; d < Rank; ++d) first[d] = weights.extent(d) / 2;
  return detail::convolve_bordered(x, weights, first, at, outside, detail::output_in(options...));
}
template <class Elem, class Weight, int Rank, detail::into_option... Options>
auto correlate(const array<Elem, Rank>& x, const array<Weight, Rank>& weights, border at,
               std::remove_const_t<Elem> outside = {}, const Options&... options) {
  std::int64_t first[Rank];
  for (int d = 0; d < Rank; ++d) first[d] = weights.extent(d) - 1 - weights.extent(d) / 2;
  return detail::convolve_bordered(x, weights.flip(), first, at, outside,
                                   detail::output_in(options...));
}

/// Applies a stencil: out[i] = f(at), with at(d…) the element at distance d from x[i].
/// f is a lambda on `auto at` that gives a number. The border gives elements outside, as in
/// convolve.
/// \code
/// auto mean = kr::stencil([](auto at) { return 0.5f * (at(-1) + at(1)); }, x, kr::border::wrap);
/// \endcode
template <class Function, class Elem, int Rank, detail::into_option... Options>
auto stencil(const Function& function, const array<Elem, Rank>& x, border at = border::constant,
             std::remove_const_t<Elem> outside = {}, const Options&... options) {
  static_assert(Rank <= 3, "krait: stencils must have one to three dimensions");
  using elem = std::remove_const_t<Elem>;
  using reader = detail::stencil_place<elem, Rank>;
  using result = detail::storage_type_t<
      std::remove_cvref_t<std::invoke_result_t<const Function&, const reader&>>>;
  auto out = detail::result_in<result, Rank>(detail::output_in(options...),
                                             detail::dense(x.extents().extents, Rank, false),
                                             x.device(), x);
  if (x.size() == 0) return out.give();
  const auto made = [&](border given) {
    return [given](const Function& f) {
      return kernel(
          [f, given](view<const elem, Rank> from, view<result, Rank> to, value<elem> beyond) {
            for (auto i : grid_stride(to.size())) {
              const auto own = detail::place_in_result<Rank>(to, i);
              detail::write_result<Rank>(
                  to, own, detail::as_value<result>(f(reader{from, own, given, beyond})));
            }
          },
          {.name = "stencil"});
    };
  };
  // A kernel each border, which is part of the code.
  const auto run = [&]<border Given>(std::integral_constant<border, Given>) {
    if (at == Given)
      detail::with_kernel(
          function, [&](const Function& f) { return made(Given)(f); },
          [&](const auto& k) { k.forall(x.size())(x, out.to, outside); });
  };
  run(std::integral_constant<border, border::constant>()),
      run(std::integral_constant<border, border::reflect>());
  run(std::integral_constant<border, border::mirror>()),
      run(std::integral_constant<border, border::nearest>());
  run(std::integral_constant<border, border::wrap>());
  return out.give();
}

}  // namespace krait
