// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of few elements within the host's memory, by loops: a launch of a kernel costs as much as
// some hundred elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "krait/detail/layout.h"

namespace krait::host {

/// A copy between elements of equal extents. It may be kept and run again, on other memory.
class LoopCopy {
 public:
  /// Where a loop gains nothing, of many elements or of sizes that registers have not, it `suits`
  /// no more.
  LoopCopy() = default;
  LoopCopy(const detail::layout& to, const detail::layout& from, std::size_t element_bytes);
  bool suits() const { return row_ != nullptr; }
  /// From the first element on; strides may be negative.
  void run(std::byte* to, const std::byte* from) const;
  /// Two copies. Those of columns that are near each other pass over their memory once.
  struct Run {
    const LoopCopy& copy;
    std::byte* to;
    const std::byte* from;
  };
  static void run_both(const Run& x, const Run& y);

 private:
  struct Axis {
    std::int64_t count, to, from;  // strides in bytes
  };
  using Row = void(std::byte* to, std::int64_t to_stride, const std::byte* from,
                   std::int64_t from_stride, std::int64_t count);
  template <std::size_t Bytes>
  static void copy_two_rows(const Axis& x, const Axis& y, std::byte* to, const std::byte* from,
                            std::byte* other_to, const std::byte* other_from);
  template <std::size_t Bytes>
  void set_rows();
  using TwoRows = void(const Axis& x, const Axis& y, std::byte* to, const std::byte* from,
                       std::byte* other_to, const std::byte* other_from);
  Row* row_ = nullptr;
  TwoRows* two_rows_ = nullptr;  // of one dimension
  int rank_ = 0;
  Axis axes_[detail::max_rank]{};  // the last one's are the rows
};

}  // namespace krait::host
