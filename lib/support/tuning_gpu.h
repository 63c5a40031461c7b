// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the GPU back ends' choices were measured to be, in one place: as tuning_cpu.h. What a device
// tells by itself is asked from it.
#pragma once

#include <cstddef>

namespace krait::tuning::gpu {

/// Operations from which on a function is cut, and of each part: compilers of drivers take more
/// than linear time. `bench_compile --large ptx spirv` without a device, `bench_first cuda` with
/// one; docs/log/2026-11-23.md has what it costs and saves. Best code for PTX is made in the
/// background, and calls cost a straight hash its registers: more is left whole there, and for
/// Vulkan what was written out for registers (spirv_unrolled_for_registers).
inline constexpr std::size_t largest_function = 2000, largest_spirv_function = 6000,
                             largest_ptx_function = 16000, outlined_part = 500;
static_assert(outlined_part < largest_function && largest_function < largest_spirv_function &&
              // a part also ends, by an operation more
              largest_spirv_function < largest_ptx_function);
/// Instructions of a body that handles four elements per thread. Black-Scholes, some 200 with its
/// functions expanded, still gains on an H200: 2.53 ms become 2.16; a kernel of ten functions,
/// above the limit, would take twice as long to compile. `bench_gpu`.
inline constexpr std::size_t largest_wide_body = 400;
/// Trips of an inner loop that are taken at once, and instructions of all their bodies together at
/// most; a loop of known trips goes altogether within the second limit. Four loads under way hide
/// most of a cache's latency; nvcc, too, writes out seven trips of 30 instructions. `bench_corpus
/// --device cuda:0` (matrix products, rows by warp, filters).
inline constexpr unsigned unrolled_trips = 4;
inline constexpr std::size_t unrolled_body = 160, unrolled_whole = 320;
/// Instructions of a function whose loops of few trips are written out to make known places of all
/// accesses to a local array, which then lives in registers; trips of such a loop; and bytes of
/// such an array: a thread has 255 registers of four bytes. `bench_corpus` (SHA-256, binomial
/// trees, small matrices). Vulkan's drivers compile at the first launch, with nothing to run until
/// then: half is the most they get.
inline constexpr std::size_t unrolled_for_registers = 12000, spirv_unrolled_for_registers = 6000,
                             most_bounded_trips = 128, largest_array_in_registers = 512;
/// Instructions of all steps of a loop with barriers, known from constants, that are written out:
/// the ten steps of a block of 1,024 threads, of 40 each. More is code that is read once.
/// `bench_corpus --device cuda:0 --filter scan`.
inline constexpr std::size_t largest_steps = 400;
/// Values that a branch may choose without computing much, to become selects for PTX: ptxas puts a
/// short body under a predicate, so that each select is issued whether the branch is taken or not,
/// and jumps over one with a branch in it. `bench_corpus --device cuda:0 --filter nearest`; the
/// other 71 kernels stay as they are.
inline constexpr std::size_t most_chosen = 2;
/// Rounds in which arithmetic of addresses moves before branches that share it: an address is a
/// chain of an extension, products and sums, each of which follows the one before. Blocks of a
/// function above which it stays: dominators are deep there, and time would grow with the square.
/// `bench_corpus --device cuda:0 --filter dilation` for the rounds, `bench_compile --large ptx` for
/// the blocks.
inline constexpr unsigned shared_rounds = 8, most_shared_blocks = 2048;

/// Values that are loaded before an operation that becomes branches, for use behind it, each in a
/// register of its own; and operations that compute the index of such a load. Four elements of four
/// numbers, as one thread takes them; more would cost blocks on a multiprocessor, whose threads
/// have 32 registers where all run. `bench_corpus --device cuda:0 --filter "nn distances"`.
inline constexpr unsigned values_loaded_first = 16;
inline constexpr std::size_t steps_to_an_index = 8;

}  // namespace krait::tuning::gpu
