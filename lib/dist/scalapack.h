// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ScaLAPACK and the BLACS below it, without headers: the functions that we need, as data. Matrices
// lie in Fortran order on each process, in blocks that a grid of processes takes in turn.
#pragma once

#include <cstddef>
#include <string>

#include "krait/algorithm/detail/linalg_calls.h"

namespace krait::dist {

/// What Fortran calls by address.
using Int = const int*;

// One row a function: result, name here, symbol in the library, parameters.
#define KRAIT_SCALAPACK_FUNCTIONS(X)                                                         \
  X(void, process_info, "Cblacs_pinfo", (int* process, int* count))                          \
  X(void, system_context, "Cblacs_get", (int context, int what, int* value))                 \
  X(void, grid_begin, "Cblacs_gridinit", (int* context, char* order, int rows, int columns)) \
  X(void, grid_end, "Cblacs_gridexit", (int context))                                        \
  X(int, local_count, "numroc_", (Int count, Int block, Int place, Int first, Int places))   \
  X(void, describe, "descinit_",                                                             \
    (int* descriptor, Int rows, Int columns, Int row_block, Int column_block, Int first_row, \
     Int first_column, Int context, Int stride, int* info))

using SolveFunction = void(Int n, Int columns, void* a, Int row, Int column, Int of_a, int* pivots,
                           void* b, Int b_row, Int b_column, Int of_b, int* info);

/// p?syevd and p?heevd. Fortran gets the lengths of texts behind all parameters.
using EigenFunction = void(const char* job, const char* triangle, Int n, void* a, Int a_row,
                           Int a_column, Int of_a, void* values, void* vectors, Int row, Int column,
                           Int of_vectors, void* work, Int words, int* integer_work, Int integers,
                           int* info, std::size_t, std::size_t);
using ComplexEigenFunction = void(const char* job, const char* triangle, Int n, void* a, Int a_row,
                                  Int a_column, Int of_a, void* values, void* vectors, Int row,
                                  Int column, Int of_vectors, void* work, Int words,
                                  void* real_work, Int reals, int* integer_work, Int integers,
                                  int* info, std::size_t, std::size_t);

struct ScalapackTable {
#define X(result, name, symbol, parameters) result(*name) parameters = nullptr;
  KRAIT_SCALAPACK_FUNCTIONS(X)
#undef X
  SolveFunction* solve[4]{};  // by linalg_number
  EigenFunction* eigen[2]{};  // of float, double
  ComplexEigenFunction* complex_eigen[2]{};
  std::string file;
};

/// The library of KRAIT_SCALAPACK, or that of Debian for the MPI of this process; null: `why` tells
/// it. Ranks of an MPI have opened that before.
const ScalapackTable* scalapack_table(std::string& why);

}  // namespace krait::dist
