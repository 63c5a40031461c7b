// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halos, and whole arrays on one rank.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "devices/layout.h"
#include "dist/mail.h"
#include "dist/rim.h"
#include "krait/dist.h"
#include "support/error.h"

namespace krait::dist::detail {
namespace {

constexpr int tags_per_array = 16, arrays_with_tags = 2047;

/// The rank at a place of the grid.
int rank_at(const decomposition& how, const int* place) {
  int at = 0;
  for (int d = 0; d < how.rank; ++d) at = at * how.parts[d] + place[d];
  return at;
}
}  // namespace

int neighbour(const decomposition& how, int axis, int step) {
  int place[max_rank];
  std::copy_n(how.place, max_rank, place);
  place[axis] += step;
  if (place[axis] < 0 || place[axis] >= how.parts[axis]) {
    if (!how.periodic[axis]) return -1;
    place[axis] = (place[axis] + how.parts[axis]) % how.parts[axis];
  }
  return rank_at(how, place);
}

// MPI guarantees 15 bits of a tag, 4 are for the axis and the side.
int tag_of(const decomposition& how, int axis, int side) {
  return int(how.serial % arrays_with_tags) * tags_per_array + 2 * axis + side;
}
namespace {
constexpr int whole_tag = arrays_with_tags * tags_per_array;
}

/// One axis' messages.
struct Axis {
  int axis = 0, to[2] = {-1, -1};
  Slabs slabs;
  Mail mail;

  Axis(const decomposition& how, const elements& all, int d)
      : axis(d), slabs(how, *all.at, d), mail(*how.of) {
    to[0] = neighbour(how, d, -1), to[1] = neighbour(how, d, 1);
  }
  /// Periodic, and one block has both ends: no message.
  bool alone(const decomposition& how) const { return how.parts[axis] == 1; }
  void start(const decomposition& how, const elements& all) {
    if (alone(how)) return;
    for (int side = 0; side < 2; ++side) {
      if (to[side] < 0) continue;
      mail.receive(all, slabs.in[side], to[side], tag_of(how, axis, side));
      mail.send(all, slabs.out[side], to[side],
                tag_of(how, axis, 1 - side));  // by the receiver's side
    }
    mail.post("kr::dist::exchange");
  }
  void finish(const decomposition& how, const elements& all) {
    if (!alone(how)) return mail.deliver("kr::dist::exchange");
    for (int side = 0; side < 2; ++side)
      krait::detail::copy_elements({all.memory, &slabs.in[side], all.element_bytes},
                                   {all.memory, &slabs.out[1 - side], all.element_bytes});
  }
};

namespace {

/// The block of a rank within the whole array.
layout block_in(const decomposition& how, int rank, const layout& whole) {
  return part_of(whole, block_of(how, rank));
}

void check_whole(const decomposition& how, const char* function, int root, const elements* whole) {
  if (root < 0 || root >= how.of->size())
    support::fail_usage("{}: there is no rank {} of {}", function, root, how.of->size());
  if (whole && how.of->rank() == root)
    guard(how.of, [&] {
      krait::detail::check_same_shape(whole->at->extents, how.extents, how.rank, function);
    });
}

}  // namespace

/// One axis after another; the first is under way between begin() and end().
struct pending {
  decomposition how;
  elements all;
  layout at;  // of `all`
  std::optional<Axis> first;
  int next = 0;

