// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an array is distributed over ranks: the grid of ranks whose blocks have the least surface,
// and each rank's block in it.
#include <algorithm>

#include <fmt/format.h>

#include "devices/layout.h"
#include "dist/job.h"
#include "krait/dist.h"
#include "support/error.h"

namespace krait::dist::detail {
namespace {

using Parts = int[max_rank];

/// The grid with the least to exchange; among equal ones that which cuts the first axes, whose
/// slabs are contiguous. Grids with blocks that are smaller than the halo, or empty, are the last
/// resort.
class Search {
 public:
  explicit Search(const decomposition& how) : how_(how) { std::fill_n(parts_, max_rank, 1); }

  void over(int axis, int ranks) {
    while (axis < how_.rank && how_.words[axis] == along::whole) ++axis;
    if (axis == how_.rank) {
      if (ranks == 1) judge();
      return;
    }
    for (int p = ranks; p >= 1; --p) {
      if (ranks % p != 0) continue;
      parts_[axis] = p;
      over(axis + 1, ranks / p);
    }
    parts_[axis] = 1;
  }
  const Parts& best() const { return best_; }

 private:
  void judge() {
    double cut = 0;
    int poor = 0;
    for (int d = 0; d < how_.rank; ++d) {
      if (parts_[d] == 1) continue;
      poor += how_.extents[d] / parts_[d] < std::max<std::int64_t>(how_.halo[d], 1);
      double face = 1;
      for (int e = 0; e < how_.rank; ++e)
        if (e != d) face *= double(how_.extents[e]) / parts_[e];
      cut += how_.periodic[d] || parts_[d] > 2 ? 2 * face : face;  // of an inner rank
    }
    if (best_poor_ >= 0 && (poor > best_poor_ || (poor == best_poor_ && cut >= best_cut_))) return;
    std::copy_n(parts_, max_rank, best_);
    best_poor_ = poor, best_cut_ = cut;
  }

