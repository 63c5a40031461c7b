// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exchange of one array's halo in the host's memory, prepared: who gets what from where. A
// message between neighbours takes a microsecond, in which nothing of this may be looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays/loop_copy.h"
#include "krait/detail/dist/calls.h"

namespace krait::dist::detail {

/// The neighbour along an axis, or -1 at an end.
int neighbour(const decomposition& how, int axis, int step);
/// The tag of a message to a side of an axis.
int tag_of(const decomposition& how, int axis, int side);

/// What an axis' messages consist of: the low and the high neighbour get `out`, and `in` comes from
/// them. Later axes come without their halos, which their own turn fills, the corners included.
struct Slabs {
  layout out[2], in[2];
  Slabs(const decomposition& how, const layout& all, int axis);
};
/// Whether an axis has neighbours' elements at all.
inline bool moves(const decomposition& how, int d) {
  return how.halo[d] > 0 && (how.parts[d] > 1 || how.periodic[d]);
}

class Rim {
 public:
  /// Slabs that are not in one piece, of more elements than a loop copies well, are left to Mail:
  /// not `usable`.
  Rim(const decomposition& how, const elements& all);
  Rim(const Rim&) = delete;
  bool usable() const { return usable_; }
  bool is_for(const decomposition& how, const elements& all) const;
  /// `between` runs while the first axis is under way.
  void exchange(job& of, krait::detail::storage& memory, function_ref<void()> between);

 private:
  struct Side {
    int with = -1, send_tag = 0, receive_tag = 0;
    std::size_t bytes = 0;
    std::byte *out = nullptr, *in = nullptr;    // in the array
    std::byte *sent = nullptr, *got = nullptr;  // what messages take: these, or packed
    host::LoopCopy pack, unpack;
  };
  struct Axis {
    bool alone = false;  // periodic, and one block has both ends: no message
    Side sides[2];
  };
  template <class Copy>
  static void copy_sides(const Axis& axis, const Copy& copy);
  void start(job& of, Axis& axis);
  void finish(job& of, Axis& axis);

  bool usable_ = true;
  std::uint32_t serial_;
  std::uint64_t address_;
  std::size_t element_bytes_;
  layout at_;
  std::vector<Axis> axes_;
  std::vector<std::byte> room_;
};

}  // namespace krait::dist::detail
