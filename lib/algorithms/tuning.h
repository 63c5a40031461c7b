// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the choices of the algorithms were measured to be, in one place, as
// lib/support/tuning/cpu.h: each constant with its unit, its reason, and the command that measures
// it again. tools/sweep.py builds and runs a command for several values of one:
//   tools/sweep.py algorithms.scan_items 2 4 8 -- build/bin/bench_algorithms cpu --cpu-time
// What a device tells by itself is asked from it. Constants that cut a sum of floats into parts are
// the same for all devices of a kind, so that their results are.
#pragma once

#include <cstdint>

#include "algorithms/tensor_form.h"

namespace krait::host {

// ---- every algorithm ------------------------------------------------------------------------
/// Chunks for each processor, so that one that is held up leaves the others work
/// (`bench_algorithms cpu`).
inline constexpr std::int64_t chunks_of_processor = 8;
/// Blocks that keep a GPU busy: about four for each of an H200's multiprocessors. Not asked from
/// the device, because scans of floats are cut into as many parts (`bench_algorithms cuda:0`).
inline constexpr std::int64_t busy_blocks = 512;
/// Blocks of kernels that only count, for each multiprocessor (`bench_algorithms cuda:0`).
inline constexpr std::int64_t counting_blocks = 4;
/// Multiprocessors of a GPU that does not tell: an H200's.
inline constexpr std::int64_t unknown_multiprocessors = 132;
/// Of a GPU, or unknown_multiprocessors.
std::int64_t multiprocessors_of(void* device_handle);

// ---- scans: `bench_algorithms cpu --cpu-time`, `bench_algorithms cuda:0` ----------------------
/// Threads of a block, and neighbours that each scans by itself.
inline constexpr int scan_threads = 256, scan_items = 4, scan_tile = scan_threads * scan_items;
/// Elements that make a chunk worth its launch: of a processor, and tiles of a block.
inline constexpr std::int64_t least_scan_chunk = 1 << 14, least_scan_tiles = 8;
/// Threads of a block that looks back, rounds of its warps, and bytes that a thread loads at once.
inline constexpr int look_back_threads = 256, look_back_rounds = 4, look_back_bytes = 16;

// ---- reductions: `bench_algorithms cuda:0`, `bench_algorithms cpu` ----------
/// Elements that a thread loads together, and those of a vector.
inline constexpr int reduce_unroll_bits = 3, reduce_unroll = 1 << reduce_unroll_bits;
inline constexpr int reduce_vector_bits = 2, reduce_vector = 1 << reduce_vector_bits;
/// Threads of a block at most; on a CPU one gang.
inline constexpr int reduce_block = 256, reduce_gang = 32;
/// Blocks that fill a device, a few times over: for each processor, and on a GPU, where 132
/// multiprocessors hold some thousand at once.
inline constexpr std::int64_t reduce_blocks_of_processor = 4, reduce_blocks = 4096;
/// Elements that make a lane's work worth its part of the tree: on a CPU, and unrolled loads of a
/// thread of a GPU.
inline constexpr std::int64_t least_reduce_elements = 4096, least_reduce_loads = 4;
/// Elements of a result below which a CPU's threads have results of their own.
inline constexpr std::int64_t few_reduce_elements = 64;
/// Results from which on neighbouring threads have neighbouring ones, and the most lanes of each.
inline constexpr std::int64_t least_reduce_columns = 32, most_column_lanes = 8;

// ---- sorts: `bench_algorithms cuda:0`, `bench_algorithms cpu` ----------
/// Keys of a row that a block sorts by a network, and its threads.
inline constexpr int short_row = 2048, short_threads = 256;
/// Keys of a row that a network sorts as quickly as digits do, on an H100.
inline constexpr std::int64_t network_row = 64;
/// Keys that a CPU sorts by counting, and the lanes that count.
inline constexpr int ranked_row = 128, rank_lanes = 32;
/// Threads of a block at most, of rows by digits, and keys of a thread at most: a few, or as many
/// as 48 KiB of shared memory hold. Blocks have a multiple of so many threads.
inline constexpr int digit_threads = 256, few_keys = 8, digit_threads_step = 128;
template <class Word>
inline constexpr int many_keys = sizeof(Word) == 8 ? 14 : 20;
/// Keys that one thread sorts by insertion as quickly as by digits.
inline constexpr int inserted_row = 32;
/// Threads of a block that sweeps. Keys that each takes, and blocks that a multiprocessor is to
/// hold: the quickest for 2^24 keys on an H100, where 16 to 32 keys and 2 to 4 blocks differ by a
/// fifth.
inline constexpr int sweep_block = 256;
template <class Word, bool Pairs>
inline constexpr int sweep_items = sizeof(Word) == 8 ? 16
                                   : Pairs           ? 32
                                                     : 20;
template <class Word, bool Pairs>
inline constexpr unsigned sweep_blocks = Pairs ? 2 : 3;
/// Keys that a thread counts at least.
inline constexpr std::int64_t least_sweep_keys = 4;
/// Bits of a digit of blocks without warps of 32, their threads, and keys of a thread; tiles that a
/// block has at least.
inline constexpr int block_bits = 4, block_threads = 128, block_items = 8, least_block_tiles = 2;
/// Keys of a processor's chunk at least.
inline constexpr std::int64_t least_sort_chunk = 4096;
/// Bytes of the last cache that a program may count on: more are written past it.
inline constexpr std::int64_t usual_cache = 8 << 20;
/// Bytes of a line of a CPU's cache: keys of a digit wait until one is complete.
inline constexpr int cache_line = 64;
/// Keys of a segment, on average, below which a GPU sorts all keys at once; keys of one from which
/// on all of a CPU's threads sort it.
inline constexpr std::int64_t least_segment = 64, least_long_segment = 1 << 15;
/// Keys of a run that a thread sorts by insertion before runs are merged: of a CPU and of a GPU;
/// threads of a GPU's block, and neighbours that each merges.
inline constexpr std::int64_t merge_run = 32, short_merge_run = 8, merge_threads = 128,
                              merge_part = 8;
/// Elements that a CPU's thread merges at least.
inline constexpr std::int64_t least_merge_part = 1024;

// ---- the first k: `bench_algorithms cuda:0`, `bench_algorithms cpu` ---
/// Bits of a digit, and threads of a block.
inline constexpr int select_bits = 11, select_threads = 256;
/// Blocks at most, and elements that a thread has at least.
inline constexpr std::int64_t select_blocks = 1024, least_selected = 16;
/// Elements of a row from which on the first k are selected before they are sorted, and the part of
/// the row, one by so many, that k is at most.
inline constexpr std::int64_t least_selected_row = 1 << 15, least_selected_part = 16;
/// Elements for one of the sample.
inline constexpr std::int64_t sample_step = 1024;

// ---- histograms and masks: `bench_algorithms cpu`, `bench_algorithms cuda:0` -------------
/// Threads of a block, bins that a block counts by itself (16 KiB of shared memory), and elements
/// that a thread has at least.
inline constexpr int histogram_threads = 256;
inline constexpr std::int64_t histogram_shared = 4096, least_counted = 16;
/// Elements of a mask that a thread looks through.
inline constexpr std::int64_t masked_elements = 1024;
/// Elements after which a CPU's thread that moves chosen ones asks whether it is done. With 1 2^20
/// floats took 1.0 ms instead of 0.84 (AVX2; kr::copy_if of 30 %).
inline constexpr int taken_together = 8;

// ---- Fourier transforms: `bench_fft cpu --cpu-time`, `bench_fft cuda:0` -------------------------
/// Rows from which on a plan is one of many: a block may have several.
inline constexpr std::int64_t fft_rows_at_once = 16;
/// Threads of a block of a CPU: as many as a vector has lanes of f32, none of them masked. Twice as
/// many: calls of 1,024 points take 1.7 times as long with AVX-512, 1.4 with AVX2.
inline constexpr int fft_wide_gang = 16, fft_gang = 8;
/// Threads of a block of a GPU: one warp, and at most.
inline constexpr int fft_least_threads = 32, fft_most_threads = 512;
/// Blocks of a pass below which they have fewer columns than a line. An H200, 65,536 points in 16,
/// 64 and more blocks: 0.0108, 0.0086 and 0.0085 ms; 2^20 in 128, 256 and more: 0.0175 and 0.0182.
inline constexpr std::int64_t fft_least_blocks = 64;
/// Points of a step that a thread of a GPU transforms in registers.
inline constexpr int fft_most_radix = 16;
/// Bytes of a block's elements, which it keeps twice: in a core's second cache, or in the shared
/// memory of blocks without warps of 32, of GPUs before sm_80, which may give a block 48 KiB alone,
/// and of the others, which give 99 KiB and more.
inline constexpr std::int64_t fft_cpu_bytes = 1 << 18, fft_block_bytes = 1 << 14,
                              fft_small_warp_bytes = 1 << 15, fft_warp_bytes = 1 << 16;
/// Bytes of a line of a GPU's memory, which a block's columns are at most, and of the least part of
/// it that is read by itself; columns of blocks without warps.
inline constexpr std::int64_t fft_line = 128, fft_sector = 32, fft_block_columns = 8;
/// Bytes of a line of a processor's memory, and of a block of columns that it transforms where they
/// lie, kept twice: half a core's second cache.
inline constexpr std::int64_t fft_cpu_line = 64, fft_cpu_across_bytes = 1 << 19;
/// Points of a row up to which a block has several: one of them keeps too few threads busy.
inline constexpr std::int64_t fft_cpu_short_row = 128, fft_short_row = 255;
/// Points that are straight code of one thread.
inline constexpr std::int64_t fft_straight = 16;
/// Words between columns beyond their lengths, so that they do not meet in few sets of a cache, or
/// banks of shared memory: of a CPU, and the banks of a GPU.
inline constexpr std::int64_t fft_cpu_apart = 16, fft_banks = 32;
/// Roots of unity that a kernel has in one table; more are products of two.
inline constexpr std::int64_t fft_one_table = 4096;
/// A processor's second cache: the bytes of a way, and how many. Rows of fewer elements than
/// `fft_least_meeting` stay in it anyway, as do results whose rows are no multiples of
/// `fft_page` bytes apart. Columns of 1,024 x 256, 1,024 x 1,024 and 4,096 x 256 elements take
/// 2.7, 13.5 and 14.6 ms as complex<double> where they lie, 1.4, 10.4 and 7.5 copied; of
/// complex<float> 1.3, 10.7 and 10.4, copied 0.6, 3.8 and 3.8. Columns of 1,024 x 1,000 take 6.9,
/// copied 9.4. Zen 4, one thread.
inline constexpr std::int64_t fft_cache_way = 1 << 17, fft_cache_ways = 8, fft_page = 4096,
                              fft_least_meeting = 1024;
/// Threads of a block of kernels for rows.
inline constexpr std::int64_t fft_row_threads = 256;
/// Lengths whose tables stay in a device's memory: as many as CuPy keeps plans.
inline constexpr std::size_t fft_kept_lengths = 16;

// ---- products of matrices: `bench_matmul cpu`, `bench_matmul cuda:0` -------------------------
/// Of smaller matrices tiles and panels would be empty for the most part: they are reductions.
inline constexpr std::int64_t least_side = 8, least_depth = 4;

// ---- products on a CPU: `bench_matmul cpu` ---------------------------------------------------
/// Columns of a panel, and threads of a block: two vectors of f32 with AVX-512.
inline constexpr int panel_width = 32;
/// Rows of a column that a thread has: with 6 the sums of two vectors of threads stay in 12
/// registers. Doubles have 4 without AVX-512: 3 took twice the time, and 6 and 8 are in between
/// (`bench_matmul cpu`).
inline int panel_rows(scalar word, bool wide) {
  return bytes_of(word) < 8 || (wide && word == scalar::f64) ? 6 : 4;
}
/// Words of a row that are side by side in a panel of rows; the words of the next row follow. A
/// block's threads write them together.
inline constexpr std::int64_t panel_chunk = panel_width;
/// Bytes of a panel of columns that are multiplied before the next, and the most bytes of panels of
/// rows that a block has. Both stay in a core's second-level cache, where the next block finds the
/// rows. Panels for the first-level cache would store and load the sums more often. With 32 KiB a
/// product of 1,024 x 1,024 x 1,024 takes a quarter longer (f32, Zen 5; `bench_matmul cpu`).
inline constexpr std::int64_t panel_bytes = 128 << 10, panel_group_bytes = 960 << 10;

/// Bytes of a right matrix that a core's first cache keeps beside rows of the left one: these are
/// multiplied where they lie. Packed, products of 16 and 32 take two times as long (f32, f64,
/// Emerald Rapids).
inline constexpr std::int64_t direct_bytes = 32 << 10;
/// Words along the depth of a tile register, and rows of one; a block multiplies two registers of
/// rows at once, or one where there are no more.
inline constexpr int tile_words = 16, tile_register_rows = 16;
inline int tile_rows(std::int64_t m) {
  return m <= tile_register_rows ? tile_register_rows : 2 * tile_register_rows;
}

// ---- products on GPUs without tensor cores: `bench_matmul cuda:0` -----------------------------
/// Threads of a block: those of a square of 16, so that a multiprocessor of 64 Ki registers holds
/// two blocks whose threads have 8 by 8 sums.
inline constexpr int tile_side = 16, tile_threads = tile_side * tile_side;
/// Rows of tiles whose blocks run one after the other, column by column, so that their input is in
/// the cache. 4 to 16 are equal on an H100, and 1 is a tenth slower at 4,096 x 4,096 x 4,096
/// (`bench_matmul cuda:0`).
inline constexpr int tile_group = 8;
/// Blocks that fill a large GPU: results with fewer take smaller tiles (`bench_matmul cuda:0`).
inline constexpr std::int64_t blocks_that_fill = 128;
/// Sums of a thread in a row and a column, and elements of a row in shared memory, for results that
/// do not fill a GPU (`bench_matmul cuda:0`).
inline constexpr int small_tile_own = 4, small_tile_depth = 16;
/// Elements of a thread of kernels that copy, and that add up parts (`bench_matmul cuda:0`).
inline constexpr std::int64_t copied_elements = 4, summed_elements = 2;

// ---- products by tensor cores ---------------------------------------------------------------
/// The forms, with their times on an H100 (`bench_forms cuda:0`; those of f64 on an H200, from the
/// sizes of `bench_matmul cuda:0`, by which they were chosen, too). A step
/// is a strip of k for every type, and takes the same time, except for f64: there two blocks of 32
/// x 64 sums a warp are the fastest (H200, 4,096 x 4,096 x 4,096, TFLOP/s: 50.6; 64 x 64 49.6, 64 x
/// 128 47.1, 128 x 128 by 256 threads 42.7; cuBLAS 62).
inline constexpr TensorForm tensor_forms_64[] = {{128, 64, 128, 4, {2, 0.66, 1.02, 3}},
                                                 {64, 64, 128, 4, {3, 0.33, 0.87, 2.1}}};
/// The last two are for the 48 KiB of Vulkan on NVIDIA and for factors of 16 bits, and slower than
/// the others where these fit, but for depths of one step (H200: 20 instead of 27 us for 4,096 x
/// 4,096 x 64), which is not told here.
inline constexpr TensorForm tensor_forms_16[] = {
    {128, 256, 256, 4, {1, 0.65, 0.65, 4.6}},  {128, 128, 256, 6, {1, 0.37, 0.37, 3.5}},
    {64, 128, 128, 8, {1, 0.265, 0.265, 2.5}}, {64, 64, 128, 4, {3, 0.17, 0.3, 2.1}},
    {128, 128, 128, 1, {2, 0.9, 1.4, 5.5}},    {64, 64, 128, 1, {4, 0.35, 1.0, 4}}};
/// Those that all factors but those of 64 bits have.
inline constexpr std::size_t tensor_forms_of_strips = 4;
/// The least of those that make tensor cores worth it where a block has little shared memory.
inline constexpr const TensorForm &least_form_16 = tensor_forms_16[4],
                                  &least_form_of_strips = tensor_forms_16[3];
/// Steps that hide what a block costs: a part of the depth has as many (`bench_forms cuda:0`).
inline constexpr std::int64_t least_steps_of_part = 16;
/// Microseconds that a second kernel costs: 4, of which 1.3 go where it begins while the first ends
/// (the median of 29 cases of `bench_forms cuda:0` on an H200); and the share of the memory's
/// bandwidth at which it reads sums that the first has just written, 2 of an H200's 4.8 TB/s.
inline constexpr double second_kernel = 2.7, read_share = 2 / 4.8;
/// Of a device that does not tell: what read_share leaves of an H200's bandwidth, in bytes.
inline constexpr double unknown_bytes_per_microsecond = 2e6;
/// Steps in which a bandwidth is known, in bytes per microsecond: clocks of devices of one kind
/// differ by more than predictions are close.
inline constexpr double bandwidth_step = 1e5;
/// The share of the best time that a larger form may take more: it copies least (`bench_forms`).
inline constexpr double nearly_equal = 0.97;

}  // namespace krait::host
