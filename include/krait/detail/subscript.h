// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices into arrays, and how elements are read and named.
#pragma once

#include <krait/detail/operators.h>

namespace krait {
namespace detail {

/// An index into an array, with the place where it is written.
class subscript {
 public:
  template <plain_integer Type>
  [[gnu::noinline,
    gnu::cold]] subscript(Type x,
                          location where = location::here()) {  // NOLINT: implicit on purpose
    set_location(where);
    node_ = node_of(static_cast<std::int64_t>(x));
  }
  template <traced Type>
  [[gnu::noinline, gnu::cold]] subscript(const Type& x, location where = location::here())
      : node_((set_location(where), node_of(x))) {  // NOLINT
    static_assert(std::is_integral_v<typename Type::traced_type>,
                  "krait: an index must be an integer: convert it with kr::cast<int>(v)");
  }
  friend node node_of(const subscript& s) noexcept { return s.node_; }

 private:
  node node_;
};

/// A scalar of a composite type: its type and its place.
struct leaf {
  scalar type;
  std::uint32_t offset;  // in bytes
};
/// The places of an element's scalars, in the order of its members.
struct place_source {
  place at;
  const leaf* next;
  place take() {
    place p = at;
    p.offset += next->offset, p.type = next->type;
    ++next;
    return p;
  }
};

/// How the elements of an array are read and named; krait/aggregate.h has it for types that are not
/// scalars.
template <class Type>
struct element {
  static value<Type> read(place at) { return value<Type>(load(at)); }
  static ref<Type> name(const place& at) { return ref<Type>(at); }
  static constexpr scalar type = scalar_of<Type>;
};

}  // namespace detail
}  // namespace krait
