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

/// Rows of words, of any strides.
struct word_rows {
  layout at;
  memory_share memory;
};
template <class Elem>
word_rows words_of_rows(const array<Elem, 2>& x) {
  return {x.at(), x.memory_owner()};
}

/// Sorts each row into `sorted`, stable. `values`: 32-bit words that travel with the keys to
/// `moved`; without them `moved` is filled with the places that the keys had in their rows. `moved`
/// may be null. Outputs are contiguous and not empty. Throws error{usage} where keys of 2^32 and
/// more carry values or places, error{device} where memory is short.
KRAIT_API void sort_rows(device on, const algorithm_device& how, const key_order& order,
                         const word_rows& keys, const word_rows& sorted, const word_rows* values,
                         const word_rows* moved);

/// Sorts along an axis by the user's `before`, stable, into contiguous rows; neither is empty.
KRAIT_API void merge_sort(const any_array& x, std::int64_t axis, const any_array& sorted,
                          const element_function& before, bool descends,
                          const algorithm_device& how);
/// to(r, i) = x(r, places(r, i)), where places are within the row.
KRAIT_API void gather_rows(const any_array& x, const any_array& places, const any_array& to);

/// The length of the longest segment if each segment is best sorted by itself, else 0; waits for
/// it. It is 0 while a graph is recorded and if some keys are in no segment. On GPUs it is also 0
/// for long and very short segments and without warps of 32.
KRAIT_API std::int64_t longest_segment(device on, const algorithm_device& how, std::int64_t keys,
                                       int bytes, const array<const std::int64_t>& offsets);
/// Sorts the keys of the one row from each offset to before the next.
KRAIT_API void sort_segments(device on, const algorithm_device& how, const key_order& order,
                             const word_rows& keys, const word_rows& sorted,
                             const array<const std::int64_t>& offsets, std::int64_t longest);
/// The places, in any order, of the first k elements of the one row in this order, of equal ones
/// the first, and maybe of elements that come after them. Rows have fewer than 2^32 elements, and k
/// or more.
KRAIT_API array<unsigned> select_places(device on, const algorithm_device& how,
                                        const key_order& order, const word_rows& keys,
                                        std::int64_t k);

}  // namespace krait::detail
