// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/spots.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/spots.h"

namespace krait::trace {
namespace {

/// A function's table of places, each of them once.
class SpotTable {
 public:
  std::uint32_t number_of(const ir::Location& place) {
    if (place.file.empty()) return 0;
    const auto [at, fresh] =
        known_.try_emplace({place.file, place.line}, std::uint32_t(places_.size()));
    if (fresh) places_.push_back(place);
    return at->second;
  }
  std::vector<ir::Location> take() { return std::move(places_); }

 private:
  std::map<std::pair<std::string_view, std::uint32_t>, std::uint32_t> known_;
  std::vector<ir::Location> places_{{}};
};

}  // namespace

void Spots::again(std::uint32_t spot) {
  for (std::uint32_t before = spot; before > 0; --before)
    if (const std::uint64_t n = notes_[before - 1]; n & is_place) {
      add(n);
      break;
    }
  if (spot) add(notes_[spot - 1]);
}

std::vector<std::uint32_t> Spots::nearest_places() const {
  std::vector<std::uint32_t> nearest{no_place};
  nearest.reserve(notes_.size() + 1);
  for (const std::uint64_t n : notes_)
    nearest.push_back(n & is_place ? std::uint32_t(n) : nearest.back());
  return nearest;
}

Spots::Of Spots::settle(ir::Module& module) const {
  Of of;
  const std::vector<std::uint32_t> nearest = nearest_places();
  for (ir::Function& f : module.functions) {
    std::vector<std::uint32_t>& spots = of.emplace_back(f.insts.size());
    std::vector<std::uint32_t> numbers(places_.size());
    std::vector<ir::Location> table{{}};
    for (std::size_t i = 0; i < f.insts.size(); ++i) {
      std::uint32_t& loc = f.insts[i].loc;
      const std::uint32_t spot = loc & ~ir::is_spot;
      const std::uint32_t place =
          (loc & ir::is_spot) && spot < nearest.size() ? nearest[spot] : no_place;
      loc = 0;
      if (place == no_place) continue;
      if (!numbers[place])
        numbers[place] = std::uint32_t(table.size()), table.push_back(places_[place]);
      loc = numbers[place], spots[i] = spot;
    }
    f.locations = std::move(table);
  }
  return of;
}

void Spots::find_lines(ir::Module& module, const Of& of, const Find& find) const {
  std::vector<std::uint64_t> addresses;
  for (const std::uint64_t n : notes_)
    if (!(n & is_place)) addresses.push_back(n);
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  const std::vector<ir::Location> found = find(addresses);

  const ir::Location nothing;
  std::vector<const ir::Location*> at{&nothing};  // by spot
  for (const std::uint64_t n : notes_) {
    const ir::Location* place = at.back();
    if (n & is_place) {
      place = &places_[n & ~is_place];
    } else {
      const auto i =
          std::size_t(std::lower_bound(addresses.begin(), addresses.end(), n) - addresses.begin());
      if (!found[i].file.empty()) place = &found[i];
    }
    at.push_back(place);
  }
  for (std::size_t k = 0; k < module.functions.size(); ++k) {
    ir::Function& f = module.functions[k];
    SpotTable table;
    for (std::size_t i = 0; i < f.insts.size(); ++i) {
      const ir::Location& own = *at[of[k][i]];
      f.insts[i].loc = table.number_of(own.file.empty() ? f.locations[f.insts[i].loc] : own);
    }
    f.locations = table.take();
  }
}

}  // namespace krait::trace
