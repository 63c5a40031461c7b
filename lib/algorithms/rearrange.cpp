// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays put together, repeated, moved and padded, by copies between views; and elements along an
// axis by indices.
#include "krait/algorithm/detail/rearranging.h"

#include <cstring>
#include <numeric>
#include <string_view>
#include <vector>

#include "algorithms/record/kernels.h"
#include "devices/layout.h"
#include "krait/algorithm/detail/form.h"
#include "krait/math.h"
#include "support/error.h"

namespace krait::host {
namespace {

using detail::layout;

void copy(const any_array& to, const layout& at, const any_array& from, const layout& source) {
  if (size_of(at) == 0) return;
  detail::copy_elements({to.memory.get(), &at, to.type->bytes},
                        {from.memory.get(), &source, from.type->bytes});
}
/// The part of an axis from `first` on.
layout part(const layout& of, int axis, std::int64_t first, std::int64_t extent) {
  layout at = of;
  at.offset += first * at.strides[axis], at.extents[axis] = extent;
  return at;
}
array<std::int64_t> on_device(const std::vector<std::int64_t>& indices, const device& on) {
  array<std::int64_t> made(shape<1>(std::int64_t(indices.size())), on);
  if (!indices.empty()) made.copy_from(indices);
  return made;
}

/// Where numpy.pad takes an element outside from: `at` is counted from the first element.
std::int64_t padded_from(std::string_view mode, std::int64_t at, std::int64_t extent) {
  if (mode == "edge") return at < 0 ? 0 : at >= extent ? extent - 1 : at;
  const auto modulo = [](std::int64_t x, std::int64_t by) { return (x % by + by) % by; };
  if (mode == "wrap") return modulo(at, extent);
  if (mode == "symmetric") {
    const std::int64_t k = modulo(at, 2 * extent);
    return k < extent ? k : 2 * extent - 1 - k;
  }
  if (extent == 1) return 0;
  const std::int64_t k = modulo(at, 2 * extent - 2);
  return k < extent ? k : 2 * extent - 2 - k;
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

int checked_axis(std::int64_t axis, int rank) { return axis_of(axis, rank); }

void join_shape(const layout* parts, int count, std::int64_t& axis, std::int64_t* extents) {
  if (count == 0) support::fail_usage("need at least one array to concatenate");
  const int rank = parts[0].rank, along = axis_of(axis, rank);
  axis = along;
  std::copy_n(parts[0].extents, rank, extents);
  for (int i = 1; i < count; ++i) {
    for (int d = 0; d < rank; ++d)
      if (d != along && parts[i].extents[d] != extents[d])
        support::fail_usage(
            "all the input array dimensions except for the concatenation axis must match exactly, "
            "but along dimension {}, array 0 has shape {} and array {} has shape {}",
            d, shape_text(parts[0].extents, rank), i, shape_text(parts[i].extents, rank));
    extents[along] += parts[i].extents[along];
  }
}
void check_split(std::int64_t extent, std::int64_t parts) {
  if (extent % parts != 0)
    support::fail_usage("array split does not result in an equal division: {} elements in {} parts",
                        extent, parts);
}
layout turned(const layout& of, std::int64_t times, std::int64_t first, std::int64_t second) {
  const std::int64_t a = axis_of(first, of.rank), b = axis_of(second, of.rank);
  if (a == b) support::fail_usage("rot90: the two axes must be different, not both {}", a);
  const std::int64_t quarters = (times % 4 + 4) % 4;
  if (quarters == 0) return of;
  const std::int64_t both[] = {a, b};
  if (quarters == 2) return flip(of, both, 2);
  std::int64_t order[max_rank];
  std::iota(order, order + of.rank, 0);
  std::swap(order[a], order[b]);
  return quarters == 1 ? permute(flip(of, &b, 1), order, of.rank)
                       : flip(permute(of, order, of.rank), &b, 1);
}

array<std::int64_t> repeated_indices(std::int64_t extent, std::int64_t times, const device& on) {
  if (times < 0) support::fail_usage("repeat: the number of times is {}, which is negative", times);
  array<std::int64_t> made(shape<1>(extent * times), on);
  if (made.size() > 0)
    kernel_of("repeat", {}, {out<std::int64_t>(), number()}, [](const Parameters& p) {
      const auto to = p.array<std::int64_t>(0);
      for (auto i : grid_stride(to.size())) to[i] = i / p.number(1);
    }).forall(made.size(), made, times);
  return made;
}
array<std::int64_t> repeated_indices(std::int64_t extent, const any_array& given) {
  const index_check checked = check_indices(given, 0, std::int64_t(1) << 62);
  if (!checked.good)
    support::fail_usage("repeat: a number of times is {}, which is negative", checked.bad);
  const host_array<std::int64_t> counts = checked.indices.to_host();
  if (std::int64_t(counts.size()) != extent)
    support::fail_usage("repeat: there are {} counts for {} elements", counts.size(), extent);
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < extent; ++i)
    indices.insert(indices.end(), std::size_t(counts[std::size_t(i)]), i);
  return on_device(indices, device_from(given.on));
}

void tile_into(const any_array& from, const any_array& to) {
  const any_array &x = from, &out = to;
  if (out.size() == 0) return;
  const int rank = x.at.rank;
  layout done = out.at;
  for (int d = 0; d < rank; ++d) done.extents[d] = x.at.extents[d];
  copy(out, done, x, x.at);
  // What is there is doubled until an axis is full.
  for (int d = rank - 1; d >= 0; --d) {
    while (done.extents[d] < out.at.extents[d]) {
      const std::int64_t there = done.extents[d], more = std::min(there, out.at.extents[d] - there);
      layout target = done;
      target.offset += there * done.strides[d], target.extents[d] = more;
      copy(out, target, out, part(done, d, 0, more));
      done.extents[d] += more;
    }
  }
}

void roll_into(const any_array& from, const std::int64_t* distances, const any_array& to) {
  const any_array &x = from, &out = to;
  if (out.size() == 0) return;
  const int rank = x.at.rank;
  // Each axis has a part that stays together and one that comes in at the begin.
  for (unsigned corner = 0; corner < 1u << rank; ++corner) {
    layout source = x.at, target = out.at;
    bool empty = false;
    for (int d = 0; d < rank; ++d) {
      const std::int64_t extent = x.extent(d), by = (distances[d] % extent + extent) % extent;
      if (corner >> d & 1) {
        empty |= by == 0;
        source = part(source, d, extent - by, by), target = part(target, d, 0, by);
      } else {
        source = part(source, d, 0, extent - by), target = part(target, d, by, extent - by);
      }
    }
    if (!empty) copy(out, target, x, source);
  }
}

void padded_shape(const layout& of, const std::int64_t (*widths)[2], const char* mode,
                  std::int64_t* extents) {
  const std::string_view is = mode;
  const bool constant = is == "constant";
  if (!constant && is != "edge" && is != "reflect" && is != "symmetric" && is != "wrap")
    support::fail_usage("pad: mode '{}' is none of constant, edge, reflect, symmetric, wrap", is);
  for (int d = 0; d < of.rank; ++d) {
    const auto [before, after] = widths[d];
    if (before < 0 || after < 0)
      support::fail_usage("pad: index can't contain negative values, but axis {} has {} and {}", d,
                          before, after);
    if (!constant && of.extents[d] == 0 && before + after > 0)
      support::fail_usage("pad: can't extend empty axis {} using modes other than 'constant'", d);
    extents[d] = before + of.extents[d] + after;
  }
}
void pad_into(const any_array& from, const std::int64_t (*widths)[2], const char* mode,
              const any_array& to) {
  const any_array &x = from, &out = to;
  const int rank = x.at.rank;
  layout inner = out.at;
  for (int d = 0; d < rank; ++d) inner = part(inner, d, widths[d][0], x.extent(d));
  copy(out, inner, x, x.at);
  if (std::string_view(mode) == "constant" || out.size() == 0) return;
  // One axis after the other, each with what those before it have made.
  layout done = inner;
  for (int d = 0; d < rank; ++d) {
    const auto [before, after] = widths[d];
    if (before + after > 0) {
      std::vector<std::int64_t> source;
      for (std::int64_t i = 0; i < before + x.extent(d) + after; ++i)
        source.push_back(padded_from(mode, i - before, x.extent(d)));
      const array<std::int64_t> places = on_device(source, device_from(out.on));
      const any_array made = new_array(out.type, dense(done.extents, rank, false), out.on);
      copy(made, made.at, out, done);
      done.offset -= before * done.strides[d], done.extents[d] += before + after;
      take_rows({from.type, made.at, made.memory, made.on}, places, d,
                {from.type, done, out.memory, out.on});
    }
  }
}

void triangle_into(const any_array& from, std::int64_t k, bool lower, const any_array& to) {
  const any_array &x = from, &result = to;
  if (result.size() == 0) return;
  const int rank = x.at.rank;
  kernel_of(lower ? "tril" : "triu", {x.type, rank, lower},
            {in(x.type, rank), out(x.type, rank), number()},
            [rank, lower](const Parameters& p) {
              const ElementView source = p.array(0), made = p.array(1);
              for (auto i : grid_stride(made.size())) {
                const auto at = unflatten(i, made);
                const Index row(at[std::size_t(rank) - 2]), column(at[std::size_t(rank) - 1]);
                const Index distance(column - row);
                const value<bool> inside(lower ? distance <= p.number(2) : distance >= p.number(2));
                made.at(at.data(), rank) =
                    choose(inside, source.at(at.data(), rank), zero_of(source.type()));
              }
            })
      .forall(result.size(), x, result, k);
}

void along_shape(const layout& x, const layout& indices, int axis, std::int64_t* extents) {
  for (int d = 0; d < x.rank; ++d) {
    const std::int64_t own = x.extents[d], its = indices.extents[d];
    if (d != axis && its != own && its != 1)
      support::fail_usage("the indices of shape {} do not broadcast to the array of shape {}",
                          shape_text(indices.extents, x.rank), shape_text(x.extents, x.rank));
    extents[d] = d == axis ? its : own;
  }
}
void take_along(const any_array& from, const any_array& indices, int axis, const any_array& to) {
  const any_array &x = from, &which = indices, &result = to;
  if (result.size() == 0) return;
  const int rank = x.at.rank;
  kernel_of("take_along_axis", {x.type, unsigned(rank * 8 + axis)},
            {in(x.type, rank), in<std::int64_t>(rank), out(x.type, rank)},
            [rank, axis](const Parameters& p) {
              const ElementView source = p.array(0), places = p.array(1), made = p.array(2);
              for (auto i : grid_stride(made.size())) {
                const auto at = unflatten(i, made);
                auto read = at;
                read[std::size_t(axis)] = Element(places.at(at.data(), rank)).only();
                made.at(at.data(), rank) = source.at(read.data(), rank);
              }
            })
      .forall(result.size(), x, which, result);
}
void put_along(const any_array& to, const any_array& indices, int axis, const any_array& values) {
  const any_array &x = to, &which = indices, &given = values;
  if (given.size() == 0) return;
  check_apart(x.at, "put_along_axis");
  const int rank = x.at.rank;
  // A thread has all indices of a row, so that the last of equal ones stays.
  any_array rows = given;
  rows.at.extents[axis] = 1;
  kernel_of("put_along_axis", {x.type, unsigned(rank * 8 + axis)},
            {out(x.type, rank), in<std::int64_t>(rank), in(x.type, rank), number(), number()},
            [rank, axis](const Parameters& p) {
              const ElementView written = p.array(0), places = p.array(1), from = p.array(2);
              for (auto i : grid_stride(p.number(3))) {
                auto at = std::array<node, max_rank>();
                node rest = node_of(i);
                for (int d = rank - 1; d >= 0; --d) {
                  if (d == axis) continue;
                  at[std::size_t(d)] = node_of(Index(rest) % from.extent(d));
                  rest = node_of(Index(rest) / from.extent(d));
                }
                for (auto k : range(std::int64_t(0), p.number(4))) {
                  at[std::size_t(axis)] = node_of(k);
                  auto target = at;
                  target[std::size_t(axis)] = Element(places.at(at.data(), rank)).only();
                  written.at(target.data(), rank) = Element(from.at(at.data(), rank));
                }
              }
            })
      .forall(rows.size(), x, which, given, rows.size(), given.extent(axis));
}

}  // namespace krait::detail
