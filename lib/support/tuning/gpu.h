// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the GPU back ends' choices were measured to be, in one place: as tuning/cpu.h. What a device
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
/// Instructions of a body that handles four elements per thread. A body of some 200, with its
/// functions expanded, still gains a sixth on an H200; a kernel of ten functions, above the limit,
/// would take twice as long to compile. `bench_gpu`, `bench_corpus --device cuda:0`.
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
/// Loads that leave a loop, each in a register until its end: of 255 some are for the rest.
/// `bench_corpus --device vulkan:0` (responsibilities).
inline constexpr std::size_t hoisted_loads = 64;
/// Instructions of all steps of a loop with barriers, known from constants, that are written out:
/// the ten steps of a block of 1,024 threads, of 40 each. More is code that is read once.
/// `bench_corpus --device cuda:0`.
inline constexpr std::size_t largest_steps = 400;
/// Values that a branch may choose without computing much, to become selects for PTX: ptxas puts a
/// short body under a predicate, so that each select is issued whether the branch is taken or not,
/// and jumps over one with a branch in it. `bench_corpus --device cuda:0`: lists of the nearest
/// gain by it, and the others' code stays as it is.
inline constexpr std::size_t most_chosen = 2;
/// Rounds in which arithmetic of addresses moves before branches that share it: an address is a
/// chain of an extension, products and sums, each of which follows the one before. Blocks of a
/// function above which it stays: dominators are deep there, and time would grow with the square.
/// `bench_corpus --device cuda:0` for the rounds, `bench_compile --large ptx` for the blocks.
inline constexpr unsigned shared_rounds = 8, most_shared_blocks = 2048;

/// Values that are loaded before an operation that becomes branches, for use behind it, each in a
/// register of its own; and operations that compute the index of such a load. Four elements of four
/// numbers, as one thread takes them; more would cost blocks on a multiprocessor, whose threads
/// have 32 registers where all run. `bench_corpus --device cuda:0`.
inline constexpr unsigned values_loaded_first = 16;
inline constexpr std::size_t steps_to_an_index = 8;

/// Instructions of a module above which LLVM's straight-line strength reduction is left out of PTX:
/// it compares an addition with all before it that have its operand, 0.15 s for the 2,500 of
/// SHA-256 and at most 6 ms for the 166 other kernels of the corpus, whose code it makes up to a
/// quarter shorter. `bench_compile FILE.kir sm_90`, `llc -time-passes`.
inline constexpr unsigned largest_reduced_module = 2000;
/// Registers of a thread with which a multiprocessor of 65,536 is full of 2,048 threads, for
/// kernels that handle several elements per thread: they live from many warps in flight. Where the
/// driver takes up to a quarter more, it compiles once more with these (runtime/cuda/device.cpp): 4
/// % of the time of sin of f64, `bench_gpu`. Of kernels with barriers, with which two blocks of 256
/// fit beside each other, so that one runs while the other waits: `bench_matmul cuda:0`.
inline constexpr unsigned full_registers = 32, two_blocks_registers = 128;
/// Threads of a multiprocessor that have two_blocks_registers each, and bytes that a thread may
/// keep in local memory for that: left alone, ptxas gives a loop the 32 registers with which all
/// warps would run, though a launch of few threads has no more. `bench_corpus --device cuda:0`
/// (backprop, n-body, Gram-Schmidt), and programs of whole networks per thread (LSTM).
inline constexpr std::int64_t resident_threads = 65536 / two_blocks_registers;
inline constexpr int resident_spills = 64;
/// Bytes of PTX from which on a kernel is not compiled again for that: a byte takes the driver some
/// 2 µs, so that a call would wait for 30 ms more. `bench_first cuda`, `bench_compile ptx`.
inline constexpr std::size_t longest_compiled_twice = 16 << 10;
/// Bytes of page-locked memory through which a copy from or to pageable memory goes, piece by
/// piece, and pieces: one is filled while others are under way. `bench_algorithms cuda:0`.
inline constexpr std::size_t staged_bytes = 2u << 20, staged_pieces = 4;
/// Bytes of the largest block of freed memory that is kept, and of all: asking CUDA's driver for
/// one takes 0.8 µs, a quarter of a small call, and nothing beside the work on a larger one.
/// `bench_algorithms cuda:0`, `bench_launch cuda`.
inline constexpr std::size_t kept_largest = 1 << 20, kept_in_all = 64 << 20;

}  // namespace krait::tuning::gpu
