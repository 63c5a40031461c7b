// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the CPU back end's choices were measured to be, in one place: each constant with its unit,
// what it decides, and the command that measures it again. tools/sweep.py builds and runs a command
// for several values of one:
//   tools/sweep.py cpu.whole_limit 64 256 1024 -- build/bin/bench_corpus --class open --cpu-time
// No constant may serve one kernel: a value is kept when the corpus as a whole gains by it, so that
// each command runs a whole set. tools/naked_numbers.py holds that.
#pragma once

#include <cstddef>
#include <cstdint>

namespace krait::tuning::cpu {

// --- How often a body is lowered. A copy takes as long to compile as the rest: `bench_compile cpu`
// beside the speeds.

/// Instructions of a body up to which AVX-512 code has a copy for whole gangs beside the one under
/// a mask, and below which all code has. Masks cost AVX-512 little; with AVX2 exp·sin + log took a
/// third longer, although only its store was masked. `bench_cpu`.
inline constexpr unsigned split_limit = 160;
/// Sums of 64 bits that a loop carries in place of indices of 32, at most: half of the registers.
/// `bench_corpus --cpu-time`.
inline constexpr std::size_t widened_sums = 8;
/// Instructions of an `if` that has a copy without masks: what a stencil of 50 taps has.
/// `bench_corpus --class open --cpu-time`.
inline constexpr std::size_t whole_limit = 256;
/// Instructions of a loop's body that has a copy for gangs whose lanes all make the trip.
/// `bench_corpus --class open --cpu-time`.
inline constexpr std::size_t twice_limit = 256;
/// Operations from which on a function is cut, and of each part: an operation is several
/// instructions, and most kernels are lowered twice. `bench_compile --large cpu`.
inline constexpr std::size_t largest_function = 500, outlined_part = 400;
static_assert(outlined_part < largest_function);  // a part also ends, by an operation more
/// Vector operations from which on what goes lane by lane is a loop, and not every lane's own code,
/// and quick code has no copies without masks. `bench_compile cpu`.
inline constexpr std::size_t large = 600;
/// Instructions of a loop's body whose rows are unrolled; they are there as often as a piece has
/// elements. `bench_compile cpu`.
inline constexpr std::size_t largest_row_body = 48;
/// Instructions of all steps of a loop with barriers, known from constants, that are written out: a
/// block of 1,024 threads, the largest, halves ten times, and a step has some 40 instructions. 200
/// and 1,600 make no difference (Zen 3); without it scans take a quarter more. `bench_corpus
/// --class open --cpu-time`; more is compiled for nothing: `bench_compile cpu`.
inline constexpr std::size_t largest_steps = 400;

// --- Vectors per gang. All by `bench_corpus --class open --cpu-time` and `bench_cpu`, forced by
// KRAIT_CPU=parts=N.

/// Where nothing speaks for another number.
inline constexpr unsigned usual_parts = 2;
/// Where a loop's trips wait for elements from places that data say, and carry no more vectors than
/// so many.
inline constexpr unsigned parts_that_wait = 4, carried_while_waiting = 3;
/// Threads that a gang of scalars has, of kernels with atomics that go lane by lane: a core has so
/// many updates under way; with two, counts take 15 % more, with eight as much.
inline constexpr unsigned scalars = 4;
/// A body of so many instructions whose longest chain is no longer than so many cycles keeps a core
/// busy with one part: half of the window of 256 to 512 instructions that it looks ahead; a second
/// part would only double what is compiled. Bodies of 287 instructions with a chain of 85 cycles
/// are as fast with one part on a Xeon with AVX-512, and those of 311 with one of 222 take 22 %
/// longer.
inline constexpr unsigned costly_body = 160, short_chain = 128;
/// Vector operations that a core begins in a cycle: Zen 3 and 4 and Xeons have two ports for most.
inline constexpr double ports = 2;
/// Threads: a larger gang wastes too many lanes at the ends of rows.
inline constexpr unsigned largest_gang = 64;
/// The same of kernels with barriers: a sum over the block by halves has a step for each of the
/// first gang's threads in one and the same gang, each of which waits for the last one's store.
/// Norms of rows take up to half as long with 32 as with 64 (AVX-512).
inline constexpr unsigned largest_gang_at_barriers = 32;
/// Vector registers beside those of the parts: what all parts share, and what a part needs for a
/// moment.
inline constexpr unsigned shared_registers = 4;
/// Parts of a block that is one gang: what is more lives in memory anyway. `bench_shapes`.
inline constexpr unsigned most_parts = 16;
/// Times the registers that loops may carry where a gang is the whole block; others go through a
/// block with barriers gang by gang: of threads that carry 8 and 16 sums, a block in one gang of
/// 128 and 256 threads took 6 and 15 times as long. `bench_matmul cpu`.
inline constexpr unsigned carried_in_memory = 1;

// --- Order and memory.

/// Operations from which on straight code is put into a processor's order (a core looks ahead over
/// less by itself), how many of them are looked through for the next, and values that may wait at a
/// time: there are 16 or 32 registers for two parts of each, and some are better spilled than
/// waited for. A body of 300 operations on Zen 3, cycles for 8 elements: 61.3 as it came; with 8
/// values 60.1, 12 58.0, 16 57.1, 20 59.5; windows of 64 to 192 differ by less than 1 %.
/// `bench_cpu`, `bench_corpus --class open --cpu-time`.
inline constexpr std::size_t scheduled = 64, schedule_window = 128;
inline constexpr int most_waiting = 16;
/// Trips behind one barrier, of bodies of so many instructions at most: four loads are under way
/// then, and a sum by blocks takes a quarter less; with eight no less. `bench_corpus --class open
/// --cpu-time`.
inline constexpr unsigned trips_at_once = 4, short_body = 16;
/// How many trips ahead the loads of such a loop fetch, to the second cache: memory takes longer
/// than a trip of a block, whose next ones lie where no hardware looks ahead. Sums by blocks on Zen
/// 4, ratio to g++: to the first cache, which has too few buffers for what is under way, 0.31 to
/// 0.37 with 1, 0.33 with 8; to the second one 0.41 to 0.53 with 6, 0.41 to 0.56 with 8, 0.41 to
/// 0.60 with 12 and 16. `bench_corpus --class open --cpu-time`.
inline constexpr std::uint16_t trips_ahead = 8;

/// Bytes of a thread's own array, of all lanes of a gang together, that lies on the stack, where
/// the first cache keeps it; larger ones lie in the worker's scratch memory, as a stack may end.
/// `bench_corpus --class open --cpu-time`.
inline constexpr std::uint64_t stack_limit = 16 << 10;
/// Vectors of constants that stay in registers, of 32 registers (AVX-512) and of 16: what is left
/// holds the values of two parts. `bench_cpu`, `bench_corpus --class open --cpu-time`.
inline constexpr unsigned constants_of_32 = 12, constants_of_16 = 4;
/// Bytes of an aggregate whose members are found in a whole row of elements; of larger ones a
/// member lies in ever more registers of the row. `bench_corpus --cpu-time`.
inline constexpr unsigned largest_in_rows = 16;

// --- Launches.

/// Instructions of a launch, estimated, that stays on the caller: a sleeping worker takes about 60
/// µs to wake. `bench_launch cpu`.
inline constexpr double small_launch = 60e3;
/// Instructions of a chunk, estimated: long against taking it; and the most chunks per worker,
/// which even out rows of different cost. `bench_cpu`.
inline constexpr double chunk_work = 100e3;
inline constexpr std::int64_t chunks_a_thread = 16;
/// Trips that a loop counts as where few blocks share out an array (others count as 16): a launch
/// of more than one block is never small then, even if a block is one gang: a sum of 2^24 numbers
/// by a block for each worker ran on the caller alone. `bench_cpu`, `bench_algorithms cpu`.
inline constexpr unsigned trips_of_few_blocks = 4096;
/// Rounds that a worker waits for the last chunk of another before it sleeps: about 20 µs.
/// `bench_launch cpu`.
inline constexpr int spins = 2000;

/// Of loops that wait for what others write: trips before they give the core away, nanoseconds
/// before they look whether all of a launch wait, and seconds before it is given up then: what a
/// user waits for a message. `bench_algorithms cpu` (scans, whose blocks wait for each other).
inline constexpr std::uint32_t polls_before_waiting = 64;
inline constexpr std::int64_t looks_after = 100'000;
inline constexpr double patience = 5;
/// Bytes of a worker's private copies of arrays of atomics together: with what a kernel reads they
/// should stay in the second cache of a core, which has 512 KiB to 2 MiB; updates that miss it cost
/// what a locked instruction does. (65,536 counts of 4 bytes are still updated 2.5 to 7 times as
/// fast.) `bench_corpus --cpu-time`, `bench_algorithms cpu`.
inline constexpr std::int64_t most_copied_bytes = 256 << 10;
/// Updates per element and worker from which on there are such copies, one per thread taken for
/// granted. A copy costs a store and a load of each element, and a locked instruction for each that
/// was updated; a launch that has so many threads saves several times as many. With just four,
/// counting takes half of its time in place, whether there are 256 counts (1.3 µs, 2.3), 4,096 (19,
/// 36) or 65,536 (0.4 ms, 0.9); a launch with fewer threads has little to gain. Zen 4, one thread.
/// `bench_corpus --cpu-time`, `bench_algorithms cpu`.
inline constexpr double updates_an_element = 4;

// --- Memory of freed arrays that is kept. By the rows `new array, add f32` of `bench_algorithms
// cpu`.

/// Bytes of a block from which on it is kept: smaller ones are the allocator's own.
inline constexpr std::size_t kept_least = 65536;
/// Bytes of the largest block, and of all together: what a program may be without. The system maps
/// a page in a quarter of a microsecond: a sum of two arrays into a new one of 64 MiB takes 22 ms
/// where it has to, and 7 where not.
inline constexpr std::size_t kept_most = 134217728, kept_in_all = 268435456;
static_assert(kept_most <= kept_in_all);

}  // namespace krait::tuning::cpu
