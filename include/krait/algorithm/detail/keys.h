// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the library is told to sort rows of keys.
#pragma once

#include <compare>

#include <krait/algorithm/detail/form.h>

namespace krait::detail {

/// The type and order of keys. NaN is last in both orders, −0 and 0 are equal.
struct key_order {
  // unsigned; with a sign; sign and size
  enum kind_type : unsigned char { words, integers, floats };
  kind_type kind = words;
  unsigned char bytes = 0;
  bool descending = false;
  std::uint64_t largest = 0;  // bits of the largest float that is not NaN
  friend auto operator<=>(const key_order&, const key_order&) = default;
};
template <plain Key>
constexpr key_order order_of(bool descending) {
  using under = typename std::conditional_t<std::is_enum_v<Key>, std::underlying_type<Key>,
                                            std::type_identity<Key>>::type;
  key_order order{key_order::words, sizeof(Key), descending, 0};
  if constexpr (is_float_v<under>) {
    order.kind = key_order::floats;
    constexpr under infinity = convert_plain<under>(__builtin_huge_val());
    constexpr bool none =
        // NaN follows the largest number then
        convert_plain<float>(infinity) != convert_plain<float>(infinity);
    order.largest = bits_of(infinity) - none;
  } else if constexpr (std::is_signed_v<under>) {
    order.kind = key_order::integers;
  }
  return order;
}

/// Sorts each row into `sorted`, stable. `values`: 32-bit words that travel with the keys to
/// `moved`; without them `moved` is filled with the places that the keys had in their rows. `moved`
/// may be null. Outputs are contiguous and not empty. Throws error{usage} where keys of 2^32 and
/// more carry values or places, error{device} where memory is short.
KRAIT_API void sort_rows(const algorithm_device& how, const key_order& order, const any_array& keys,
                         const any_array& sorted, const any_array* values, const any_array* moved);
/// Sorts along an axis, which is contiguous in the results, and moves `values` of any type with the
/// keys. Without values `moved` gets the places as int64. `sorted` or `moved` may be null. Throws
/// as sort_rows.
KRAIT_API void sort_along(const key_order& order, const any_array& keys, std::int64_t axis,
                          const any_array* sorted, const any_array* values, const any_array* moved);
struct placed_elements {
  any_array values, places;
};
/// The first k of the sorted elements along an axis, and their places as int64.
KRAIT_API placed_elements first_along(const key_order& order, const any_array& keys,
                                      std::int64_t axis, std::int64_t k);

/// Sorts along an axis by the user's `before`, stable, into contiguous rows; neither is empty.
KRAIT_API void merge_sort(const any_array& x, std::int64_t axis, const any_array& sorted,
                          const element_function& before, bool descends,
                          const algorithm_device& how);
/// The length of the longest segment if each segment is best sorted by itself, else 0; waits for
/// it. It is 0 while a graph is recorded and if some keys are in no segment. On GPUs it is also 0
/// for long and very short segments and without warps of 32.
KRAIT_API std::int64_t longest_segment(const algorithm_device& how, const any_array& keys,
                                       const array<const std::int64_t>& offsets);
/// Sorts the keys, of one dimension, from each offset to before the next.
KRAIT_API void sort_segments(const algorithm_device& how, const key_order& order,
                             const any_array& keys, const any_array& sorted,
                             const array<const std::int64_t>& offsets, std::int64_t longest);

}  // namespace krait::detail
