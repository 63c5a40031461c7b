// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads do together in a launch that the interpreter runs, and how many barriers they have
// passed.
#pragma once

#include <vector>

#include "ir/interp/races.h"
#include "ir/interp/state.h"

namespace krait::ir::interpreter {

class Cooperation {
 public:
  explicit Cooperation(State& state);

  void begin_block();
  /// `returned`: the threads that are gone.
  void barrier(const Inst& inst, const Mask& active, const Mask& returned);
  void warp_barrier(const Mask& active);
  void ballot(const Inst& inst, const Mask& active);
  void shuffle(const Inst& inst, const Mask& active);
  void match_any(const Inst& inst, const Mask& active);
  void prefix_count(const Inst& inst, const Mask& active);
  void combine(const Inst& inst, const Mask& active);
  void uniform(const Inst& inst, const Mask& active);
  Place place_of(std::size_t lane) const;

 private:
  template <class Fn>
  void for_each_warp(const Mask& active, Fn&& fn);

  State& s_;
  std::uint64_t epoch_ = 0;                 // barriers passed
  std::vector<std::uint64_t> warp_epochs_;  // warp barriers passed
};

}  // namespace krait::ir::interpreter
