// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms on arrays of kr::dist: the functions of krait/algorithm, with their meaning.
//   auto of_columns = kr::sum(t, kr::axis(0));
//   auto sorted = kr::sort(x);                        // by samples
//   auto c = kr::matmul(a, b);                        // the same bits on any number of ranks
//   auto spectrum = kr::fft2(a);
#pragma once

#include <krait/algorithm/convolve.h>
#include <krait/algorithm/einsum.h>
#include <krait/algorithm/indexing.h>
#include <krait/detail/dist/along.h>
#include <krait/detail/dist/linear.h>
#include <krait/detail/dist/order.h>
#include <krait/detail/dist/random.h>

namespace krait {

/// The elements of `x` where the mask holds, and those of `y` elsewhere.
template <class Mask, class Left, class Right>
  requires(dist::detail::distributed<Mask> && dist::detail::operand<Left> &&
           dist::detail::operand<Right>)
auto where(const Mask& mask, const Left& x, const Right& y) {
  return dist::detail::elementwise(
      "kr::where",
      [](const auto& m, const auto& a, const auto& b) { return krait::where(m, a, b); }, mask, x,
      y);
}

/// The sum along an axis, an array of kr::dist of one dimension less.
/// It is in blocks along the axes that were in blocks. Throws error{usage} for an invalid axis.
/// \code
/// auto of_columns = kr::sum(t, kr::axis(0));
/// \endcode
template <dist::detail::distributed Type>
  requires(Type::rank > 1)
auto sum(const Type& x, detail::axis_list<1> axis) {
  return dist::detail::reduce_along(
      "kr::sum", x, axis.at[0], false,
      [](const auto& a, const auto&... options) { return krait::sum(a, options...); }, true);
}
/// The smallest elements along an axis. Throws error{usage} for an axis without elements.
template <dist::detail::distributed Type>
  requires(Type::rank > 1)
auto min(const Type& x, detail::axis_list<1> axis) {
  return dist::detail::reduce_along(
      "kr::min", x, axis.at[0], true,
      [](const auto& a, const auto&... options) { return krait::min(a, options...); });
}
/// The largest elements along an axis. Throws error{usage} for an axis without elements.
template <dist::detail::distributed Type>
  requires(Type::rank > 1)
auto max(const Type& x, detail::axis_list<1> axis) {
  return dist::detail::reduce_along(
      "kr::max", x, axis.at[0], true,
      [](const auto& a, const auto&... options) { return krait::max(a, options...); });
}
/// The means along an axis; of integers doubles.
template <dist::detail::distributed Type>
  requires(Type::rank > 1)
auto mean(const Type& x, detail::axis_list<1> axis) {
  const auto n = x.how().extents[dist::detail::axis_at(axis.at[0], Type::rank)];
  using element = std::remove_const_t<detail::element_in<decltype(dist::detail::local_of(x))>>;
  if constexpr (std::is_integral_v<element>) {
    auto sums = krait::sum(krait::cast<double>(x), axis);
    sums = sums / double(n);
    return sums;
  } else {
    auto sums = krait::sum(x, axis);
    sums = sums / element(n);
    return sums;
  }
}

// Undefined below.
#define KRAIT_DIST_SCAN(name, symbol)                                                          \
  template <dist::detail::distributed Type>                                                    \
  auto name(const Type& x, detail::axis_list<1> axis) {                                        \
    return dist::detail::scan_along(                                                           \
        "kr::" #name, x, axis.at[0],                                                           \
        [](const auto& a, const auto& along) {                                                 \
          return krait::name(krait::detail::evaluated(a), along);                              \
        },                                                                                     \
        [](const auto& before, const auto& here) { return krait::eval(before symbol here); }); \
  }                                                                                            \
  template <dist::detail::distributed Type>                                                    \
    requires(Type::rank == 1)                                                                  \
  auto name(const Type& x) {                                                                   \
    return krait::name(x, krait::axis(0));                                                     \
  }
/// The cumulative sum along an axis, or of one dimension, in the types of kr::cumsum.
/// Floats differ in their last bits with the number of ranks along the axis.
/// \code
/// auto sums = kr::cumsum(t, kr::axis(1));
/// \endcode
KRAIT_DIST_SCAN(cumsum, +)
/// The cumulative product, with the arguments of kr::cumsum.
KRAIT_DIST_SCAN(cumprod, *)
#undef KRAIT_DIST_SCAN

/// The inclusive scan by an associative function, along an axis.
/// \code
/// auto maxima = kr::inclusive_scan(x, [](auto p, auto q) { return kr::max(p, q); }, kr::axis(0));
/// \endcode
template <dist::detail::distributed Type, class Function>
auto inclusive_scan(const Type& x, const Function& function, detail::axis_list<1> axis) {
  const auto join = krait::vectorize(function);
  return dist::detail::scan_along(
      "kr::inclusive_scan", x, axis.at[0],
      [&](const auto& a, const auto& along) {
        return krait::inclusive_scan(krait::detail::evaluated(a), function, along);
      },
      [&](const auto& before, const auto& here) { return join(before, here); });
}

/// The exclusive scan along an axis: the initial number, and with it all elements before each one.
/// \code
/// auto before = kr::exclusive_scan(x, 0, [](auto p, auto q) { return p + q; }, kr::axis(0));
/// \endcode
template <dist::detail::distributed Type, detail::plain Number, class Function>
auto exclusive_scan(const Type& x, Number initial, const Function& function,
                    detail::axis_list<1> axis) {
  const auto join = krait::vectorize(function);
  return dist::detail::scan_along(
      "kr::exclusive_scan", x, axis.at[0],
      [&](const auto& a, const auto& along) {
        return krait::inclusive_scan(krait::detail::evaluated(a), function, along);
      },
      [&](const auto& before, const auto& here) { return join(before, here); }, &initial);
}

/// Sorts the elements of one dimension, as kr::sort; the result is in blocks. The option is
/// kr::descending.
/// A rank with many equal elements has them all, since equal elements go to one rank.
/// \code
/// auto sorted = kr::sort(x);
/// \endcode
template <dist::detail::distributed Type, detail::sort_option... Options>
  requires(Type::rank == 1 && (detail::axes_in<Options> + ... + 0) == 0)
auto sort(const Type& x, const Options&... options) {
  const auto& from = dist::detail::evaluated(x);
  return dist::detail::in_blocks(
      "kr::sort", from.how(),
      dist::detail::sorted_part<false>("kr::sort", from, dist::detail::descends(options...)).keys);
}
/// Sorts the elements along an axis of more dimensions; the result is distributed as x is.
template <dist::detail::distributed Type, class... Options>
  requires(Type::rank > 1)
auto sort(const Type& x, detail::axis_list<1> axis, const Options&... options) {
  const int d = dist::detail::axis_at(axis.at[0], Type::rank);
  return dist::detail::whole_along("kr::sort", dist::detail::evaluated(x), d, [&](const auto& a) {
    return krait::sort(a, krait::axis(d), options...);
  });
}
/// The places, int64, of the elements in sorted order, stable: of one dimension those in the whole
/// array, in blocks. Options as for kr::sort.
/// \code
/// auto order = kr::argsort(x, kr::descending);
/// \endcode
template <dist::detail::distributed Type, detail::sort_option... Options>
  requires(Type::rank == 1 && (detail::axes_in<Options> + ... + 0) == 0)
auto argsort(const Type& x, const Options&... options) {
  const auto& from = dist::detail::evaluated(x);
  auto part =
      dist::detail::sorted_part<true>("kr::argsort", from, dist::detail::descends(options...));
  dist::detail::guard(from.how().of, [&] {
    if (part.keys.size() == 0)
      part.places = krait::array<std::int64_t>(part.keys.extents(), part.keys.device());
  });
  return dist::detail::in_blocks("kr::argsort", from.how(), part.places);
}
template <dist::detail::distributed Type, class... Options>
  requires(Type::rank > 1)
auto argsort(const Type& x, detail::axis_list<1> axis, const Options&... options) {
  const int d = dist::detail::axis_at(axis.at[0], Type::rank);
  return dist::detail::whole_along(
      "kr::argsort", dist::detail::evaluated(x), d,
      [&](const auto& a) { return krait::argsort(a, krait::axis(d), options...); });
}
/// The different elements of one dimension, sorted, in blocks.
template <dist::detail::distributed Type>
  requires(Type::rank == 1)
auto unique(const Type& x) {
  const auto& from = dist::detail::evaluated(x);
  auto part = dist::detail::sorted_part<false>("kr::unique", from, false).keys;
  dist::detail::guard(from.how().of, [&] {
    if (part.size() > 0) part = krait::unique(part);
  });
  return dist::detail::in_blocks("kr::unique", from.how(), part);
}
/// The number of elements in each bin, as kr::histogram: int64, the same on all ranks.
/// \code
/// auto counts = kr::histogram(t, 64, 0.0, 1.0);
/// \endcode
template <dist::detail::distributed Type>
auto histogram(const Type& x, std::int64_t bins, double low, double high) {
  detail::check_bins(bins, low, high);
  krait::array<std::int64_t> counts;
  dist::detail::guard(x.how().of, [&] {
    counts = krait::histogram(krait::detail::evaluated(dist::detail::local_of(x)), bins, low, high);
  });
  return dist::detail::summed("kr::histogram", x.how(), counts);
}
/// The same from the least element to the largest, or from 0 to 1 without elements.
template <dist::detail::distributed Type>
auto histogram(const Type& x, std::int64_t bins) {
  double low = 0, high = 1;
  if (x.how().size() > 0) low = double(krait::min(x)), high = double(krait::max(x));
  if (low == high) low -= 0.5, high += 0.5;
  return krait::histogram(x, bins, low, high);
}

/// The product of two matrices, or of a matrix and a vector, as kr::matmul.
/// The bits of a product of matrices do not depend on the number of ranks. Throws error{usage} for
/// extents that differ.
/// \code
/// auto c = kr::matmul(a, b);
/// \endcode
template <dist::detail::distributed Left, dist::detail::distributed Right>
  requires(Left::rank == 2 && Right::rank == 2)
auto matmul(const Left& x, const Right& y) {
  return dist::detail::multiply(dist::detail::evaluated(x), dist::detail::evaluated(y));
}
template <dist::detail::distributed Left, dist::detail::distributed Right>
  requires(Left::rank == 2 && Right::rank == 1)
auto matmul(const Left& x, const Right& y) {
  return dist::detail::multiply_vector(dist::detail::evaluated(x), dist::detail::evaluated(y));
}

/// Einstein summation of arrays of kr::dist, as kr::einsum, in blocks along the result's axes.
/// A product of two matrices, with any of them and the result transposed, is kr::matmul. For any
/// other sum each rank gets the parts of the operands that its block of the result needs. Without
/// axes in the result each rank adds its own elements of the first operand, and all get the number.
/// \code
/// auto c = kr::einsum<"ij,kj->ik">(a, b);
/// double trace = kr::einsum<"ii">(a);
/// \endcode
template <detail::fixed_text Subscripts, dist::detail::distributed... Operands>
auto einsum(const Operands&... x) {
  return dist::detail::einsum_of<Subscripts>(dist::detail::evaluated(x)...);
}

/// The convolution of x with weights that each rank has, as scipy.ndimage.convolve: the result has
/// x's shape. It exchanges the halo of x. Elements outside of x are 0 or, along periodic axes,
/// those of the other end. Throws error{usage} on all ranks for weights beyond the halo.
/// \code
/// kr::array<double, 2> weights({3, 3});
/// auto smooth = kr::convolve(t, weights);
/// \endcode
template <class Elem, int Rank, class Weight>
auto convolve(dist::array<Elem, Rank>& x, const array<Weight, Rank>& weights) {
  return dist::detail::convolved("kr::convolve", x, weights, false);
}
/// The correlation: a convolution with flipped weights.
template <class Elem, int Rank, class Weight>
auto correlate(dist::array<Elem, Rank>& x, const array<Weight, Rank>& weights) {
  return dist::detail::convolved("kr::correlate", x, weights, true);
}

// Undefined below.
#define KRAIT_DIST_TRANSFORM(name, inner)                                    \
  template <dist::detail::distributed Type, class... Norm>                   \
  auto name(const Type& x, detail::axis_list<1> axis, const Norm&... norm) { \
    return dist::detail::transform_along(                                    \
        "kr::" #name, dist::detail::evaluated(x),                            \
        1u << dist::detail::axis_at(axis.at[0], Type::rank),                 \
        [&](const auto& a, const auto& axes_of, const auto&... output) {     \
          return krait::inner(a, axes_of, norm..., output...);               \
        });                                                                  \
  }                                                                          \
  template <dist::detail::distributed Type>                                  \
  auto name(const Type& x) {                                                 \
    return krait::name(x, krait::axis(-1));                                  \
  }
#define KRAIT_DIST_TRANSFORMS(name, inner, last)                          \
  template <dist::detail::distributed Type, class... Norm>                \
    requires(Type::rank >= last)                                          \
  auto name(const Type& x, const Norm&... norm) {                         \
    constexpr unsigned axes = (1u << Type::rank) - 1;                     \
    constexpr int first = last == 0 ? 0 : Type::rank - last;              \
    return dist::detail::transform_along(                                 \
        "kr::" #name, dist::detail::evaluated(x), axes >> first << first, \
        [&](const auto& a, const auto& axes_of, const auto&... output) {  \
          return krait::inner(a, axes_of, norm..., output...);            \
        });                                                               \
  }
/// The Fourier transform along the last axis or kr::axis(k), with a norm, as kr::fft.
/// The axis is made whole for it, which sends all elements twice if it is in blocks. The result
/// is distributed as x is.
/// \code
/// auto spectrum = kr::fft(a, kr::axis(0));
/// \endcode
KRAIT_DIST_TRANSFORM(fft, fftn)
/// The inverse of kr::fft.
KRAIT_DIST_TRANSFORM(ifft, ifftn)
/// The Fourier transform along all axes, with a norm.
KRAIT_DIST_TRANSFORMS(fftn, fftn, 0)
/// The inverse of kr::fftn.
KRAIT_DIST_TRANSFORMS(ifftn, ifftn, 0)
/// The Fourier transform along the last two axes, with a norm.
KRAIT_DIST_TRANSFORMS(fft2, fftn, 2)
/// The inverse of kr::fft2.
KRAIT_DIST_TRANSFORMS(ifft2, ifftn, 2)
#undef KRAIT_DIST_TRANSFORM
#undef KRAIT_DIST_TRANSFORMS

/// The Fourier transform of real numbers along an axis, as kr::rfft; options are kr::points(n) and
/// a norm. The axis is made whole for it.
/// \code
/// auto half = kr::rfft(a, kr::axis(1));
/// \endcode
template <dist::detail::distributed Type, class... Options>
auto rfft(const Type& x, detail::axis_list<1> axis, const Options&... options) {
  const int d = dist::detail::axis_at(axis.at[0], Type::rank);
  const std::int64_t points = detail::points_among(x.how().extents[d], options...);
  return dist::detail::resized_along(
      "kr::rfft", dist::detail::evaluated(x), d, points / 2 + 1,
      [&](const auto& a) { return krait::rfft(a, krait::axis(d), options...); });
}
template <dist::detail::distributed Type>
auto rfft(const Type& x) {
  return krait::rfft(x, krait::axis(-1));
}
/// The inverse of kr::rfft: real numbers, by default 2 (m - 1) for m elements along the axis.
/// \code
/// auto back = kr::irfft(kr::rfft(a), kr::axis(1), kr::points(n));
/// \endcode
template <dist::detail::distributed Type, class... Options>
auto irfft(const Type& x, detail::axis_list<1> axis, const Options&... options) {
  const int d = dist::detail::axis_at(axis.at[0], Type::rank);
  const std::int64_t points = detail::points_among(2 * (x.how().extents[d] - 1), options...);
  return dist::detail::resized_along(
      "kr::irfft", dist::detail::evaluated(x), d, points,
      [&](const auto& a) { return krait::irfft(a, krait::axis(d), options...); });
}
template <dist::detail::distributed Type>
auto irfft(const Type& x) {
  return krait::irfft(x, krait::axis(-1));
}

}  // namespace krait
