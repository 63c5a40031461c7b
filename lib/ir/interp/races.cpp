// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the detector remembers of each byte, and when two accesses have no order.
#include "ir/interp/races.h"

#include <fmt/core.h>

namespace krait::ir::interpreter {

void RaceDetector::Trace::add(const Place& place) {
  if (any && last.block != place.block) {
    blocks = true;
    warps = threads = false;
  } else if (any && last.epoch != place.epoch) {
    warps = threads = false;
  } else if (any && last.warp != place.warp) {
    warps = true;
    threads = false;
  } else if (any && last.warp_epoch != place.warp_epoch) {
    threads = false;
  } else if (any && last.thread != place.thread) {
    threads = true;
  }
  any = true;
  last = place;
}

bool RaceDetector::Trace::unordered_with(const Place& place) const {
  if (!any) return false;
  if (blocks || last.block != place.block) return true;
  if (last.epoch != place.epoch) return false;
  if (warps || last.warp != place.warp) return true;
  return last.warp_epoch == place.warp_epoch && (threads || last.thread != place.thread);
}

std::string RaceDetector::access(bool shared, const std::byte* p, unsigned bytes, AccessKind kind,
                                 const Place& place) {
  constexpr const char* names[] = {"read", "write", "atomic access"};
  auto& memory = shared ? shared_ : global_;
  std::string conflict;
  for (unsigned i = 0; i < bytes; ++i) {
    Byte& byte = memory[p + i];
    for (unsigned other = 0; other < 3 && conflict.empty(); ++other) {
      const bool harmless = other == unsigned(kind) && kind != AccessKind::Write;
      const Trace& trace = byte.traces[other];
      if (harmless || !trace.unordered_with(place)) continue;
      const bool same_thread = trace.last.block == place.block && trace.last.thread == place.thread;
      const std::string thread =
          same_thread ? "another thread" : fmt::format("thread {}", trace.last.thread);
      conflict =
          fmt::format("{} by thread {} of block {} and {} by {} of block {}", names[unsigned(kind)],
                      place.thread, place.block, names[other], thread, trace.last.block);
    }
    byte.traces[unsigned(kind)].add(place);
  }
  return conflict;
}

}  // namespace krait::ir::interpreter
