// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dist/rim.h"

#include <algorithm>

#include "devices/layout.h"
#include "devices/memory.h"
#include "devices/reports.h"
#include "dist/job.h"
#include "dist/parts.h"
#include "host/graph.h"

namespace krait::dist::detail {
namespace {

constexpr const char* exchange_name = "kr::dist::exchange";

layout part(const layout& of, int axis, std::int64_t first, std::int64_t count) {
  layout p = of;
  p.offset += first * p.strides[axis];
  p.extents[axis] = count;
  return p;
}

}  // namespace

Slabs::Slabs(const decomposition& how, const layout& all, int d) {
  const std::int64_t w = how.halo[d], n = how.owned[d];
  layout slab = all;
  for (int e = d + 1; e < how.rank; ++e) slab = part(slab, e, how.halo[e], how.owned[e]);
  out[0] = part(slab, d, w, w), out[1] = part(slab, d, n, w);
  in[0] = part(slab, d, 0, w), in[1] = part(slab, d, w + n, w);
}

Rim::Rim(const decomposition& how, const elements& all)
    : serial_(how.serial),
      address_(all.memory->address),
      element_bytes_(all.element_bytes),
      at_(*all.at) {
  auto* const base = reinterpret_cast<std::byte*>(address_);
  const auto first = [&](const layout& of) {
    return base + of.offset * std::int64_t(all.element_bytes);
  };
  std::size_t room = 0;
  for (int d = 0; d < how.rank; ++d) {
    if (!moves(how, d)) continue;
    const Slabs slabs(how, at_, d);
    Axis& axis = axes_.emplace_back();
    axis.alone = how.parts[d] == 1;
    for (int s = 0; s < 2; ++s) {
      Side& side = axis.sides[s];
      const layout &out = slabs.out[s], &in = slabs.in[s];
      side.bytes = detail::bytes_of(out, all.element_bytes);
      side.out = first(out), side.in = first(in);
      if (side.bytes == 0) continue;
      if (axis.alone) {
        side.pack = host::LoopCopy(slabs.in[1 - s], out, all.element_bytes);
        usable_ = usable_ && side.pack.suits();
        continue;
      }
      side.with = neighbour(how, d, 2 * s - 1);
      side.receive_tag = tag_of(how, d, s), side.send_tag = tag_of(how, d, 1 - s);
      const layout packed = krait::detail::dense(out.extents, out.rank, false);
      if (!krait::detail::is_dense(out, false) || !krait::detail::is_dense(in, false)) {
        side.pack = host::LoopCopy(packed, out, all.element_bytes);
        side.unpack = host::LoopCopy(in, packed, all.element_bytes);
        usable_ = usable_ && side.pack.suits();
        room += 2 * side.bytes;
      }
    }
  }
  if (!usable_) return;
  room_.resize(room);
  std::byte* next = room_.data();
  for (Axis& axis : axes_)
    for (Side& side : axis.sides) {
      side.sent = side.out, side.got = side.in;
      if (!side.unpack.suits()) continue;
      side.sent = next, side.got = next + side.bytes;
      next += 2 * side.bytes;
    }
}

bool Rim::is_for(const decomposition& how, const elements& all) const {
  const layout& at = *all.at;
  return serial_ == how.serial && address_ == all.memory->address &&
         element_bytes_ == all.element_bytes && at_.offset == at.offset && at_.rank == at.rank &&
         std::equal(at.extents, at.extents + at.rank, at_.extents) &&
         std::equal(at.strides, at.strides + at.rank, at_.strides);
}

/// What `copy` says of each side that has a neighbour; of both in one pass.
template <class Copy>
void Rim::copy_sides(const Axis& axis, const Copy& copy) {
  const auto copies = [&](const Side& s) { return s.with >= 0 && copy(s).copy.suits(); };
  const Side &low = axis.sides[0], &high = axis.sides[1];
  if (copies(low) && copies(high)) return host::LoopCopy::run_both(copy(low), copy(high));
  for (const Side& s : axis.sides)
    if (copies(s)) copy(s).copy.run(copy(s).to, copy(s).from);
}

void Rim::start(job& of, Axis& axis) {
  if (axis.alone) return;
  for (Side& s : axis.sides)
    if (s.with >= 0) of.receive(s.got, s.bytes, s.with, s.receive_tag);
  copy_sides(axis, [](const Side& s) { return host::LoopCopy::Run{s.pack, s.sent, s.out}; });
  for (Side& s : axis.sides)
    if (s.with >= 0) of.send(s.sent, s.bytes, s.with, s.send_tag);
}
void Rim::finish(job& of, Axis& axis) {
  if (axis.alone) {
    for (int s = 0; s < 2; ++s)
      if (axis.sides[s].bytes > 0) axis.sides[s].pack.run(axis.sides[1 - s].in, axis.sides[s].out);
    return;
  }
  of.wait(exchange_name);
  copy_sides(axis, [](const Side& s) { return host::LoopCopy::Run{s.unpack, s.in, s.got}; });
}

void Rim::exchange(job& of, krait::detail::storage& memory, function_ref<void()> between) {
  krait::host::check_readable(memory);
  if (memory.last) memory.device->device->synchronize(host::order_of(memory));
  host::after_wait(memory);
  if (!axes_.empty()) start(of, axes_.front());
  between();
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    if (d > 0) start(of, axes_[d]);
    finish(of, axes_[d]);
  }
}

}  // namespace krait::dist::detail
