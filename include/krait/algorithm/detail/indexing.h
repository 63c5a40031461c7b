// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that go by arrays of indices.
#pragma once

#include <krait/algorithm/detail/erased.h>
#include <krait/algorithm/reduce.h>
#include <krait/detail/methods.h>

namespace krait::detail {

struct chosen_element {
  template <class Mask, class Yes, class No>
  auto operator()(const Mask& mask, const Yes& x, const No& y) const {
    using yes = held_t<Yes>;
    using no = held_t<No>;
    if constexpr (complex_number<yes> || complex_number<no>) {
      using type = complex_of_both<yes, no>;
      const value<type> a = as_element<type>(x), b = as_element<type>(y);
      const auto holds = mask != 0;
      return value<type>(select(holds, a.real(), b.real()), select(holds, a.imag(), b.imag()));
    } else {
      return select(mask != 0, x, y);
    }
  }
};
struct not_zero {
  template <class Elem>
  auto operator()(const Elem& x) const {
    return value<bool>(x != 0);
  }
};
inline int first_axis(unsigned mask) {
  int axis = 0;
  while (!(mask >> axis & 1)) ++axis;
  return axis;
}
/// The indices, counted from the begin, unless `bad` is below `least`, which is 0 for unsigned
/// ones, or not below `size`.
struct index_check {
  array<std::int64_t> indices;
  bool good = true;
  std::int64_t bad = 0;
};
KRAIT_API index_check check_indices(const any_array& indices, std::int64_t least,
                                    std::int64_t size);
// `indices` are counted from the begin. Values may not share memory with what is written.
/// out[…, i, …] = x[…, indices[i], …] along an axis.
KRAIT_API void take_rows(const any_array& x, const array<std::int64_t>& indices, int axis,
                         const any_array& out);
/// out[i] = x[indices[i]], where x is in C order.
KRAIT_API void take_flat(const any_array& x, const array<std::int64_t>& indices,
                         const any_array& out);
/// x[indices[i], …] = values[i, …], the last of equal indices.
KRAIT_API void put_rows(const any_array& x, const array<std::int64_t>& indices,
                        const any_array& values);
/// x[indices[i]] = values[i], where x is in C order, the last of equal indices.
KRAIT_API void put_flat(const any_array& x, const array<std::int64_t>& indices,
                        const any_array& values);
/// Where a mask of bool, in C order, is set; waits for the number.
KRAIT_API array<std::int64_t> places_of(const any_array& mask);

/// `refuse` throws for an index that is below `least` or not below `size`.
template <class Index, class Refuse>
array<std::int64_t, 1> checked_indices(const array<Index, 1>& indices, std::int64_t least,
                                       std::int64_t size, const Refuse& refuse) {
  static_assert(std::is_integral_v<Index> && !std::is_same_v<std::remove_const_t<Index>, bool>,
                "krait: indices must be integers");
  index_check checked = check_indices(erased(indices), least, size);
  if (!checked.good) refuse(checked.bad);
  return std::move(checked.indices);
}
template <class Index>
array<std::int64_t, 1> checked_indices(const array<Index, 1>& indices, std::int64_t size,
                                       int axis) {
  return checked_indices(indices, -size, size,
                         [&](std::int64_t index) { refuse_index(index, axis, size); });
}

/// Those elements of x in C order, in a new array.
template <class Elem, int Rank>
auto taken(const array<Elem, Rank>& x, const array<std::int64_t>& places) {
  array<std::remove_const_t<Elem>> out(places.extents(), x.device());
  take_flat(erased(x), places, erased(out));
  return out;
}

/// Converts values, a number or one element per index, and puts them.
template <class Elem, int Rank>
void put_values(array<Elem, Rank>& x, const array<std::int64_t>& indices, const auto& values) {
  array<Elem> given(indices.extents(), x.device());
  assign_elements(all_tag(), given, values);
  put_flat(erased(x), indices, erased(given));
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
}  // namespace krait::detail