  pending(const decomposition& of, const elements& given) : how(of), all(given), at(*given.at) {
    all.at = &at;
  }
  pending(const pending&) = delete;
  void begin() {
    while (next < how.rank && !moves(how, next)) ++next;
    if (next == how.rank) return;
    first.emplace(how, all, next++);
    first->start(how, all);
  }
  void end() {
    if (first) first->finish(how, all);
    for (; next < how.rank; ++next) {
      if (!moves(how, next)) continue;
      Axis axis(how, all, next);
      axis.start(how, all);
      axis.finish(how, all);
    }
  }
};

void exchange(const decomposition& how, const elements& all, function_ref<void()> between) {
  call what{.name = "kr::dist::exchange"};
  what.add(how.serial);
  how.of->begin(what);
  guard(how.of, [&] {
    if (Rim* const rim = how.of->rim(how, all)) return rim->exchange(*how.of, *all.memory, between);
    pending halo(how, all);
    halo.begin();
    between();
    halo.end();
  });
}

pending* begin_exchange(const decomposition& how, const elements& all) {
  call what{.name = "kr::dist::exchange_begin"};
  what.add(how.serial);
  how.of->begin(what);
  auto made = std::make_unique<pending>(how, all);
  guard(how.of, [&] { made->begin(); });
  how.of->start_waiting();
  return made.release();
}
void end_exchange(pending* of) {
  const std::unique_ptr<pending> held(of);
  of->how.of->stop_waiting();
  guard(of->how.of, [&] { of->end(); });
}
void drop_exchange(pending* of) noexcept {
  try {
    end_exchange(of);
  } catch (const std::exception&) {
  }  // the job is broken, and its next call says why
}

void gather(const decomposition& how, const elements& owned, int root, const elements* whole) {
  check_whole(how, "kr::dist::gather", root, whole);
  job& of = *how.of;
  call what{.name = "kr::dist::gather"};
  of.refuse_waiting(what);
  what.add(how.serial), what.add(root);
  all_gather(&of, what, nullptr, nullptr, 0);
  guard(&of, [&] {
    if (how.replicated || of.size() == 1) {
      if (of.rank() == root) krait::detail::copy_elements(*whole, owned);
      return;
    }
    // One after another: the whole array needs no second copy of itself on the host.
    for (int r = 0; r < of.size(); ++r) {
      Mail mail(of);
      if (of.rank() == root) {
        const layout block = block_in(how, r, *whole->at);
        const elements to{whole->memory, &block, whole->element_bytes};
        if (r == root) krait::detail::copy_elements(to, owned);
        else mail.receive(to, block, r, whole_tag);
      } else if (r == of.rank()) {
        mail.send(owned, *owned.at, root, whole_tag);
      }
      mail.post(what.name);
      mail.deliver(what.name);
    }
  });
}

void scatter(const decomposition& how, const elements& owned, int root, const elements* whole) {
  check_whole(how, "kr::dist::scatter", root, whole);
  job& of = *how.of;
  call what{.name = "kr::dist::scatter"};
  of.refuse_waiting(what);
  what.add(how.serial), what.add(root);
  all_gather(&of, what, nullptr, nullptr, 0);
  guard(&of, [&] {
    for (int r = 0; r < of.size(); ++r) {
      Mail mail(of);
      if (of.rank() == root) {
        const layout block = block_in(how, r, *whole->at);
        const elements from{whole->memory, &block, whole->element_bytes};
        if (r == root) krait::detail::copy_elements(owned, from);
        else mail.send(from, block, r, whole_tag);
      } else if (r == of.rank()) {
        mail.receive(owned, *owned.at, root, whole_tag);
      }
      mail.post(what.name);
      mail.deliver(what.name);
    }
  });
}

// Sums with the same bits for any number of ranks: each element is cut into three slices of 26 bits
// on a grid that the largest absolute value decides alone; integers add in any order. The idea is
// that of J. Demmel and H. D. Nguyen, "Fast Reproducible Floating-Point Summation" (ARITH 2013).
int grid_exponent(double largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::max(exponent, -940);  // so that 2^(78 - exponent) is a double
}
double power_of_two(int exponent) { return std::ldexp(1.0, exponent); }
double join_slices(const std::int64_t (&sums)[3], int exponent) {
  __extension__ using wide = __int128;
  const wide total = (wide(sums[0]) << 52) + (wide(sums[1]) << 26) + wide(sums[2]);
  return std::ldexp(double(total), exponent - 78);
}

}  // namespace krait::dist::detail
