// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions, and the elements that borders give.
#include "krait/algorithm/convolve.h"

#include <algorithm>

#include "algorithms/record/kernels.h"

namespace krait::detail {
namespace {

using namespace krait::host;

/// An index within the extent, where one outside is meant as `at` says.
Index inside_border(const Index& p, const Index& n, border at) {
  const auto modulo = [](const Index& x, const Index& period) {
    return (x % period + period) % period;
  };
  switch (at) {
    case border::constant: return p;
    case border::nearest: return krait::max(krait::min(p, n - 1), std::int64_t(0));
    case border::wrap: return modulo(p, n);
    case border::reflect: {
      const Index q = modulo(p, 2 * n);
      return krait::min(q, 2 * n - 1 - q);
    }
    case border::mirror: {
      const Index period = krait::max(2 * n - 2, std::int64_t(1)), q = modulo(p, period);
      return krait::min(q, period - q);
    }
  }
  return p;
}
Index extent_of(const place& of, unsigned d) { return Index(extent(of.array, d)); }

void record_convolve(scalar word, border by, const Parameters& p) {
  const ElementView from = p.array(0), weights = p.array(1), to = p.array(2);
  const Index firsts[] = {p.number(3), p.number(4), p.number(5)};
  const Element beyond = p.element(6);
  const unsigned rank = unsigned(to.rank());
  for (auto i : grid_stride(to.size())) {
    const place own = place_in_result(node_of(to), to.rank(), node_of(i));
    Variable sum(zero_of(word));
    const auto add = [&](const node* k) {
      place moved{node_of(from), {}, rank};
      for (unsigned d = 0; d < rank; ++d)
        moved.indices[d] = node_of(Index(own.indices[d]) + firsts[d] - Index(k[d]));
      const Element x{from.type(), {bordered(moved, by, from.type()->whole, beyond.only())}},
          weight = weights.at(k, to.rank());
      sum.add(x.as(word) * weight.as(word));
    };
    node k[3];
    const auto each = [&](const auto& self, unsigned d) -> void {
      if (d == rank) return add(k);
      for (auto step : range(std::int64_t(0), weights.extent(int(d)))) {
        k[d] = node_of(step);
        self(self, d + 1);
      }
    };
    each(each, 0);
    Place(to.type(), own) = total_as(to.type(), sum);
  }
}

}  // namespace

place place_in_result(node out, int rank, node i) {
  place p{out, {}, unsigned(rank)};
  if (rank == 1) {
    p.indices[0] = i;
  } else if (rank == 2) {
    p.indices[0] = node_of(Index(i) / extent_of(p, 1));
    p.indices[1] = node_of(Index(i) % extent_of(p, 1));
  } else {
    const Index line = Index(i) / extent_of(p, 2);
    p.indices[0] = node_of(line / extent_of(p, 1));
    p.indices[1] = node_of(line % extent_of(p, 1));
    p.indices[2] = node_of(Index(i) % extent_of(p, 2));
  }
  return p;
}

namespace {

/// Whether a place is inside its array.
node within(const place& at) {
  const auto along = [&](unsigned d) {
    const Index p(at.indices[d]);
    return value<bool>(p >= 0 && p < extent_of(at, d));
  };
  if (at.rank == 1) return node_of(along(0));
  if (at.rank == 2) return node_of(along(0) && along(1));
  return node_of(along(0) && along(1) && along(2));
}
}  // namespace

node bordered(const place& at, border by, scalar type, node outside) {
  place inside = at;
  if (by != border::constant) {
    for (unsigned d = 0; d < at.rank; ++d)
      inside.indices[d] = node_of(inside_border(Index(at.indices[d]), extent_of(at, d), by));
    return load(inside);
  }
  return record_select(
      within(at), type, [&] { return load(inside); }, [&] { return outside; }, location::here());
}

void convolve_into(const any_array& x, const any_array& weights, const any_array& out, scalar word,
                   const std::int64_t* first, border at, std::uint64_t outside) {
  const int rank = out.at.rank;
  std::int64_t all[3] = {};
  std::copy_n(first, rank, all);
  if (out.size() == 0) return;
  const ElementArgument beyond{x.type, &outside};
  kernel_of("convolve", {x.type, weights.type, out.type, word, rank, at},
            {in(x.type, rank), in(weights.type, rank), host::out(out.type, rank), number(),
             number(), number(), number(x.type)},
            [word, at](const Parameters& p) { record_convolve(word, at, p); })
      .forall(out.size(), x, weights, out, all[0], all[1], all[2], beyond);
}

}  // namespace krait::detail
