// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computations that follow one axis from rank to rank. A rank begins with some rows while the one
// before it goes on with the next: a pipeline, in which a message is the edge of these rows.
#include <algorithm>
#include <memory>

#include "arrays/loop_copy.h"
#include "devices/layout.h"
#include "devices/memory.h"
#include "devices/reports.h"
#include "dist/mail.h"
#include "dist/parts.h"
#include "dist/rim.h"
#include "krait/dist.h"
#include "support/error.h"

namespace krait::dist::detail {
namespace {

constexpr const char* sweep_name = "kr::dist::sweep";
constexpr int low_side = 0;

/// The edges of some rows, which are in the array itself or packed.
class Edges {
 public:
  Edges(const decomposition& how, const elements& all, int axis, int across)
      : of_(*how.of),
        all_(all),
        axis_(axis),
        across_(across),
        width_(how.halo[axis]),
        owned_(how.owned[axis]),
        slab_(*all.at),
        on_host_(all.memory->device->device->host_memory() && of_.carrier() == Carrier::Host) {
    for (int d = 0; d < how.rank; ++d)
      if (d != axis)
        slab_.offset += how.halo[d] * slab_.strides[d], slab_.extents[d] = how.owned[d];
    low_ = neighbour(how, axis, -1), high_ = neighbour(how, axis, 1);
    // Periodic axes have ends here: the sweep begins at the first rank.
    if (how.place[axis] == 0) low_ = -1;
    if (how.place[axis] + 1 == how.parts[axis]) high_ = -1;
    tag_ = tag_of(how, axis, low_side);
  }
  void receive(std::int64_t first, std::int64_t count) {
    if (low_ < 0) return;
    prepare(count);
    const layout at = rows(first, count, 0);
    if (unpack_.suits()) {
      of_.receive(in_.data(), bytes_, low_, tag_);
      of_.wait(sweep_name);
      unpack_.run(address(at), in_.data());
    } else {
      Mail mail(of_);
      mail.receive(all_, at, low_, tag_);
      mail.post(sweep_name), mail.deliver(sweep_name);
    }
  }
  void send(std::int64_t first, std::int64_t count) {
    if (high_ < 0) return;
    prepare(count);
    const layout at = rows(first, count, owned_);
    if (pack_.suits()) {
      of_.wait(sweep_name);  // for what was sent before from there
      pack_.run(out_.data(), address(at));
      of_.send(out_.data(), bytes_, high_, tag_);
    } else {
      Mail mail(of_);
      mail.send(all_, at, high_, tag_);
      mail.post(sweep_name), mail.deliver(sweep_name);
    }
  }
  void end() { of_.wait(sweep_name); }

 private:
  layout rows(std::int64_t first, std::int64_t count, std::int64_t from) const {
    layout at = slab_;
    at.offset += first * at.strides[across_] + from * at.strides[axis_];
    at.extents[across_] = count, at.extents[axis_] = width_;
    return at;
  }
  /// All messages but the last have so many rows.
  void prepare(std::int64_t count) {
    if (count == prepared_) return;
    of_.wait(sweep_name);
    prepared_ = count;
    const layout at = rows(0, count, 0), packed = krait::detail::dense(at.extents, at.rank, false);
    bytes_ = detail::bytes_of(at, all_.element_bytes);
    if (!on_host_) return;
    pack_ = host::LoopCopy(packed, at, all_.element_bytes);
    unpack_ = host::LoopCopy(at, packed, all_.element_bytes);
    in_.resize(bytes_), out_.resize(bytes_);
  }
  std::byte* address(const layout& at) const {
    return reinterpret_cast<std::byte*>(all_.memory->address) +
           at.offset * std::int64_t(all_.element_bytes);
  }

  job& of_;
  const elements& all_;
  int axis_, across_, low_ = -1, high_ = -1, tag_ = 0;
  std::int64_t width_, owned_;
  layout slab_;
  bool on_host_;
  std::int64_t prepared_ = 0;
  std::size_t bytes_ = 0;
  host::LoopCopy pack_, unpack_;
  std::vector<std::byte> in_, out_;
};

}  // namespace

void sweep(const decomposition& how, const elements& all, int axis, std::int64_t rows,
           function_ref<void(std::int64_t, std::int64_t)> compute) {
  if (rows < 1) support::fail_usage("{}: {} rows a message: use 1 or more", sweep_name, rows);
  if (how.halo[axis] < 1)
    support::fail_usage("{}: axis {} has no halo for the edges of the rank before", sweep_name,
                        axis);
  for (int d = 0; d < how.rank; ++d)
    if (d != axis && how.parts[d] > 1)
      support::fail_usage("{} along axis {}: axis {} is in blocks, too: make it kr::dist::whole",
                          sweep_name, axis, d);
  call what{.name = sweep_name};
  what.add(how.serial), what.add(axis), what.add(rows);
  how.of->begin(what);
  const int across = axis == 0 ? 1 : 0;
  guard(how.of, [&] {
    how.of->open_carrier(sweep_name);
    if (!all.memory) return;
    if (all.memory->last) all.memory->device->device->synchronize(host::order_of(*all.memory));
    Edges edges(how, all, axis, across);
    for (std::int64_t at = 0; at < how.owned[across]; at += rows) {
      const std::int64_t count = std::min(rows, how.owned[across] - at),
                         first = at + how.halo[across];
      edges.receive(at, count);
      compute(first, first + count);
      edges.send(at, count);
    }
    edges.end();
  });
}

}  // namespace krait::dist::detail
