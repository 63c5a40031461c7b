// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// About how many operations a thread runs, for decisions that a wrong guess does not make wrong: a
// loop counts as 16 trips.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace krait::ir {

/// Of a loop of which nothing is known.
inline constexpr unsigned usual_trips = 16;

/// Of a region, with all that it calls; a million at most.
unsigned weight(const Module& m, const Function& f, RegionId region);

/// What a thread of the kernel does: operations, and loops whose trips the launch's arguments tell.
/// A trip of grid_stride loops counts once.
struct Work {
  struct Loop;
  double operations = 0;  // loops of unknown trips among them
  std::vector<Loop> loops;
};
struct Work::Loop {
  static constexpr std::uint32_t value = ~0u;  // as dimension: the number that the argument is
  double trips;                                // for each of the argument's number, or in all
  std::uint32_t parameter = none, dimension = 0;
  Work inside;
};
/// `strides`: it has grid_stride loops.
Work work_of(const Module& m, bool& strides);

/// The operations of a thread, where `number(parameter, dimension)` is an argument's extent or
/// value.
template <class Number>
double operations(const Work& work, const Number& number) {
  double sum = work.operations;
  for (const Work::Loop& l : work.loops)
    sum += l.trips * (l.parameter == none ? 1.0 : number(l.parameter, l.dimension)) *
           operations(l.inside, number);
  return sum;
}

}  // namespace krait::ir
