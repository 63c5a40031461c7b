// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many elements lie in each bin.
//   auto counts = kr::histogram(x, 64, 0.0, 1.0);    // 64 bins of one width
//   auto uneven = kr::histogram(x, edges);           // bin b is from edges(b) up to edges(b + 1)
#pragma once

#include <algorithm>

#include <krait/algorithm/search.h>

namespace krait {
namespace detail {

inline constexpr int histogram_threads = 256;
inline constexpr std::int64_t histogram_shared = 4096;  // bins that a block counts by itself

/// Bins of one width, as NumPy finds them: by a product, and then by the bin's own edges, in double, without fused operations. Number is that of
/// bins: vectors convert 32 bits to double and back, which many processors do one by one for 64.
template <class Number>
struct even_bins {
  value<double> low, high;
  value<Number> bins;

  value<double> edge(const value<Number>& i) const {
    const value<double> step = (high - low) / cast<double>(bins);
    return select(i == bins, high, low + cast<double>(i) * step);
  }
  /// −1 for what is in none. Without branches, so that vectors need no masks.
  value<Number> find(const value<double>& x) const {
    const value<bool> inside = x >= low && x <= high;
    const value<double> within = select(inside, x, low);
    const value<Number> last = bins - Number(1),
                        near = min(cast<Number>((within - low) / (high - low) * cast<double>(bins)), last);
    const value<bool> below = within < edge(near), above = within >= edge(near + Number(1)) && near != last;
    const value<Number> bin = select(below, near - Number(1), select(above, near + Number(1), near));
    return select(inside, bin, Number(-1));
  }
};

/// Counts what `find` gives for each element. Blocks count in shared memory where the bins are few, with one counter more for what is in
/// none: that is quicker than to ask.
template <class Elem, bool Own, class Find>
auto histogram_kernel(const Find& find) {
  return [find](view<const Elem> x, view<std::uint64_t> counts, view<const Elem> edges, value<double> low, value<double> high) {
    using number = std::conditional_t<Own, int, std::int64_t>;
    const value<number> bins = cast<number>(counts.size());
    const auto each = [&](const auto& count) {
      for (auto i : grid_stride(x.size())) {
        count(find(value<Elem>(x[i]), edges, low, high, bins));
      }
    };
    if constexpr (Own) {
      auto own = dynamic_shared<unsigned>(counts.size() + 1);
      for (auto b : range(thread_idx().x, counts.size(), histogram_threads)) own[b] = 0u;
      syncthreads();
      each([&](const auto& bin) { atomic(own[select(bin >= 0, bin, bins)]).add(1u); });
      syncthreads();
      for (auto b : range(thread_idx().x, counts.size(), histogram_threads)) {
        const value<unsigned> count = own[b];
        if_(count != 0u, [&] { atomic(counts[b]).add(cast<std::uint64_t>(count)); });
      }
    } else {
      each([&](const auto& bin) { if_(bin >= 0, [&] { atomic(counts[bin]).add(std::uint64_t(1)); }); });
    }
  };
}

template <class Elem, class Find, class Output>
auto count_bins(const array<const Elem>& x, std::int64_t bins, const array<const Elem>& edges, double low, double high,
                const Find& find, Output output) {
  static auto& own = *new auto(kernel(histogram_kernel<Elem, true>(find), {.name = "histogram", .fp = fp::strict}));
  static auto& shared_by_all =
      *new auto(kernel(histogram_kernel<Elem, false>(find), {.name = "histogram_of_many", .fp = fp::strict}));
  auto out = result_in<std::int64_t, 1>(output, dense(shape<1>(bins).extents, 1, false), x.device(), x, edges);
  array<std::uint64_t> counts(out.to.at(), out.to.memory_owner(), handle_of(x.device()));
  counts.fill(0);
  if (x.size() > 0) {
    // Blocks whose own counters, of 32 bits, cannot overflow.
    const std::int64_t useful = divided_up(x.size(), 16 * histogram_threads);
    const std::int64_t blocks =
        std::max(std::min(algorithm_device_of(x.device()).workers, useful), divided_up(x.size(), std::int64_t{1} << 31));
    if (bins <= histogram_shared) own.launch({blocks, histogram_threads}, x, counts, edges, low, high);
    else shared_by_all.launch({blocks, histogram_threads}, x, counts, edges, low, high);
  }
  return out.give();
}
KRAIT_API void check_bins(std::int64_t bins, double low, double high);

}  // namespace detail

/// Counts, int64, of the elements in `bins` bins of one width from low to high, as NumPy's: a bin has its lower edge, the last both. Elements outside,
/// and NaN, are not counted. The device must have double. Throws error{usage} for no bins, and for bounds that are not finite or not in
/// order. kr::into(y) takes the counts.
template <detail::plain Elem, detail::into_option... Options>
auto histogram(const array<Elem, 1>& x, std::int64_t bins, double low, double high, const Options&... options) {
  using element = std::remove_const_t<Elem>;
  detail::check_bins(bins, low, high);
  const array<const element> no_edges(shape<1>(0), x.device());
  return detail::count_bins<element>(
      x.share(), bins, no_edges, low, high,
      []<class Number>(const auto& own, const auto&, const auto& from, const auto& to, const value<Number>& count) {
        return detail::even_bins<Number>{from, to, count}.find(cast<double>(own));
      },
      detail::output_in(options...));
}
/// The same where bin b is from edges(b) up to edges(b + 1); edges never fall. Throws error{usage} for fewer than two edges.
template <detail::plain Elem, detail::plain Other, detail::into_option... Options>
requires std::is_same_v<std::remove_const_t<Elem>, std::remove_const_t<Other>>
auto histogram(const array<Elem, 1>& x, const array<Other, 1>& edges, const Options&... options) {
  using element = std::remove_const_t<Elem>;
  detail::check_bins(edges.size() - 1, 0, 1);
  return detail::count_bins<element>(
      x.share(), edges.size() - 1, edges.share(), 0, 0,
      []<class Number>(const auto& own, const auto& at, const auto&, const auto&, const value<Number>& count) -> value<Number> {
        const value<Number> bin = cast<Number>(detail::place_in<element>(at, own, true) - 1);
        const value<bool> last = own == at[count];  // the last bin has both its edges
        return select(last, count - Number(1), select(bin < count && own == own, bin, Number(-1)));
      },
      detail::output_in(options...));
}

}  // namespace krait
