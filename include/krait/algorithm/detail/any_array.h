// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays as the library's algorithms take them: their element types and ranks are known when the
// program runs.
#pragma once

#include <krait/krait.h>

namespace krait::detail {

/// The scalars of an array's element. One object a type, never destroyed: addresses are compared.
struct element_type {
  const leaf* scalars;
  unsigned count;
  std::uint32_t bytes;
  scalar whole;   // of a number; none: a struct
  bool as_bytes;  // a struct that a launch passes as bytes
};
KRAIT_API const element_type* number_type(scalar whole) noexcept;
KRAIT_API const element_type* struct_type(const leaf* scalars, unsigned count, std::uint32_t bytes,
                                          bool as_bytes);
template <class Type>
const element_type* element_type_of() {
  if constexpr (plain<Type>) {
    return number_type(scalar_of<Type>);
  } else {
    static const leaf_list<Type> leaves;
    static const element_type* const made =
        struct_type(leaves.at, leaf_count<Type>, sizeof(Type), travels_as_bytes<Type>);
    return made;
  }
}

struct any_array {
  const element_type* type = nullptr;
  layout at;
  memory_share memory;
  void* on = nullptr;  // the device's handle

  std::int64_t extent(int d) const { return at.extents[d]; }
  std::int64_t size() const {
    std::int64_t all = 1;
    for (int d = 0; d < at.rank; ++d) all *= at.extents[d];
    return all;
  }
};
template <class Elem, int Rank>
any_array erased(const array<Elem, Rank>& x) {
  return {element_type_of<std::remove_const_t<Elem>>(), layout_of(x), access::memory(x),
          access::on(x)};
}
/// Elem and Rank are those of `x`.
template <class Elem, int Rank>
array<Elem, Rank> typed(const any_array& x) {
  return access::make<array<Elem, Rank>>(x.at, x.memory, x.on);
}

}  // namespace krait::detail
