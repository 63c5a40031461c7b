// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The positions of an array's elements in its memory, without their type. The library computes
// slices and other views from them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <krait/detail/call.h>

namespace krait::detail {

struct layout {
  int rank = 0;
  std::int64_t offset = 0;  // of the first element, in elements as all
  std::int64_t extents[max_rank]{};
  std::int64_t strides[max_rank]{};
};

/// One argument of a(…).
struct slice_item {
  enum kind_type : std::uint8_t { index, range, new_axis };
  // a number below 0 counts from the end, too
  enum origin_type : std::uint8_t { number, from_end, omitted };
  struct bound {
    std::int64_t at = 0;
    origin_type origin = omitted;
  };
  kind_type kind = range;
  bound first, last;  // an index has the first alone
  std::int64_t step = 1;
};

/// A share of a device's memory, which the last one gives back.
class memory_share {
 public:
  memory_share() = default;
  explicit memory_share(storage* owned) noexcept : memory_(owned) {}
  memory_share(const memory_share& other) noexcept : memory_(other.memory_) {
    if (memory_) share(memory_);
  }
  memory_share(memory_share&& other) noexcept : memory_(other.memory_) { other.memory_ = nullptr; }
  memory_share& operator=(memory_share&& other) noexcept {
    storage* const mine = memory_;
    memory_ = other.memory_, other.memory_ = mine;
    return *this;
  }
  memory_share& operator=(const memory_share&) = delete;
  ~memory_share() {
    if (memory_) release(memory_);
  }
  storage* get() const noexcept { return memory_; }

 private:
  storage* memory_ = nullptr;
};

// Views. All throw error{usage} in NumPy's words for parts that the layout does not have.

/// Throws error{usage}: the array has no such index.
[[noreturn]] KRAIT_API void refuse_index(std::int64_t index, int axis, std::int64_t size);
/// Extents, with strides of C order, or of Fortran's.
KRAIT_API layout dense(const std::int64_t* extents, int rank, bool fortran) noexcept;
KRAIT_API bool is_dense(const layout& of, bool fortran) noexcept;
KRAIT_API layout slice(const layout& of, const slice_item* items, int count);
/// The same elements in C order with other extents; one may be -1. False if no strides give that.
KRAIT_API bool reshape(const layout& of, const std::int64_t* extents, int rank, layout& out);
KRAIT_API layout permute(const layout& of, const std::int64_t* axes, int count);
KRAIT_API layout flip(const layout& of, const std::int64_t* axes, int count);
KRAIT_API layout broadcast_to(const layout& of, const std::int64_t* extents, int rank);
KRAIT_API layout diagonal(const layout& of, std::int64_t offset, std::int64_t axis1,
                          std::int64_t axis2);
KRAIT_API layout squeeze(const layout& of, const std::int64_t* axes, int count);
/// Whether a view may become an array that is written: its memory is Krait's and nobody else's, and
/// no elements repeat.
KRAIT_API bool can_take(const layout& of, const storage* memory) noexcept;

/// The elements of a layout, each of some bytes. Memory is null where there is no element.
struct elements {
  storage* memory;
  const layout* at;
  std::size_t element_bytes;
};
/// Whether some element of one may share memory with one of the other, also for different arrays.
KRAIT_API bool may_meet(const elements& x, const elements& y);
/// Throws error{usage} if two elements may share memory: their value is unknown after `function`
/// has written both.
KRAIT_API void check_apart(const layout& written, const char* function);

KRAIT_API void copy_from_host(const elements& to, const void* from);
/// In C order.
KRAIT_API void copy_to_host(const elements& from, void* to);
/// From the same extents on any device; the two may overlap.
KRAIT_API void copy_elements(const elements& to, const elements& from);
/// Every element gets these bytes.
KRAIT_API void fill_elements(const elements& to, const void* element);

}  // namespace krait::detail
