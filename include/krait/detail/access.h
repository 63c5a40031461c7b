// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the library reaches what public classes hide from their users: each names `access` as a
// friend.
#pragma once

#include <cstddef>
#include <utility>

#include <krait/detail/layout.h>

namespace krait {

class device;
class device_list;
class stream;
template <class Elem, int Rank>
class array;

namespace detail {

struct access {
  // ---- devices; defined in the library
  static device make(void* handle) noexcept;
  static void* handle(const device& d) noexcept;
  static void* record(const stream& s) noexcept;
  static device_list list(const device* first, std::size_t size) noexcept;

  // ---- arrays
  template <class Array>
  static Array make(const layout& at, const memory_share& memory, void* on) {
    return Array(at, memory, on);
  }
  template <class Array>
  static layout at(const Array& x) noexcept {
    return x.at();
  }
  template <class Array>
  static const memory_share& memory(const Array& x) noexcept {
    return x.memory_;
  }
  template <class Array>
  static void* on(const Array& x) noexcept {
    return x.on_;
  }

  // ---- the parts of expressions, see operands.h
  template <class Operand>
  static constexpr int leaves = Operand::leaves;
  template <class Operand>
  static auto arguments(const Operand& x) {
    return x.arguments();
  }
  template <class Operand, int First, class Values>
  static auto compute(const Values& values) {
    return Operand::template compute<First>(values);
  }

  // ---- kernels and calls of them
  template <class Object, class State>
  static Object make(State* state) noexcept {
    return Object(state);
  }
  template <class Kernel>
  static auto reference(const Kernel& kernel) -> decltype(kernel.reference()) {
    return kernel.reference();
  }
  template <auto Take, class Call, class... Args>
  static auto pass_to(const Call& call, Args&&... args) {
    return call.template pass_to<Take>(std::forward<Args>(args)...);
  }
  template <template <class, class> class Take, class Function, class... Args>
  static auto pass_to(const Function& function, Args&&... args) {
    return function.template pass_to<Take>(std::forward<Args>(args)...);
  }
  template <class Object>
  static auto state(const Object& of) noexcept {
    return of.state();
  }

  // ---- traced values of several parts
  template <class Tile>
  static const auto& nodes(const Tile& x) noexcept {
    return x.nodes_;
  }
  template <class Parts, class Visit>
  static void visit(const Parts& x, const Visit& visit) {
    x.leaves(visit);
  }
};

/// Offset, extents and strides of an array in its memory.
template <class Array>
layout layout_of(const Array& x) noexcept {
  return access::at(x);
}
template <class Array>
storage* memory_of(const Array& x) noexcept {
  return access::memory(x).get();
}

/// Becomes an array of any element type, which shares memory with others.
struct shared_view {
  layout at;
  const memory_share& memory;
  void* on;
  template <class Elem, int Rank>
  operator array<Elem, Rank>() const {  // NOLINT: implicit on purpose
    return access::make<array<Elem, Rank>>(at, memory, on);
  }
};
/// The memory of `x` by another layout.
template <class Array>
shared_view view_at(const layout& at, const Array& x) noexcept {
  return {at, access::memory(x), access::on(x)};
}

}  // namespace detail
}  // namespace krait
