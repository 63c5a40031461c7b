// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that other threads or the host change while a kernel runs.
#pragma once

#include <krait/atomic.h>

namespace krait {

/// A view of memory that others change while the kernel runs, like CUDA's `volatile int*`.
/// No load or store is kept in a register, merged, dropped, or moved out of a loop. Each is a
/// relaxed atomic operation. Elements have 32 or 64 bits.
/// \code
/// kr::volatile_view flags(counts);
/// kr::while_([&] { return flags.load(0) == 0; }, [&] { kr::nanosleep(100); });
/// flags.store(1, i);
/// \endcode
template <class Elem, int Rank = 1>
class volatile_view {
  static_assert(!std::is_const_v<Elem>,
                "krait: a volatile_view needs a writable kr::view<T>, not a kr::view<const T>");

 public:
  volatile_view(const view<Elem, Rank>& of) : view_(of) {}  // NOLINT: implicit on purpose

  /// Loads the element at the indices.
  template <class... Indices>
  value<Elem> load(const Indices&... at) const {
    return atomic(view_(at...)).load();
  }
  /// Stores x at the indices.
  template <class... Indices>
  void store(detail::operand x, const Indices&... at) const {
    atomic(view_(at...)).exchange(x);
  }
  /// The number of elements in all dimensions together.
  auto size() const { return view_.size(); }

 private:
  view<Elem, Rank> view_;
};
template <class Elem, int Rank>
volatile_view(const view<Elem, Rank>&) -> volatile_view<Elem, Rank>;

}  // namespace krait
