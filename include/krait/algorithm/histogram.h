// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of elements in each bin.
//   auto counts = kr::histogram(x, 64, 0.0, 1.0);    // 64 bins of one width
//   auto uneven = kr::histogram(x, edges);           // bin b is from edges(b) up to edges(b + 1)
#pragma once

#include <krait/algorithm/search.h>
#include <krait/debug.h>
#include <krait/expression.h>
#include <krait/math.h>

namespace krait {
namespace detail {

inline constexpr int histogram_threads = 256;
inline constexpr std::int64_t histogram_shared = 4096;  // bins that a block counts by itself

/// Bins of equal width, as NumPy finds them: by a quotient, and then by the bin's own edges, in
/// double, without fused operations. Number is the type of bin numbers: vectors convert 32 bits to
/// double and back, which many processors do one by one for 64.
/// Float elements are mostly so far from any edge that their bin is that of (x - low) * scale,
/// whatever the rounding. The host computes this distance (even_scale). Whole numbers are often on
/// edges: this path is not used for them.
template <class Number>
struct even_bins {
  value<double> low, high;
  value<Number> bins;
  value<double> scale, near_edge, middle;  // bins / (high - low); in bins; of the first bin

  /// −1 for elements in no bin. There are no branches, so that vectors need no masks, except near
  /// an edge.
  template <bool Whole>
  value<Number> find(const value<double>& x) const {
    const value<bool> inside = x >= low && x <= high;
    if constexpr (Whole) {
      return select(inside, by_edges(select(inside, x, low)), Number(-1));
    } else {
      const value<double> within = select(inside, x, middle);
      const value<double> place = (within - low) * scale, whole = floor(place),
                          behind = place - whole;
      var<Number> bin = cast<Number>(whole);
      if_(unlikely(behind < near_edge || behind > 1.0 - near_edge),
          [&] { bin = by_edges(within); });
      return select(inside, value<Number>(bin), Number(-1));
    }
  }

