// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the choices of products of matrices were measured to be, in one place, as
// lib/support/tuning_cpu.h. What a device tells by itself is asked from it.
#pragma once

#include <cstdint>

#include "algorithms/tensor_form.h"

namespace krait::host {

/// Of smaller matrices tiles and panels would be empty for the most part: they are reductions.
inline constexpr std::int64_t least_side = 8, least_depth = 4;

// ---- products on a CPU ----------------------------------------------------------------------
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

// ---- products on GPUs without tensor cores --------------------------------------------------
/// Threads of a block in a square: 256, so that a multiprocessor of 64 Ki registers holds two
/// blocks whose threads have 8 by 8 sums.
inline constexpr int tile_side = 16;
/// Rows of tiles whose blocks run one after the other, column by column, so that their input is in
/// the cache. 4 to 16 are equal on an H100, and 1 is a tenth slower at 4,096 x 4,096 x 4,096
/// (`bench_matmul cuda:0`).
inline constexpr int tile_group = 8;
/// Blocks that fill a large GPU: results with fewer take smaller tiles (`bench_matmul cuda:0`).
inline constexpr std::int64_t blocks_that_fill = 128;
/// Sums of a thread in a row and a column, and elements of a row in shared memory, for results that
/// do not fill a GPU (`bench_matmul cuda:0`).
inline constexpr int small_tile_own = 4, small_tile_depth = 16;

// ---- products by tensor cores ---------------------------------------------------------------
/// The forms, with their times on an H100 (`bench_forms cuda:0`). A step is a strip of k for every
/// type, and takes the same time, except for f64. There the larger form has the time of a product
/// of 4096 in `bench_matmul cuda:0`. The smaller form is not measured: it has a quarter of that and
/// a seventh more.
inline constexpr TensorForm tensor_forms_64[] = {{128, 128, 256, 4, {1, 1.46, 1.46, 3.5}},
                                                 {64, 64, 128, 4, {3, 0.42, 0.5, 2.1}}};
/// The last two are for the 48 KiB of Vulkan on NVIDIA and for factors of 16 bits, and slower than
/// the others where these fit.
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
/// Microseconds that a second kernel costs, and the share of the memory's bandwidth at which it
/// reads sums that the first has just written: 2 of an H200's 4.8 TB/s (`bench_forms cuda:0`).
inline constexpr double second_kernel = 4, read_share = 2 / 4.8;
/// Of a device that does not tell: an H200's multiprocessors, and what read_share leaves of its
/// bandwidth.
inline constexpr std::int64_t unknown_multiprocessors = 132;
inline constexpr double unknown_bytes_per_microsecond = 2e6;

}  // namespace krait::host
