// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPI without mpi.h: the functions that the engine needs, and the constants of each ABI, as data.
// Handles are 64-bit words; where an MPI has 32-bit ones it reads and writes the lower half.
#pragma once

#include <cstdint>
#include <string>

namespace krait::dist {

using Word = std::uintptr_t;

struct MpiTable {
  const char* abi;          // "Open MPI", "MPICH", "MPI-5" or "krait mpi build"
  const char* prefix = "";  // of the functions' names
  std::string file;
  // Constants.
  Word world, byte, errors_return;
  int any_source, thread_serialized;
  bool has_files = false;  // those below, which other ABIs have elsewhere
  Word self = 0, no_info = 0;
  int order_c = 0, read_only = 2, write_only = 4;
  // Functions.
  int (*initialized)(int*);
  int (*finalized)(int*);
  int (*init_thread)(int*, char***, int, int*);
  int (*finalize)();
  int (*abort)(Word, int);
  int (*comm_dup)(Word, Word*);
  int (*comm_free)(Word*);
  int (*comm_rank)(Word, int*);
  int (*comm_size)(Word, int*);
  int (*comm_set_errhandler)(Word, Word);
  int (*error_string)(int, char*, int*);
  int (*isend)(const void*, int, Word, int, int, Word, Word*);
  int (*irecv)(void*, int, Word, int, int, Word, Word*);
  int (*iallgather)(const void*, int, Word, void*, int, Word, Word, Word*);
  int (*ibarrier)(Word, Word*);
  int (*test)(Word*, int*, void*);
  int (*cancel)(Word*);
  int (*request_free)(Word*);
  int (*file_open)(Word, const char*, int, Word, Word*);
  int (*file_set_view)(Word, std::int64_t, Word, Word, const char*, Word);
  int (*file_read)(Word, void*, int, Word, void*);
  int (*file_write)(Word, const void*, int, Word, void*);
  int (*file_sync)(Word);
  int (*file_close)(Word*);
  int (*type_subarray)(int, const int*, const int*, const int*, int, Word, Word*);
  int (*type_commit)(Word*);
  int (*type_free)(Word*);
  int (*cuda_support)() = nullptr;  // MPIX_Query_cuda_support; null: the MPI does not say
};

/// The table of the MPI that this process has, that KRAIT_MPI names, or that belongs to the
/// launcher; null where there was no launcher and is no MPI. Throws error{device} where it is
/// missing, or of an ABI that is not known.
const MpiTable* mpi_table();

/// Whether this process has a library of that kind of MPI.
bool has_open_mpi();
bool has_mpich();

/// The number of ranks that the launcher's variable names, and that variable; 0 without one.
int launched_ranks(const char*& variable);
/// The number of this process among them; 0 where no launcher says it.
int launched_rank();

}  // namespace krait::dist
