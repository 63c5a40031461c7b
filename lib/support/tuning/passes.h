// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the choices of passes for all targets were measured to be, in one place: as tuning/cpu.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace krait::tuning::passes {

/// Operations of a branch's side, all of them cheap, up to which both sides are computed and one is
/// chosen: as selects in the IR, and on the CPU with loads and stores under a mask. A branch that
/// is foretold wrongly costs 20 cycles and a divergent one both sides; rare paths of log have more.
/// `bench_corpus --cpu-time`, `bench_corpus --device cuda:0`.
inline constexpr std::size_t flat_limit = 4;
/// Rows and columns of sums that a thread of a product by the block computes at once: 16 sums leave
/// room for operands in 32 registers. `bench_matmul cpu`.
inline constexpr std::int64_t sums_at_once = 4;
/// Copies of pieces of a tile by one thread that are written out, with constant distances, instead
/// of a loop. `bench_forms cuda:0`.
inline constexpr std::int64_t copies_written_out = 32;
/// Operations from which a recording is searched for what C++ loops wrote out, and what a loop has
/// to save: first code for the CPU takes about 0.2 ms an operation (AVX-512, a gang of 16), and so
/// a kernel of so many 100 ms. `bench_compile`.
inline constexpr std::size_t rolled_from = 500, least_rolled = 100;

}  // namespace krait::tuning::passes
