// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arrays/loop_copy.h"

#include <cstring>

#include "devices/layout.h"

namespace krait::host {
namespace {

// A launch takes about 0.3 us on the CPU. Above this a kernel's threads gain more than that.
constexpr std::int64_t most_elements = 8192;

template <std::size_t Bytes>
void copy_row(std::byte* to, std::int64_t to_stride, const std::byte* from,
              std::int64_t from_stride, std::int64_t count) {
  for (; count > 0; --count, to += to_stride, from += from_stride) std::memcpy(to, from, Bytes);
}
void copy_bytes(std::byte* to, std::int64_t, const std::byte* from, std::int64_t,
                std::int64_t count) {
  std::memcpy(to, from, std::size_t(count));
}

}  // namespace

template <std::size_t Bytes>
void LoopCopy::copy_two_rows(const Axis& x, const Axis& y, std::byte* to, const std::byte* from,
                             std::byte* other_to, const std::byte* other_from) {
  for (std::int64_t i = x.count; i > 0; --i) {
    std::memcpy(to, from, Bytes), std::memcpy(other_to, other_from, Bytes);
    to += x.to, from += x.from, other_to += y.to, other_from += y.from;
  }
}
template <std::size_t Bytes>
void LoopCopy::set_rows() {
  row_ = &copy_row<Bytes>;
  if (rank_ == 1) two_rows_ = &copy_two_rows<Bytes>;
}

LoopCopy::LoopCopy(const detail::layout& to, const detail::layout& from,
                   std::size_t element_bytes) {
  const auto bytes = std::int64_t(element_bytes);
  if (size_of(to) == 0 || size_of(to) > most_elements) return;
  for (int d = 0; d < to.rank; ++d) {
    const Axis axis{to.extents[d], to.strides[d] * bytes, from.strides[d] * bytes};
    if (axis.count == 1) continue;
    Axis* const last = rank_ > 0 ? &axes_[rank_ - 1] : nullptr;
    if (last && last->to == axis.count * axis.to && last->from == axis.count * axis.from)
      *last = {last->count * axis.count, axis.to, axis.from};
    else axes_[rank_++] = axis;
  }
  if (rank_ == 0) axes_[rank_++] = {1, bytes, bytes};
  Axis& row = axes_[rank_ - 1];
  if (row.to == bytes && row.from == bytes) row.count *= bytes, row_ = &copy_bytes;
  else if (bytes == 1) set_rows<1>();
  else if (bytes == 2) set_rows<2>();
  else if (bytes == 4) set_rows<4>();
  else if (bytes == 8) set_rows<8>();
  else if (bytes == 16) set_rows<16>();
}

void LoopCopy::run(std::byte* to, const std::byte* from) const {
  const int last = rank_ - 1;
  const Axis& row = axes_[last];
  std::int64_t index[detail::max_rank]{};
  for (;;) {
    row_(to, row.to, from, row.from, row.count);
    int d = last - 1;
    for (; d >= 0; --d) {
      const Axis& axis = axes_[d];
      to += axis.to, from += axis.from;
      if (++index[d] < axis.count) break;
      to -= axis.to * index[d], from -= axis.from * index[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

void LoopCopy::run_both(const Run& x, const Run& y) {
  const LoopCopy &a = x.copy, &b = y.copy;
  if (a.two_rows_ && a.two_rows_ == b.two_rows_ && a.axes_[0].count == b.axes_[0].count)
    return a.two_rows_(a.axes_[0], b.axes_[0], x.to, x.from, y.to, y.from);
  a.run(x.to, x.from), b.run(y.to, y.from);
}

}  // namespace krait::host
