// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations on elements of arrays, their order and its scope.
#pragma once

#include <krait/memory.h>

namespace krait {

/// Which threads see the order of a fence or an atomic operation: the block, the device, or all.
/// For shared memory it is always the block. `system` includes other devices and the host where the
/// device offers that; on Vulkan it means the device.
enum class scope : unsigned char { block, device, system };
/// Which accesses an atomic operation orders, as in C++.
/// `relaxed` orders itself only, `acquire` orders later accesses after it, `release` earlier ones
/// before it, and `acq_rel` both. `seq_cst` also orders these operations among each other, except
/// on Vulkan.
enum class order : unsigned char { relaxed, acquire, release, acq_rel, seq_cst };

namespace detail {

/// The atomic operations on one element, as kr::atomic gives them.
/// All but load give the old value. Order and scope follow the operand; the default is a relaxed
/// operation for the device.
template <class Type>
class atomic_element {
 public:
  explicit atomic_element(const place& at) : place_(at) {}

  /// Reads the element: order relaxed, acquire or seq_cst.
  value<Type> load(order o = order::relaxed, scope s = scope::device) const {
    return value<Type>(atomic(op::AtomicLoad, place_, nullptr, 0, unsigned(o), unsigned(s)));
  }
  /// Adds x.
  /// \code
  /// kr::atomic(counts[i]).add(1, kr::order::relaxed, kr::scope::block);
  /// \endcode
  value<Type> add(operand x, order o = order::relaxed, scope s = scope::device) const {
    return run(op::AtomicAdd, node_of(x), o, s);
  }
  /// Subtracts x.
  value<Type> sub(operand x, order o = order::relaxed, scope s = scope::device) const {
    constexpr scalar type = scalar_of<Type>;
    return run(op::AtomicAdd, apply(op::Neg, type, convert(type, node_of(x))), o, s);
  }
  /// Stores the smaller of the element and x; a NaN loses, as for kr::min.
  value<Type> min(operand x, order o = order::relaxed, scope s = scope::device) const {
    return run(op::AtomicMin, node_of(x), o, s);
  }
  /// Stores the larger of the element and x; a NaN loses, as for kr::max.
  value<Type> max(operand x, order o = order::relaxed, scope s = scope::device) const {
    return run(op::AtomicMax, node_of(x), o, s);
  }
  /// Stores the bitwise and of the element and x; integers only.
  value<Type> and_(operand x, order o = order::relaxed, scope s = scope::device) const {
    return bits(op::AtomicAnd, x, o, s);
  }
  /// Stores the bitwise or of the element and x; integers only.
  value<Type> or_(operand x, order o = order::relaxed, scope s = scope::device) const {
    return bits(op::AtomicOr, x, o, s);
  }
  /// Stores the bitwise exclusive or of the element and x; integers only.
  value<Type> xor_(operand x, order o = order::relaxed, scope s = scope::device) const {
    return bits(op::AtomicXor, x, o, s);
  }
  /// Counts up to `last` and starts again at 0: old >= last ? 0 : old + 1, compared as unsigned.
  value<Type> inc(operand last, order o = order::relaxed, scope s = scope::device) const {
    return bits(op::AtomicInc, last, o, s);
  }
  /// Counts down to 0 and starts again at `last`: old == 0 || old > last ? last : old - 1, as
  /// unsigned.
  value<Type> dec(operand last, order o = order::relaxed, scope s = scope::device) const {
    return bits(op::AtomicDec, last, o, s);
  }
  /// Stores x.
  value<Type> exchange(operand x, order o = order::relaxed, scope s = scope::device) const {
    return run(op::AtomicExchange, node_of(x), o, s);
  }
  /// Stores `desired` if the element has the bits of `expected`.
  /// Bits are compared: -0 and 0 differ, and a NaN can be expected.
  /// \code
  /// auto old = kr::atomic(counts[i]).compare_exchange(0, 1);
  /// \endcode
  value<Type> compare_exchange(operand expected, operand desired, order o = order::relaxed,
                               scope s = scope::device) const {
    const node values[] = {node_of(expected), node_of(desired)};
    return value<Type>(atomic(op::AtomicCas, place_, values, 2, unsigned(o), unsigned(s)));
  }

 private:
  value<Type> run(op what, node x, order o, scope s) const {
    return value<Type>(atomic(what, place_, &x, 1, unsigned(o), unsigned(s)));
  }
  value<Type> bits(op what, operand x, order o, scope s) const {
    static_assert(std::is_integral_v<Type>, "krait: bitwise and counting atomics need integers");
    return run(what, node_of(x), o, s);
  }
  place place_;
};

}  // namespace detail

/// Atomic operations on an element of a view or a shared array, of 32 or 64 bits.
/// Members are load, add, sub, min, max, and_, or_, xor_, inc, dec, exchange and compare_exchange;
/// each gives the old value. Order and scope follow the operand.
/// \code
/// kr::atomic(counts[i]).add(1);
/// auto old = kr::atomic(y[i]).max(x[i]);
/// \endcode
template <detail::plain Type>
detail::atomic_element<Type> atomic(const ref<Type>& element) {
  static_assert(!std::is_same_v<Type, bool>,
                "krait: atomics on bool are not supported: use unsigned");
  static_assert(sizeof(Type) >= 4,
                "krait: atomics on types of 8 and 16 bits are not supported: use int or unsigned");
  return detail::atomic_element<Type>(place_of(element));
}
template <class Type>
detail::atomic_element<int> atomic(const Type&) {
  static_assert(detail::always_false<Type>,
                "krait: atomic needs an element of a writable view: kr::atomic(x[i])");
  return detail::atomic_element<int>({});
}

}  // namespace krait
