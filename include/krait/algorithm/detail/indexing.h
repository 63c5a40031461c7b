// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that go by arrays of indices.
#pragma once

#include <krait/algorithm/reduce.h>
#include <krait/detail/methods.h>

namespace krait::detail {

struct chosen_element {
  template <class Mask, class Yes, class No>
  auto operator()(const Mask& mask, const Yes& x, const No& y) const {
    return select(mask != 0, x, y);
  }
};
template <class To>
struct converted_element {
  template <class Elem>
  auto operator()(const Elem& x) const {
    return value<To>(cast<To>(x));
  }
};
struct not_zero {
  template <class Elem>
  auto operator()(const Elem& x) const {
    return value<bool>(x != 0);
  }
};
/// Whether an index is none of an array's.
struct outside_of {
  template <class Index>
  auto operator()(const Index& i, const value<std::int64_t>& least,
                  const value<std::int64_t>& size) const {
    const value<std::int64_t> wide(cast<std::int64_t>(i));
    return value<bool>(((wide < least) | (wide >= size)) != 0);
  }
};
struct from_begin {
  template <class Index>
  auto operator()(const Index& i, const value<std::int64_t>& size) const {
    const value<std::int64_t> wide(cast<std::int64_t>(i));
    return value<std::int64_t>(select(wide < 0, wide + size, wide));
  }
};

inline int first_axis(unsigned mask) {
  int axis = 0;
  while (!(mask >> axis & 1)) ++axis;
  return axis;
}
/// The indices counted from the begin. `refuse` throws for one that is below `least` or not below
/// `size`.
template <class Index, class Refuse>
array<std::int64_t, 1> checked_indices(const array<Index, 1>& indices, std::int64_t least,
                                       std::int64_t size, const Refuse& refuse) {
  static_assert(std::is_integral_v<Index> && !std::is_same_v<std::remove_const_t<Index>, bool>,
                "krait: indices must be integers");
  if (indices.size() == 0) return array<std::int64_t, 1>(indices.extents(), indices.device());
  const auto outside =
      make_expression<outside_of>(indices, std::is_signed_v<Index> ? least : std::int64_t(0), size);
  if (krait::any(outside))
    refuse(static_cast<std::int64_t>(
        static_cast<std::remove_const_t<Index>>(indices(krait::argmax(outside)))));
  return make_expression<from_begin>(indices, size);
}
template <class Index>
array<std::int64_t, 1> checked_indices(const array<Index, 1>& indices, std::int64_t size,
                                       int axis) {
  return checked_indices(indices, -size, size,
                         [&](std::int64_t index) { refuse_index(index, axis, size); });
}

/// A kernel object of this type, made once.
template <class Body>
void launch_once(const char* name, std::int64_t threads, const Body& body, auto&&... args) {
  static const auto& made = lasting(kernel(body, {.name = name}));
  made.forall(threads)(args...);
}

template <int Rank>
void unflatten(node rest, const auto& of, node* at) {
  for (int d = Rank - 1; d >= 0; --d) {
    at[d] = node_of(value<std::int64_t>(rest) % of.extent(d));
    rest = node_of(value<std::int64_t>(rest) / of.extent(d));
  }
}
/// The dimension `axis` first.
template <class Elem, int Rank>
array<Elem, Rank> with_first(const array<Elem, Rank>& x, int axis) {
  std::int64_t order[Rank];
  for (int d = 0; d < Rank; ++d) order[d] = d == 0 ? axis : d <= axis ? d - 1 : d;
  return {permute(x.at(), order, Rank), x.memory_owner(), handle_of(x.device())};
}

template <class Elem, int Rank>
void take_rows(const array<Elem, Rank>& x, const array<std::int64_t, 1>& indices, int axis,
               const array<std::remove_const_t<Elem>, Rank>& out) {
  using elem = std::remove_const_t<Elem>;
  auto to = with_first(out, axis);
  if (out.size() > 0)
    launch_once(
        "take", out.size(),
        [](view<const elem, Rank> from, view<const std::int64_t> which, view<elem, Rank> result) {
          for (auto i : grid_stride(result.size())) {
            node at[Rank], source[Rank];
            unflatten<Rank>(node_of(i), result, at);
            for (int d = 1; d < Rank; ++d) source[d] = at[d];
            source[0] = node_of(which[value<std::int64_t>(at[0])]);
            write_at(result, at, read_at(from, source));
          }
        },
        with_first(x.share(), axis), indices, to);
}
template <class Elem, int Rank>
auto take_flat(const array<Elem, Rank>& x, const array<std::int64_t, 1>& indices) {
  using elem = std::remove_const_t<Elem>;
  array<elem, 1> out(indices.extents(), x.device());
  if (out.size() > 0)
    launch_once(
        "take", out.size(),
        [](view<const elem, Rank> from, view<const std::int64_t> which, view<elem> result) {
          for (auto i : grid_stride(result.size())) {
            node at[Rank];
            unflatten<Rank>(node_of(which[i]), from, at);
            result[i] = read_at(from, at);
          }
        },
        x, indices, out);
  return out;
}

/// For each element its last place among the indices.
inline array<int, 1> last_places(const array<std::int64_t, 1>& indices, std::int64_t size) {
  check_index_count(indices.size());
  array<int, 1> last(shape<1>(size), indices.device());
  last.fill(-1);
  if (indices.size() > 0)
    launch_once(
        "put_places", indices.size(),
        [](view<const std::int64_t> which, view<int> to) {
          for (auto i : grid_stride(which.size())) atomic(to[which[i]]).max(cast<int>(i));
        },
        indices, last);
  return last;
}
/// x[indices[i], …] = values[i, …], the last of equal indices.
template <class Elem, int Rank>
void put_rows(array<Elem, Rank>& x, const array<std::int64_t, 1>& indices,
              const array<Elem, Rank>& values) {
  if (values.size() == 0) return;
  check_apart(x.at(), "an assignment by indices");
  auto last = last_places(indices, x.extent(0));
  launch_once(
      "put", values.size(),
      [](view<Elem, Rank> to, view<const std::int64_t> which, view<const Elem, Rank> from,
         view<const int> keeps) {
        for (auto i : grid_stride(from.size())) {
          node at[Rank];
          unflatten<Rank>(node_of(i), from, at);
          const value<Elem> x_new = read_at(from, at);
          const value<std::int64_t> row(at[0]), target = which[row];
          at[0] = node_of(target);
          if_(keeps[target] == cast<int>(row), [&] { write_at(to, at, x_new); });
        }
      },
      x, indices, values, last);
}
template <class Elem, int Rank>
void put_flat(array<Elem, Rank>& x, const array<std::int64_t, 1>& indices, const auto& values) {
  array<Elem, 1> given(indices.extents(), x.device());
  assign_elements(all_tag(), given, values);
  if (given.size() == 0) return;
  check_apart(x.at(), "an assignment by indices");
  auto last = last_places(indices, x.size());
  launch_once(
      "put", given.size(),
      [](view<Elem, Rank> to, view<const std::int64_t> which, view<const Elem> from,
         view<const int> keeps) {
        for (auto i : grid_stride(from.size())) {
          node at[Rank];
          unflatten<Rank>(node_of(which[i]), to, at);
          if_(keeps[which[i]] == cast<int>(i), [&] { write_at(to, at, value<Elem>(from[i])); });
        }
      },
      x, indices, given, last);
}

template <class Mask>
auto as_mask(const Mask& mask) {
  array<bool, decltype(make_operand(mask))::rank> made = make_expression<not_zero>(mask);
  return made;
}
template <int Rank, int MaskRank>
void check_mask(const shape<MaskRank>& mask, const shape<Rank>& of) {
  static_assert(
      MaskRank == Rank,
      "krait: a mask must have as many dimensions as the array: use broadcast_to on the mask");
  check_mask_shape(mask.extents, of.extents, Rank);
}
/// Where a mask in C order is set: parts of it are counted, then each writes its numbers from where
/// those before end.
template <int Rank>
array<std::int64_t, 1> places_of(const array<bool, Rank>& mask) {
  constexpr std::int64_t part = 1024;
  const auto flat = mask.reshape(-1);
  const std::int64_t parts = (flat.size() + part - 1) / part;
  array<std::int64_t, 1> begins(shape<1>(parts), mask.device());
  if (parts > 0)
    launch_once(
        "count_places", parts,
        [](view<const bool> in, view<std::int64_t> to) {
          for (auto p : grid_stride(to.size())) {
            var count(std::int64_t(0));
            for (auto i : range(p * part, min(p * part + part, in.size())))
              count += cast<std::int64_t>(in[i]);
            to[p] = count;
          }
        },
        flat, begins);
  host_array<std::int64_t> counts = begins.to_host();
  std::int64_t all = 0;
  for (std::int64_t& c : counts) {
    const std::int64_t own = c;
    c = all, all += own;
  }
  array<std::int64_t, 1> places(shape<1>(all), mask.device());
  if (all == 0) return places;
  begins.copy_from(counts);
  launch_once(
      "write_places", parts,
      [](view<const bool> in, view<const std::int64_t> from, view<std::int64_t> to) {
        for (auto p : grid_stride(from.size())) {
          var<std::int64_t> next = from[p];
          for (auto i : range(p * part, min(p * part + part, in.size())))
            if_(in[i], [&] {
              to[next] = i;
              next += 1;
            });
        }
      },
      flat, begins, places);
  return places;
}

}  // namespace krait::detail
