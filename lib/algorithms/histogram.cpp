// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of elements in each bin.
#include "krait/algorithm/histogram.h"

#include <algorithm>
#include <cmath>

#include "algorithms/record/kernels.h"
#include "algorithms/tuning.h"
#include "krait/atomic.h"
#include "krait/debug.h"
#include "krait/math.h"
#include "support/error.h"

namespace krait::host {
namespace {

/// Bins of equal width, as NumPy finds them: by a quotient, and then by the bin's own edges, in
/// double, without fused operations. Number is the type of bin numbers: vectors convert 32 bits to
/// double and back, which many processors do one by one for 64.
/// Float elements are mostly so far from any edge that their bin is that of (x - low) * scale,
/// whatever the rounding. The host computes this distance (scale_of_bins). Whole numbers are often
/// on edges: this path is not used for them.
template <class Number>
struct EvenBins {
  value<double> low, high;
  value<Number> bins;
  value<double> scale, near_edge, middle;  // bins / (high - low); in bins; of the first bin

  /// −1 for elements in no bin. There are no branches, so that vectors need no masks, except near
  /// an edge.
  value<Number> find(const Element& element) const {
    const value<double> x = element.as<double>();
    const value<bool> inside = x >= low && x <= high;
    if (!is_float(element.type())) {
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

/// The factor of EvenBins, the distance from an edge at which it tests the edges, and the middle of
/// the first bin.
struct EvenScale {
  double scale, near_edge, middle;
};
EvenScale scale_of_bins(std::int64_t bins, double low, double high) {
  constexpr double epsilon = 0x1p-52, smallest_step = 0x1p-900;  // far from numbers of fewer bits
  const double width = high - low, step = width / double(bins),
               largest = std::max(std::abs(low), std::abs(high));
  if (!(step > smallest_step)) return {0, 2, low};
  // In bins. The place is rounded three times, by half an epsilon of at most all bins each; so are
  // an edge's offset, and the edge itself by half an epsilon of the largest bound: at most half of
  // this.
  const double near_edge = 8 * epsilon * (double(bins) + largest / step);
  if (!(near_edge < 0.25)) return {0, 2, low};  // each element is near one
  return {double(bins) / width, near_edge, low + step / 2};
}

/// Of bins between edges; -1 for none.
template <class Number>
value<Number> bin_between(const ElementView& edges, const Element& x, const value<Number>& bins) {
  const value<Number> bin = cast<Number>(place_in(edges, x, true) - 1);
  const value<bool> last = compare(op::Eq, x, edges(bins));  // the last bin has both its edges
  return select(last, bins - Number(1),
                select(bin < bins && compare(op::Eq, x, x), bin, Number(-1)));
}

/// How blocks count: the values of elements of 8 bits, whose bins they find once for each value;
/// bins in shared memory if they are few; else bins in the result.
enum class Counting { values, own_bins, bins };
constexpr int byte_values = 256;

template <class Number>
value<Number> bin_of(const Parameters& p, const Element& x, bool by_edges,
                     const value<Number>& bins) {
  if (by_edges) return bin_between<Number>(p.array(2), x, bins);
  return EvenBins<Number>{p.number<double>(3), p.number<double>(4), bins,
                          p.number<double>(5), p.number<double>(6), p.number<double>(7)}
      .find(x);
}

/// Adds a block's own counters, of which counter `i` is of bin `bin(i)`, to the result.
template <class Own, class Counts, class Bin>
void add_own(const Own& own, const Counts& counts, const Index& size, const Bin& bin) {
  syncthreads();
  for (auto i : range(thread_idx().x, size, histogram_threads)) {
    const value<unsigned> count = own[i];
    if_(count != 0u,
        [&] { bin(i, [&](const auto& b) { atomic(counts[b]).add(cast<std::uint64_t>(count)); }); });
  }
}
template <class Own>
void clear_own(const Own& own, const Index& size) {
  for (auto i : range(thread_idx().x, size, histogram_threads)) own[i] = 0u;
  syncthreads();
}

void record_counts(const Parameters& p, bool by_edges, Counting how) {
  const ElementView x = p.array(0);
  const auto counts = p.array<std::uint64_t>(1);
  switch (how) {
    case Counting::values: {
      const auto own = shared<unsigned, byte_values>();
      clear_own(own, byte_values);
      for (auto i : grid_stride(x.size())) {
        const Element each = x(i);
        atomic(own[each.as<std::uint8_t>()]).add(1u);
      }
      const value<int> bins = cast<int>(counts.size());
      add_own(own, counts, byte_values, [&](const Index& i, const auto& add) {
        const Element of = Element(cast<std::uint8_t>(i)).as(x.type());
        const value<int> bin = bin_of<int>(p, of, by_edges, bins);
        if_(bin >= 0, [&] { add(bin); });
      });
      break;
    }
    case Counting::own_bins: {
      // One more counter, for elements in no bin, is faster than a test.
      const value<int> bins = cast<int>(counts.size());
      const auto own = dynamic_shared<unsigned>(counts.size() + 1);
      clear_own(own, counts.size() + 1);
      for (auto i : grid_stride(x.size())) {
        const value<int> bin = bin_of<int>(p, x(i), by_edges, bins);
        atomic(own[select(bin >= 0, bin, bins)]).add(1u);
      }
      add_own(own, counts, counts.size(), [&](const Index& i, const auto& add) { add(i); });
      break;
    }
    case Counting::bins:
      for (auto i : grid_stride(x.size())) {
        const Index bin = bin_of<std::int64_t>(p, x(i), by_edges, counts.size());
        if_(bin >= 0, [&] { atomic(counts[bin]).add(std::uint64_t(1)); });
      }
  }
}

const Kernel& histogram_kernel(const ElementType* type, bool by_edges, Counting how) {
  constexpr const char* names[] = {"histogram_of_bytes", "histogram", "histogram_of_many"};
  return kernel_of(names[int(how)], {type, by_edges, int(how)},
                   {in(type), out<std::uint64_t>(), in(type), number<double>(), number<double>(),
                    number<double>(), number<double>(), number<double>()},
                   [by_edges, how](const Parameters& p) { record_counts(p, by_edges, how); },
                   {.fp = fp::strict});
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

void check_bins(std::int64_t bins, double low, double high) {
  const bool finite = high - low < __builtin_huge_val();
  if (bins > 0 && low < high && finite) return;
  support::fail_usage(
      "histogram: {} bins, from {} to {}: use at least one bin, "
      "and finite bounds in ascending order",
      bins, low, high);
}
void check_edges(std::int64_t edges) {
  if (edges < 2) support::fail_usage("histogram: at least two edges are needed, not {}", edges);
}
void check_order_of_edges(const any_array& edges) {
  const any_array& given = edges;
  kernel_of("check_edges", {given.type}, {in(given.type), number()}, [](const Parameters& p) {
    const ElementView at = p.array(0);
    for (auto b : grid_stride(p.number(1))) {
      const Element edge = at(b), next = at(b + 1);
      const node shown[] = {node_of(b), edge.only(), next.only()};
      report_unless(node_of(compare(op::Le, edge, next)),
                    "kr::histogram: edges({}) is {}, and the next one {}: edges must not decrease",
                    shown, 3, location::here());
    }
  }).forall(given.size() - 1, given, given.size() - 1);
}

void count_in_bins(const any_array& x, const any_array* edges, double low, double high,
                   const any_array& to) {
  const any_array& given = x;
  const auto counts = typed<std::uint64_t, 1>(to);
  const std::int64_t bins = counts.size();
  const std::uint64_t none = 0;
  fill_elements({memory_of(counts), &to.at, sizeof none}, &none);
  if (given.size() == 0) return;
  // Blocks whose own counters, of 32 bits, cannot overflow.
  const std::int64_t useful = divided_up(given.size(), least_counted * histogram_threads);
  const std::int64_t workers = algorithm_device_of(device_from(given.on)).workers,
                     blocks = std::max(std::min(workers, useful),
                                       divided_up(given.size(), std::int64_t{1} << 31));
  const auto [scale, near_edge, middle] = scale_of_bins(bins, low, high);
  const bool of_bytes = !is_float(given.type) && bytes_of(given.type->whole) == 1;
  const Counting how = of_bytes && bins <= std::int64_t{1} << 30 ? Counting::values
                       : bins <= histogram_shared                ? Counting::own_bins
                                                                 : Counting::bins;
  histogram_kernel(given.type, edges, how)
      .launch({blocks, histogram_threads}, given, counts,
              edges ? *edges : no_elements(given.type, 1, given.on), low, high, scale, near_edge,
              middle);
}

}  // namespace krait::detail