  const decomposition& how_;
  Parts parts_{}, best_{};
  int best_poor_ = -1;
  double best_cut_ = 0;
};

std::string layout_text(const decomposition& how) {
  std::string text;
  for (int d = 0; d < how.rank; ++d) {
    text += fmt::format("{}{}", d ? ", " : "", how.words[d] == along::block ? "block" : "whole");
    if (how.words[d] == along::block) text += fmt::format(" of {}", how.parts[d]);
  }
  return fmt::format("shape {} as {{{}}}", host::shape_text(how.extents, how.rank), text);
}

/// This rank's place in the grid, and its block.
void settle(decomposition& how) {
  const box mine = block_of(how, how.of->rank());
  for (int d = how.rank - 1, rest = how.replicated ? 0 : how.of->rank(); d >= 0; --d) {
    how.place[d] = rest % how.parts[d];
    rest /= how.parts[d];
    how.first[d] = mine.first[d], how.owned[d] = mine.count[d];
  }
}

}  // namespace

box block_of(const decomposition& how, int rank) {
  box b;
  for (int d = how.rank - 1, rest = how.replicated ? 0 : rank; d >= 0; rest /= how.parts[d], --d) {
    // n * place / p without an overflow: the first n % p blocks have one element more.
    const std::int64_t n = how.extents[d], p = how.parts[d], place = rest % p;
    b.first[d] = n / p * place + std::min(place, n % p);
    b.count[d] = n / p + (place < n % p);
  }
  return b;
}

void arrange(decomposition& how) {
  how.replicated = std::count(how.words, how.words + how.rank, along::block) == 0;
  Search search(how);
  search.over(0, how.replicated ? 1 : how.of->size());
  std::copy_n(search.best(), max_rank, how.parts);
  settle(how);
  for (int d = 0; d < how.rank; ++d) {
    const std::int64_t n = how.extents[d], p = how.parts[d];
    if ((p > 1 || how.periodic[d]) && n / p < how.halo[d])
      support::fail_usage(
          "kr::dist::array: axis {} has {} elements on {} ranks, "
          "but a block needs at least the {} elements of the halo: "
          "use fewer ranks, a smaller halo, or kr::dist::whole",
          d, n, p, how.halo[d]);
  }
}

decomposition parts_along(const decomposition& how, int axis) {
  decomposition parts = how;
  parts.extents[axis] = std::min<std::int64_t>(how.extents[axis], how.parts[axis]);
  std::fill_n(parts.halo, max_rank, 0), std::fill_n(parts.periodic, max_rank, false);
  settle(parts);
  return parts;
}
decomposition lifted(const decomposition& how, int axis, std::int64_t extent) {
  decomposition all = how;
  for (int d = how.rank; d > axis; --d)
    all.words[d] = how.words[d - 1], all.extents[d] = how.extents[d - 1],
    all.parts[d] = how.parts[d - 1];
  all.rank = how.rank + 1;
  all.words[axis] = along::whole, all.extents[axis] = extent, all.parts[axis] = 1;
  settle(all);
  return all;
}

void refuse_empty(const char* function) {
  support::fail_usage("{}: an axis without elements has no smallest and no largest one", function);
}
void refuse_letter(char letter, std::int64_t extent, std::int64_t other) {
  support::fail_usage("kr::einsum: the axes {} have {} and {} elements", letter, extent, other);
}
void check_worlds(const char* function, const decomposition& x, const decomposition& y) {
  if (x.of != y.of) support::fail_usage("{}: the operands belong to two kr::dist::world", function);
}
void check_product(const decomposition& x, const decomposition& y) {
  check_worlds("kr::matmul", x, y);
  if (x.extents[x.rank - 1] != y.extents[0])
    support::fail_usage(
        "kr::matmul: the operands have the shapes {} and {}: the last extent of the first "
        "must be the first of the second",
        host::shape_text(x.extents, x.rank), host::shape_text(y.extents, y.rank));
}

void decompose(job* of, decomposition& how, std::size_t element_bytes) {
  how.of = of;
  call what{.name = "kr::dist::array"};
  what.add(std::int64_t(element_bytes));
  for (int d = 0; d < how.rank; ++d) {
    if (how.extents[d] < 0)
      support::fail_usage("kr::dist::array: axis {} has {} elements", d, how.extents[d]);
    if (how.halo[d] < 0)
      support::fail_usage("kr::dist::array: axis {} has a halo of {}", d, how.halo[d]);
    what.add(how.extents[d]);
    what.add(how.halo[d]);
    what.add(2 * how.periodic[d] + int(how.words[d]));
  }
  krait::detail::check_shape(how.extents, how.rank, element_bytes);
  // What follows is computed from these numbers alone, so it fails on all ranks or on none.
  all_gather(of, what, nullptr, nullptr, 0);
  arrange(how);
  how.serial = of->next_serial();
}

void number(decomposition& how) { how.serial = how.of->next_serial(); }

void check_alike(const char* function, const decomposition& x, const decomposition& y) {
  check_worlds(function, x, y);
  bool alike = x.rank == y.rank;
  for (int d = 0; d < x.rank && alike; ++d)
    alike = x.extents[d] == y.extents[d] && x.words[d] == y.words[d] && x.parts[d] == y.parts[d];
  if (!alike)
    support::fail_usage("{}: the operands are distributed differently, {} and {}", function,
                        layout_text(x), layout_text(y));
}

void check_extents(const char* function, const decomposition& x, const decomposition& y) {
  check_worlds(function, x, y);
  if (x.rank != y.rank || !std::equal(x.extents, x.extents + x.rank, y.extents))
    support::fail_usage("{}: the arrays have the shapes {} and {}", function,
                        host::shape_text(x.extents, x.rank), host::shape_text(y.extents, y.rank));
}
decomposition described(const decomposition& like, const along* words, const halo& rim) {
  decomposition how = like;
  for (int d = 0; d < how.rank; ++d) {
    if (rim.width(d) < 0)
      support::fail_usage("kr::dist::array: axis {} has a halo of {}", d, rim.width(d));
    how.words[d] = words[d], how.halo[d] = rim.width(d), how.periodic[d] = rim.is_periodic(d);
  }
  arrange(how);
  return how;
}

split split_of(const decomposition& how) {
  split parts;
  box rest;  // of owned elements
  std::copy_n(how.owned, max_rank, rest.count);
  const auto with_rim = [&](box b) {  // its first index is the rim's in the local array
    for (int d = 0; d < how.rank; ++d) b.count[d] += 2 * how.halo[d];
    return b;
  };
  for (int d = 0; d < how.rank; ++d) {
    if (how.parts[d] == 1 && !how.periodic[d]) continue;
    const std::int64_t low = std::min(how.halo[d], rest.count[d]),
                       high = std::min(how.halo[d], rest.count[d] - low);
    box edge = rest;
    edge.count[d] = low;
    if (low > 0) parts.edges[parts.count++] = with_rim(edge);
    edge.first[d] = rest.first[d] + rest.count[d] - high, edge.count[d] = high;
    if (high > 0) parts.edges[parts.count++] = with_rim(edge);
    rest.first[d] += low, rest.count[d] -= low + high;
  }
  parts.inner = with_rim(rest);
  return parts;
}

void refuse_reach(const char* function, int axis, std::int64_t reach, std::int64_t halo) {
  support::fail_usage("{}: it reaches {} element{} along axis {}, but the array has a halo of {}",
                      function, reach, reach == 1 ? "" : "s", axis, halo);
}

int owner(const decomposition& how, const std::int64_t* index) {
  int at = 0;
  for (int d = 0; d < how.rank; ++d) {
    const std::int64_t n = how.extents[d], p = how.parts[d], i = index[d];
    if (i < 0 || i >= n) krait::detail::refuse_index(i, d, n);
    const std::int64_t large = n % p, larger = n / p + 1;
    const std::int64_t place =
        i < large * larger ? i / larger : large + (i - large * larger) / (n / p);
    at = at * how.parts[d] + int(place);
  }
  return at;
}

}  // namespace krait::dist::detail