 private:
  value<Number> by_edges(const value<double>& within) const {
    const value<double> step = (high - low) / cast<double>(bins);
    const value<Number> last = bins - Number(1),
                        near = min(cast<Number>((within - low) / (high - low) * cast<double>(bins)),
                                   last);
    const auto edge = [&](const value<Number>& i) {
      return low + cast<double>(i) * step;
    };  // i is not `bins`, whose edge is `high`
    const value<bool> below = within < edge(near),
                      above = within >= edge(near + Number(1)) && near != last;
    return select(below, near - Number(1), select(above, near + Number(1), near));
  }
};

/// The factor of even_bins, the distance from an edge at which it tests the edges, and the middle
/// of the first bin.
struct even_scale {
  double scale, near_edge, middle;
};
KRAIT_API even_scale scale_of_bins(std::int64_t bins, double low, double high);

/// Counts the numbers that `find` gives for the elements. Blocks count in shared memory if there
/// are few bins, with one more counter for elements in no bin: that is faster than a test.
template <class Elem, bool Own, class Find>
auto histogram_kernel(const Find& find) {
  return [find](view<const Elem> x, view<std::uint64_t> counts, view<const Elem> edges,
                value<double> low, value<double> high, value<double> scale, value<double> near_edge,
                value<double> middle) {
    using number = std::conditional_t<Own, int, std::int64_t>;
    const value<number> bins = cast<number>(counts.size());
    const auto each = [&](const auto& count) {
      for (auto i : grid_stride(x.size())) {
        count(find(value<Elem>(x[i]), edges,
                   even_bins<number>{low, high, bins, scale, near_edge, middle}));
      }
    };
    if constexpr (Own) {
      auto own = dynamic_shared<unsigned>(counts.size() + 1);
      for (auto b : range(thread_idx().x, counts.size() + 1, histogram_threads)) own[b] = 0u;
      syncthreads();
      each([&](const auto& bin) { atomic(own[select(bin >= 0, bin, bins)]).add(1u); });
      syncthreads();
      for (auto b : range(thread_idx().x, counts.size(), histogram_threads)) {
        const value<unsigned> count = own[b];
        if_(count != 0u, [&] { atomic(counts[b]).add(cast<std::uint64_t>(count)); });
      }
    } else {
      each([&](const auto& bin) {
        if_(bin >= 0, [&] { atomic(counts[bin]).add(std::uint64_t(1)); });
      });
    }
  };
}

template <class Elem, class Find, class Output>
auto count_bins(const array<const Elem>& x, std::int64_t bins, const array<const Elem>& edges,
                double low, double high, const Find& find, Output output) {
  static auto& own =
      lasting(kernel(histogram_kernel<Elem, true>(find), {.name = "histogram", .fp = fp::strict}));
  static auto& shared_by_all = lasting(
      kernel(histogram_kernel<Elem, false>(find), {.name = "histogram_of_many", .fp = fp::strict}));
  auto out = result_in<std::int64_t, 1>(output, dense(shape<1>(bins).extents, 1, false), x.device(),
                                        x, edges);
  array<std::uint64_t> counts(out.to.at(), out.to.memory_owner(), handle_of(x.device()));
  counts.fill(0);
  if (x.size() > 0) {
    // Blocks whose own counters, of 32 bits, cannot overflow.
    const std::int64_t useful = divided_up(x.size(), 16 * histogram_threads);
    const std::int64_t blocks = larger(smaller(algorithm_device_of(x.device()).workers, useful),
                                       divided_up(x.size(), std::int64_t{1} << 31));
    const auto [scale, near_edge, middle] = scale_of_bins(bins, low, high);
    if (bins <= histogram_shared)
      own.launch({blocks, histogram_threads}, x, counts, edges, low, high, scale, near_edge,
                 middle);
    else
      shared_by_all.launch({blocks, histogram_threads}, x, counts, edges, low, high, scale,
                           near_edge, middle);
  }
  return out.give();
}
KRAIT_API void check_bins(std::int64_t bins, double low, double high);
KRAIT_API void check_edges(std::int64_t edges);
template <class Elem>
void check_order_of_edges(const array<const Elem>& edges) {
  static auto& look = lasting(kernel(
      [](view<const Elem> at, value<std::int64_t> bins) {
        for (auto b : grid_stride(bins)) {
          const value<Elem> edge = at[b], next = at[b + 1];
          check(edge <= next,
                "kr::histogram: edges({}) is {}, and the next one {}: edges must not decrease", b,
                edge, next);
        }
      },
      {.name = "check_edges"}));
  look.forall(edges.size() - 1)(edges, edges.size() - 1);
}

}  // namespace detail

/// Counts elements in `bins` bins of equal width from low to high, as numpy.histogram; int64.
/// A bin includes its lower edge, the last one both. Elements outside and NaN are not counted. The
/// device must have double. Throws error{usage} for no bins, and for bounds that are not finite or
/// not in order. kr::into(y) takes the counts.
/// \code
/// auto counts = kr::histogram(x, 64, 0.0, 1.0);
/// \endcode
template <detail::plain Elem, detail::into_option... Options>
auto histogram(const array<Elem, 1>& x, std::int64_t bins, double low, double high,
               const Options&... options) {
  using element = std::remove_const_t<Elem>;
  detail::check_bins(bins, low, high);
  const array<const element> no_edges(shape<1>(0), x.device());
  return detail::count_bins<element>(
      x.share(), bins, no_edges, low, high,
      [](const auto& own, const auto&, const auto& even) {
        return even.template find<std::is_integral_v<element>>(cast<double>(own));
      },
      detail::output_in(options...));
}
/// Counts elements in bins given by their edges: bin b is from edges(b) up to edges(b + 1).
/// Throws error{usage} for fewer than two edges, and for edges that fall or are NaN; on a GPU the
/// next call that waits throws that.
template <detail::plain Elem, detail::plain Other, detail::into_option... Options>
  requires std::is_same_v<std::remove_const_t<Elem>, std::remove_const_t<Other>>
auto histogram(const array<Elem, 1>& x, const array<Other, 1>& edges, const Options&... options) {
  using element = std::remove_const_t<Elem>;
  detail::check_edges(edges.size());
  detail::check_order_of_edges<element>(edges.share());
  return detail::count_bins<element>(
      x.share(), edges.size() - 1, edges.share(), 0, 0,
      []<class Number>(const auto& own, const auto& at,
                       const detail::even_bins<Number>& even) -> value<Number> {
        const value<Number>& count = even.bins;
        const value<Number> bin = cast<Number>(detail::place_in<element>(at, own, true) - 1);
        const value<bool> last = own == at[count];  // the last bin has both its edges
        return select(last, count - Number(1), select(bin < count && own == own, bin, Number(-1)));
      },
      detail::output_in(options...));
}

}  // namespace krait
