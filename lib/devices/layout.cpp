// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices and other views of an array's elements, with NumPy's meaning and NumPy's words for what is
// not there.
#include "krait/detail/layout.h"

#include <algorithm>
#include <string>

#include <fmt/ranges.h>

#include "devices/layout.h"
#include "support/error.h"
#include "support/product.h"

namespace krait::host {

std::string shape_text(const std::int64_t* extents, int rank) {
  std::string s = "(";
  for (int d = 0; d < rank; ++d) s += (d ? "," : "") + std::to_string(extents[d]);
  return s + (rank == 1 ? ",)" : ")");
}

int axis_of(std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank)
    support::fail_usage("axis {} is out of bounds for array of dimension {}", axis, rank);
  return int(axis < 0 ? axis + rank : axis);
}

std::int64_t size_of(const detail::layout& l) {
  std::int64_t n = 1;
  for (int d = 0; d < l.rank; ++d) n *= l.extents[d];
  return n;
}

}  // namespace krait::host

namespace krait::detail {

using host::axis_of;
using host::shape_text;

namespace {

using Bound = slice_item::bound;

/// A position along a dimension, before it is cut to the extent.
std::int64_t position(const Bound& b, std::int64_t extent) {
  if (b.origin == slice_item::from_end || b.at < 0) return extent + b.at;
  return b.at;
}

void take_index(layout& out, const slice_item& item, const layout& of, int d) {
  const std::int64_t extent = of.extents[d], at = position(item.first, extent);
  if (at < 0 || at >= extent)
    refuse_index(item.first.origin == slice_item::from_end ? at : item.first.at, d, extent);
  out.offset += at * of.strides[d];
}

void take_range(layout& out, const slice_item& item, const layout& of, int d) {
  if (item.step == 0) support::fail_usage("slice step cannot be zero");
  const std::int64_t extent = of.extents[d], low = item.step > 0 ? 0 : -1,
                     high = item.step > 0 ? extent : extent - 1;
  const auto cut = [&](const Bound& b, std::int64_t otherwise) {
    return b.origin == slice_item::omitted
               ? otherwise
               : std::clamp(position(b, extent), low, std::max(low, high));
  };
  const std::int64_t first = cut(item.first, item.step > 0 ? low : high),
                     last = cut(item.last, item.step > 0 ? high : low);
  const std::int64_t distance = item.step > 0 ? last - first : first - last;
  // A step beyond the extent takes one element, and need not be multiplied with.
  const std::int64_t step = std::clamp(item.step, -extent - 1, extent + 1),
                     length = step > 0 ? step : -step;
  const std::int64_t count = distance > 0 ? (distance - 1) / length + 1 : 0;
  if (count > 0) out.offset += first * of.strides[d];
  out.extents[out.rank] = count, out.strides[out.rank] = of.strides[d] * step;
  ++out.rank;
}

void check_axes(const std::int64_t* axes, int count, int rank, bool (&seen)[max_rank]) {
  for (int i = 0; i < count; ++i) {
    bool& here = seen[axis_of(axes[i], rank)];
    if (here) support::fail_usage("repeated axis: {} is given twice", axes[i]);
    here = true;
  }
}

/// Strides of C order over runs of dimensions, which each is one piece of the old ones: NumPy's
/// attempt without a copy.
bool share_pieces(const layout& of, layout& out) {
  layout old;  // without extents of 1
  for (int d = 0; d < of.rank; ++d)
    if (of.extents[d] != 1)
      old.extents[old.rank] = of.extents[d], old.strides[old.rank++] = of.strides[d];
  int from = 0, to = 0;
  while (from < old.rank && to < out.rank) {
    int from_end = from + 1, to_end = to + 1;
    for (std::int64_t a = old.extents[from], b = out.extents[to]; a != b;) {
      if (a < b) a *= old.extents[from_end++];
      else b *= out.extents[to_end++];
    }
    for (int d = from; d + 1 < from_end; ++d)
      if (old.strides[d] != old.extents[d + 1] * old.strides[d + 1]) return false;
    std::int64_t stride = old.strides[from_end - 1];
    for (int d = to_end - 1; d >= to; --d) out.strides[d] = stride, stride *= out.extents[d];
    from = from_end, to = to_end;
  }
  for (; to < out.rank; ++to) out.strides[to] = 1;  // extents of 1
  return true;
}

}  // namespace

void refuse_index(std::int64_t index, int axis, std::int64_t size) {
  support::fail_usage("index {} is out of bounds for axis {} with size {}", index, axis, size);
}

layout dense(const std::int64_t* extents, int rank, bool fortran) noexcept {
  layout l;
  l.rank = rank;
  std::int64_t stride = 1;
  for (int k = 0; k < rank; ++k) {
    const int d = fortran ? k : rank - 1 - k;
    l.extents[d] = extents[d], l.strides[d] = stride;
    // beyond 64 bits only where there is no element
    stride = support::clipped_product(stride, extents[d]);
  }
  return l;
}

bool is_dense(const layout& of, bool fortran) noexcept {
  const layout wanted = dense(of.extents, of.rank, fortran);
  if (host::size_of(of) == 0) return true;
  for (int d = 0; d < of.rank; ++d)
    if (of.extents[d] != 1 && of.strides[d] != wanted.strides[d]) return false;
  return true;
}

layout slice(const layout& of, const slice_item* items, int count) {
  layout out;
  out.offset = of.offset;
  int d = 0;
  for (int i = 0; i < count; ++i) {
    if (items[i].kind == slice_item::new_axis) {
      out.extents[out.rank] = 1, out.strides[out.rank] = 0;
      ++out.rank;
    } else if (items[i].kind == slice_item::index) {
      take_index(out, items[i], of, d++);
    } else {
      take_range(out, items[i], of, d++);
    }
  }
  for (; d < of.rank; ++d) take_range(out, {}, of, d);
  if (out.rank == 0) out.rank = 1, out.extents[0] = 1, out.strides[0] = 1;  // one element
  return out;
}

bool reshape(const layout& of, const std::int64_t* extents, int rank, layout& out) {
  const std::int64_t size = host::size_of(of);
  out = dense(extents, rank, false);
  out.offset = of.offset;
  int open = -1;
  std::int64_t known = 1;
  for (int d = 0; d < rank; ++d) {
    if (extents[d] == -1) {
      if (open >= 0) support::fail_usage("can only specify one unknown dimension");
      open = d;
      continue;
    }
    if (extents[d] < 0)
      support::fail_usage("negative dimensions are not allowed: {}", shape_text(extents, rank));
    known = support::clipped_product(known, extents[d]);
  }
  if (open >= 0 ? known <= 0 || size % known != 0 : known != size)
    support::fail_usage("cannot reshape array of size {} into shape {}", size,
                        shape_text(extents, rank));
  if (open >= 0) out.extents[open] = size / known;
  if (size == 0) {
    const std::int64_t offset = out.offset;
    out = dense(out.extents, rank, false), out.offset = offset;
    return true;
  }
  return share_pieces(of, out);
}

layout permute(const layout& of, const std::int64_t* axes, int count) {
  bool seen[max_rank]{};
  check_axes(axes, count, of.rank, seen);
  layout out = of;
  for (int d = 0; d < count; ++d) {
    const int from = axis_of(axes[d], of.rank);
    out.extents[d] = of.extents[from], out.strides[d] = of.strides[from];
  }
  return out;
}

layout flip(const layout& of, const std::int64_t* axes, int count) {
  bool seen[max_rank]{};
  check_axes(axes, count, of.rank, seen);
  layout out = of;
  for (int d = 0; d < of.rank; ++d) {
    if (!seen[d]) continue;
    if (of.extents[d] > 0) out.offset += (of.extents[d] - 1) * of.strides[d];
    out.strides[d] = -of.strides[d];
  }
  return out;
}

layout broadcast_to(const layout& of, const std::int64_t* extents, int rank) {
  layout out;
  out.rank = rank, out.offset = of.offset;
  const int first = rank - of.rank;  // the dimension that the array's first one becomes
  bool fits = first >= 0;
  for (int d = 0; d < rank && fits; ++d) {
    const std::int64_t own = d < first ? 1 : of.extents[d - first];
    fits = extents[d] >= 0 && (own == extents[d] || own == 1);
    out.extents[d] = extents[d],
    out.strides[d] = d < first || own != extents[d] ? 0 : of.strides[d - first];
  }
  if (!fits)
    support::fail_usage(
        "operands could not be broadcast together with remapped shapes: original {}, requested {}",
        shape_text(of.extents, of.rank), shape_text(extents, rank));
  check_shape(extents, rank, 1);
  return out;
}

layout diagonal(const layout& of, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
  const int a = axis_of(axis1, of.rank), b = axis_of(axis2, of.rank);
  if (a == b) support::fail_usage("axis1 and axis2 cannot be the same: {}", axis1);
  layout out;
  out.offset = of.offset;
  for (int d = 0; d < of.rank; ++d)
    if (d != a && d != b)
      out.extents[out.rank] = of.extents[d], out.strides[out.rank++] = of.strides[d];
  const std::int64_t down = offset < 0 ? std::min(-(offset + 1), of.extents[a] - 1) + 1 : 0,
                     across = offset > 0 ? std::min(offset, of.extents[b]) : 0;
  const std::int64_t count =
      std::max<std::int64_t>(0, std::min(of.extents[a] - down, of.extents[b] - across));
  if (count > 0) out.offset += down * of.strides[a] + across * of.strides[b];
  out.extents[out.rank] = count, out.strides[out.rank++] = of.strides[a] + of.strides[b];
  return out;
}

layout squeeze(const layout& of, const std::int64_t* axes, int count) {
  bool seen[max_rank]{};
  check_axes(axes, count, of.rank, seen);
  layout out;
  out.offset = of.offset;
  for (int d = 0; d < of.rank; ++d) {
    if (seen[d] && of.extents[d] != 1)
      support::fail_usage(
          "cannot select an axis to squeeze out which has size not equal to one: axis {} of {}", d,
          shape_text(of.extents, of.rank));
    if (!seen[d]) out.extents[out.rank] = of.extents[d], out.strides[out.rank++] = of.strides[d];
  }
  return out;
}

}  // namespace krait::detail
