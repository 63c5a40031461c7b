// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// About how many cycles of a core a thread takes as a lane and as scalar code, for the choice
// between the two (codegen/cpu/plan/gang_cost.h). Rough numbers will do: where they decide, one
// way costs half again as much as the other. All by `bench_corpus --cpu-time` as it is and with
// KRAIT_CPU=lanes=1,parts=1: a kernel that is faster so should have been scalar.
#pragma once

#include <cstddef>
#include <cstdint>

namespace krait::tuning::gangs {

/// Scalar operations, and operations on vectors, that a core begins in a cycle.
inline constexpr double scalar_ports = 3, vector_ports = 2;
/// Divisions, roots and functions, as operations.
inline constexpr double slow_operation = 8;
/// Operations on masks at a branch or a trip in which lanes differ.
inline constexpr double mask_operations = 3;
/// Trips of the lane that makes most, beside those of the usual one.
inline constexpr double longest_lane = 2;
/// Cycles of a branch that data decide: 20 where it was foretold wrongly, a quarter of the times.
inline constexpr double missed_branch = 4;
/// The same of one that waits for a load from a place that was loaded.
inline constexpr double waited_branch = 20;
/// Cycles of a loop's end that data decide, which is foretold wrongly as a rule; of one that waits
/// for a load from a place that data say, which other lanes' loads do not wait for.
inline constexpr double missed_exit = 10, waited_exit = 80;
/// Instructions that a core looks ahead.
inline constexpr double window = 300;
/// Integers side by side from which on scalar code computes them as one vector: those of 32 bits
/// fill the smallest register then. sad, AVX2: 4.2 ms as lanes, 2.0 alone.
inline constexpr std::size_t packed_row = 4;
/// How often a thread takes a branch that the program calls unlikely, or that holds the rare path
/// of a function, as of a sine of a number beyond 2^17.
inline constexpr double rare_branch = 0.01;
/// Cycles of a lane's element that lies where data say, read and written, by an instruction of
/// AVX-512 and without one; of one whose place is computed as a scalar, or near its neighbours';
/// of one that comes with its neighbours' and is put in its place by shuffles, as they lie at most
/// so many bytes apart; and what lanes add that are not active, where there is no instruction.
inline constexpr double gathered_wide = 1.2, gathered = 2, scattered_wide = 1.6, scattered = 3,
                        stepped = 1.5, shuffled = 0.5, under_mask = 1;
inline constexpr std::int64_t near_bytes = 128;
/// Cycles of an atomic operation whose result is used, and of another, which may go to the worker's
/// own copy of the array; of a trip of the loop over lanes around it, which takes places from
/// memory: floats added at places from data take 7.1 ms by vectors and 3.2 by scalars.
inline constexpr double locked = 18, updated = 3, lane_by_lane = 10;
/// How many times as much a lane must cost before a thread runs alone: what the estimate may be
/// wrong by.
inline constexpr double scalar_gain = 1.2;
/// What part of the time twice as many lanes must take beside twice as many registers.
inline constexpr double wide_gain = 0.65;

}  // namespace krait::tuning::gangs
