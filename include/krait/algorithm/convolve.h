// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and stencils of arrays of one to three dimensions, with SciPy's modes and borders.
//   auto smooth = kr::convolve(signal, weights, "same");
//   auto edges = kr::correlate(image, sobel, kr::border::nearest);
//   auto mean = [](auto at) { return 0.25f * (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)); };
//   auto next = kr::stencil(mean, heat, kr::border::wrap);
#pragma once

#include <krait/algorithm/detail/any_array.h>
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

/// The place of element i of a result in C order.
KRAIT_API place place_in_result(node out, int rank, node i);
/// The number at a place, or the one that the border gives outside.
KRAIT_API node bordered(const place& at, border by, scalar type, node outside);

/// out[i] = sum of w[k] x[i + first - k], in words. `outside`: bits of the number there.
KRAIT_API void convolve_into(const any_array& x, const any_array& weights, const any_array& out,
                             scalar word, const std::int64_t* first, border at,
                             std::uint64_t outside);

template <class Left, class Right>
using convolved_t =
    typename common_number<std::remove_const_t<Left>, std::remove_const_t<Right>>::type;

template <class Elem, class Weight, int Rank, class Output>
auto convolve_bordered(const array<Elem, Rank>& x, const array<Weight, Rank>& weights,
                       const std::int64_t* first, border at, std::remove_const_t<Elem> outside,
                       Output output) {
  static_assert(Rank <= 3, "krait: convolutions must have one to three dimensions");
  check_weights(layout_of(x), layout_of(weights));
  auto out = result_in<convolved_t<Elem, Weight>, Rank>(
      output, dense(x.extents().extents, Rank, false), x.device(), x, weights);
  convolve_into(erased(x), erased(weights), erased(out.to),
                scalar_of<product_word<convolved_t<Elem, Weight>>>, first, at, bits_of(outside));
  return out.give();
}

/// The elements around one, as a stencil has them.
template <class Elem, int Rank>
struct stencil_place {
  node x;
  place own;
  border at;
  value<Elem> outside;

  template <class... Offsets>
    requires(sizeof...(Offsets) == Rank)
  value<Elem> operator()(const Offsets&... offsets) const {
    const node by[] = {node_of(value<std::int64_t>(cast<std::int64_t>(offsets)))...};
    place p{x, {}, Rank};
    for (int d = 0; d < Rank; ++d)
      p.indices[d] = apply(op::Add, scalar::i64, own.indices[d], by[d]);
    return value<Elem>(bordered(p, at, scalar_of<Elem>, node_of(outside)));
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
  shape<Rank> extents;
  std::int64_t first[Rank];
  const bool exchanged = detail::convolve_shape(detail::layout_of(x), detail::layout_of(weights),
                                                mode, extents.extents, first);
  auto out = detail::result_in<detail::convolved_t<Elem, Weight>, Rank>(
      detail::output_in(options...), detail::dense(extents.extents, Rank, false), x.device(), x,
      weights);
  const detail::any_array left = detail::erased(x), right = detail::erased(weights);
  constexpr detail::scalar word =
      detail::scalar_of<detail::product_word<detail::convolved_t<Elem, Weight>>>;
  detail::convolve_into(exchanged ? right : left, exchanged ? left : right, detail::erased(out.to),
                        word, first, border::constant, 0);
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
              const detail::place own = detail::place_in_result(node_of(to), Rank, node_of(i));
              const auto x_here =
                  detail::as_value<result>(f(reader{node_of(from), own, given, beyond}));
              detail::element<result>::name(own) = x_here;
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

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(convolve, correlate, stencil)
KRAIT_TAKES_LISTS(convolve, correlate)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
