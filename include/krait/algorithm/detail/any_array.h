// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays as the library's algorithms take them: their element types and ranks are known when the
// program runs.
#pragma once

#include <krait/krait.h>

namespace krait::detail {

struct any_array {
  scalar type = scalar::none;  // none: elements of several scalars
  std::uint32_t bytes = 0;     // of an element
  layout at;
  memory_share memory;
  void* on = nullptr;  // the device's handle
};

template <class Elem, int Rank>
any_array erased(const array<Elem, Rank>& x) {
  return {element<std::remove_const_t<Elem>>::type, sizeof(Elem), x.at(), x.memory_owner(),
          handle_of(x.device())};
}
/// Elem and Rank are those of `x`.
template <class Elem, int Rank>
array<Elem, Rank> typed(const any_array& x) {
  return {x.at, x.memory, x.on};
}

}  // namespace krait::detail
