// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions, and the elements that borders give.
#include "krait/algorithm/convolve.h"

#include "algorithms/products.h"

namespace krait::detail {
namespace {

using host::Index;
using host::Local;
using host::Number;

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

struct ConvolveTypes {
  scalar elem, weight, out, word;
  int rank;
  border at;
};
void record_convolve(const ConvolveTypes& t, const node* parameters) {
  const host::Elements from{t.elem, parameters[0]}, weights{t.weight, parameters[1]},
      to{t.out, parameters[2]};
  const Index firsts[] = {Index(parameters[3]), Index(parameters[4]), Index(parameters[5])};
  const Number beyond{t.elem, parameters[6]};
  const unsigned rank = unsigned(t.rank);
  node size = node_of(to.extent(0));
  for (unsigned d = 1; d < rank; ++d) size = node_of(Index(size) * to.extent(d));
  for (auto i : grid_stride(Index(size))) {
    const place own = place_in_result(to.array, t.rank, node_of(i));
    const Local sum(t.word);
    const auto add = [&](const node* k) {
      place moved{from.array, {}, rank}, weight{weights.array, {}, rank};
      for (unsigned d = 0; d < rank; ++d) {
        moved.indices[d] = node_of(Index(own.indices[d]) + firsts[d] - Index(k[d]));
        weight.indices[d] = k[d];
      }
      const Number x{t.elem, bordered(moved, t.at, t.elem, beyond.at)};
      const Number by{t.weight, load(weight)};
      sum.add(host::convert(t.word, x) * host::convert(t.word, by));
    };
    node k[3];
    const auto each = [&](const auto& self, unsigned d) -> void {
      if (d == rank) return add(k);
      for (auto step : range(std::int64_t(0), weights.extent(d))) {
        k[d] = node_of(step);
        self(self, d + 1);
      }
    };
    each(each, 0);
    const Number total = sum.get();
    place stored = own;
    locate(stored);
    store(stored, t.out == scalar::boolean
                      ? apply(op::Ne, total.type, total.at, host::zero_of(total.type).at)
                      : detail::convert(t.out, total.at));
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
  static const char maker = 0;
  const ConvolveTypes t{x.type, weights.type, out.type, word, out.at.rank, at};
  const host::LibraryKernel& convolve = host::KernelStore::of_library().of(
      {&maker, {int(t.elem), int(t.weight), int(t.out), int(t.word), t.rank, int(at)}}, [&] {
        const auto view_of = [&](scalar type, bool writable) {
          return host::view_parameter(type, t.rank, writable);
        };
        const parameter_type index = host::index_parameter();
        return host::LibraryKernel::make(
            {.name = "convolve"},
            {view_of(t.elem, false), view_of(t.weight, false), view_of(t.out, true), index, index,
             index, host::number_parameter(t.elem)},
            [t](const node* nodes) { record_convolve(t, nodes); });
      });
  std::int64_t size = 1, all[3] = {};
  for (int d = 0; d < t.rank; ++d) size *= out.at.extents[d], all[d] = first[d];
  if (size == 0) return;
  convolve.cover(size,
                 {host::array_argument(x), host::array_argument(weights), host::array_argument(out),
                  host::number_argument(all[0]), host::number_argument(all[1]),
                  host::number_argument(all[2]), host::number_argument(outside)});
}

}  // namespace krait::detail
