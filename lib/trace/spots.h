// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the operations of a recording come from. A call that can catch its place by a default
// argument gives it. An operator cannot: it notes the address that it returns to, which is a line
// only once somebody looks it up in the program's debug information (host/lines.h).
//
// Notes stand in the order of recording, and of several the last one that turns out to be a line of
// the user's counts: what Krait's own headers record has the line that called them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ir/ir.h"

namespace krait::trace {

class Spots {
 public:
  /// What follows is recorded for this place, or for the call that returns to this address.
  void note(std::uint32_t place) { add(is_place | place); }
  void note(const void* address) { add(reinterpret_cast<std::uintptr_t>(address)); }
  std::uint32_t add_place(const char* file, std::uint32_t line) {
    places_.push_back({file, line});
    return std::uint32_t(places_.size() - 1);
  }
  /// What follows is recorded where that spot is.
  void again(std::uint32_t spot);
  /// The spot of what is recorded now; 0 before the first note.
  std::uint32_t now() const { return std::uint32_t(notes_.size()); }

  /// By spot, the nearest of `places` that a call gave before, or no_place.
  std::vector<std::uint32_t> nearest_places() const;
  const std::vector<ir::Location>& places() const { return places_; }
  static constexpr std::uint32_t no_place = ~0u;
  /// Takes the spots out of a module that was prepared with them (ir/spots.h), by function and
  /// instruction, and leaves the nearest places that calls gave.
  using Of = std::vector<std::vector<std::uint32_t>>;
  Of settle(ir::Module& module) const;
  /// Gives the settled module's operations their own lines. `find` gets the addresses that were
  /// noted, each once, and gives a line each, without a file where there is none.
  using Find = std::function<std::vector<ir::Location>(const std::vector<std::uint64_t>&)>;
  void find_lines(ir::Module& module, const Of& of, const Find& find) const;

 private:
  static constexpr std::uint64_t is_place = std::uint64_t(1) << 63;  // no address of a program
  void add(std::uint64_t note) {
    if (notes_.empty() || notes_.back() != note) notes_.push_back(note);
  }

  std::vector<std::uint64_t> notes_;
  std::vector<ir::Location> places_;
};

}  // namespace krait::trace
