// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What products of sparse matrices were measured to want, as algorithms/tuning.h.
#pragma once

#include "algorithms/sparse/parts.h"
#include "algorithms/tuning.h"

namespace krait::host {

// ---- sparse matrices: `bench_sparse cuda:0`, `bench_sparse cpu --cpu-time`
// ------------------------
/// Products with vectors. A part has room for a multiple of threads * loads elements. On an H200
/// tiles of 2,048 elements took a banded matrix 0.091 ms, of 4,096 0.075; those of 8,192 f64 do not
/// fit 48 KiB.
inline constexpr SparseForm sparse_cuda_form{256, 4096, 256, 0, 8, 4, true};
/// Of a matrix whose longest row is `uneven_rows` times the mean: a warp adds up rows of more than
/// 32 elements. Rows by Pareto's law took 0.175 ms in tiles of 4,096 without that, 0.167 so.
inline constexpr SparseForm sparse_uneven_form{256, 2048, 2048, 32, 8, 1, true};
inline constexpr std::int64_t uneven_rows = 16;
/// Devices other than CUDA may have 16 KiB of shared memory alone.
inline constexpr SparseForm sparse_gpu_form{256, 1024, 256, 0, 4, 4, true};
/// A block is a vector of a processor. With 256 threads, uniform rows took 3.0 ms instead of 2.1.
inline constexpr SparseForm sparse_cpu_form{16, 1024, 256, 0, 1, 1, false};
/// Elements of a part where a matrix has few, those of a part of a long row, and rows of a part at
/// most.
inline constexpr std::int64_t least_sparse_tile = 256, sparse_row_part = 8192,
                              most_sparse_rows = 1024;
/// 2^n threads add up a row at most; sums that one thread adds up at the end.
inline constexpr std::int64_t most_sparse_lanes = 4, sparse_joined = 16;
/// Slots of a row that a thread loads together, a power of two. 4, 8 and 16 took a banded matrix
/// 58.6, 58.4 and 58.0 µs.
inline constexpr int sparse_slot_loads = 16;

/// Products with matrices: threads of a block, and those with neighbouring columns at most; columns
/// of a thread, and rows of a block of the matrix that it adds up at once.
inline constexpr std::int64_t dense_threads = 256, most_dense_lanes = 32, most_dense_columns = 4,
                              most_dense_rows = 8;
/// Elements that a thread loads together, and columns of a block that are straight code.
inline constexpr int dense_loads = 4;
inline constexpr std::int64_t unrolled_block = 8;
/// Elements of a row of an uneven matrix above which all threads add it up: 64, 128 and 256 took
/// 0.77, 0.84 and 0.95 ms.
inline constexpr std::int64_t dense_alone = 64;

}  // namespace krait::host
