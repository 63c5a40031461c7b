// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Krait's view of an MPI whose ABI Krait does not know, compiled with that MPI's own mpi.h:
// handles are 64-bit words, constants are data. `krait mpi build` makes a library of it, and
// KRAIT_MPI names that (lib/dist/mpi_table.cpp).
#define OMPI_SKIP_MPICXX 1  // the C++ bindings of MPI 2
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>
#include <cstring>

namespace {

using Word = std::uintptr_t;

template <class Handle>
Word word_of(Handle h) {
  static_assert(sizeof h <= sizeof(Word));
  Word w = 0;
  std::memcpy(&w, &h, sizeof h);
  return w;
}
template <class Handle>
Handle as(Word w) {
  Handle h;
  std::memcpy(&h, &w, sizeof h);
  return h;
}
/// Calls what changes a handle.
template <class Handle, class Call>
int changed(Word* w, const Call& call) {
  Handle h = as<Handle>(*w);
  const int code = call(&h);
  *w = word_of(h);
  return code;
}

}  // namespace

#define SHIM extern "C" __attribute__((visibility("default")))

SHIM void krait_mpi_constants(Word* words, int* numbers) {
  const Word w[] = {word_of(MPI_COMM_WORLD), word_of(MPI_BYTE), word_of(MPI_ERRORS_RETURN),
                    word_of(MPI_COMM_SELF), word_of(MPI_INFO_NULL)};
  const int n[] = {MPI_ANY_SOURCE, MPI_THREAD_SERIALIZED, MPI_ORDER_C, MPI_MODE_RDONLY,
                   MPI_MODE_WRONLY};
  std::memcpy(words, w, sizeof w);
  std::memcpy(numbers, n, sizeof n);
}

SHIM int krait_MPI_Initialized(int* on) { return MPI_Initialized(on); }
SHIM int krait_MPI_Finalized(int* over) { return MPI_Finalized(over); }
SHIM int krait_MPI_Init_thread(int* argc, char*** argv, int wanted, int* level) {
  return MPI_Init_thread(argc, argv, wanted, level);
}
SHIM int krait_MPI_Finalize() { return MPI_Finalize(); }
SHIM int krait_MPI_Abort(Word comm, int code) { return MPI_Abort(as<MPI_Comm>(comm), code); }
SHIM int krait_MPI_Comm_dup(Word comm, Word* made) {
  return changed<MPI_Comm>(made,
                           [&](MPI_Comm* to) { return MPI_Comm_dup(as<MPI_Comm>(comm), to); });
}
SHIM int krait_MPI_Comm_free(Word* comm) {
  return changed<MPI_Comm>(comm, [](MPI_Comm* of) { return MPI_Comm_free(of); });
}
SHIM int krait_MPI_Comm_rank(Word comm, int* rank) {
  return MPI_Comm_rank(as<MPI_Comm>(comm), rank);
}
SHIM int krait_MPI_Comm_size(Word comm, int* size) {
  return MPI_Comm_size(as<MPI_Comm>(comm), size);
}
SHIM int krait_MPI_Comm_set_errhandler(Word comm, Word handler) {
  return MPI_Comm_set_errhandler(as<MPI_Comm>(comm), as<MPI_Errhandler>(handler));
}
SHIM int krait_MPI_Error_string(int code, char* text, int* length) {
  char own[MPI_MAX_ERROR_STRING] = {};
  const int status = MPI_Error_string(code, own, length);
  std::strncpy(text, own, 511);  // what Krait has room for
  return status;
}
SHIM int krait_MPI_Isend(const void* from, int count, Word type, int to, int tag, Word comm,
                         Word* request) {
  return changed<MPI_Request>(request, [&](MPI_Request* r) {
    return MPI_Isend(from, count, as<MPI_Datatype>(type), to, tag, as<MPI_Comm>(comm), r);
  });
}
SHIM int krait_MPI_Irecv(void* to, int count, Word type, int from, int tag, Word comm,
                         Word* request) {
  return changed<MPI_Request>(request, [&](MPI_Request* r) {
    return MPI_Irecv(to, count, as<MPI_Datatype>(type), from, tag, as<MPI_Comm>(comm), r);
  });
}
SHIM int krait_MPI_Iallgather(const void* mine, int count, Word type, void* all, int counts,
                              Word types, Word comm, Word* request) {
  return changed<MPI_Request>(request, [&](MPI_Request* r) {
    return MPI_Iallgather(mine, count, as<MPI_Datatype>(type), all, counts, as<MPI_Datatype>(types),
                          as<MPI_Comm>(comm), r);
  });
}
SHIM int krait_MPI_Ibarrier(Word comm, Word* request) {
  return changed<MPI_Request>(request,
                              [&](MPI_Request* r) { return MPI_Ibarrier(as<MPI_Comm>(comm), r); });
}
SHIM int krait_MPI_Test(Word* request, int* done, void*) {
  return changed<MPI_Request>(request,
                              [&](MPI_Request* r) { return MPI_Test(r, done, MPI_STATUS_IGNORE); });
}
SHIM int krait_MPI_Cancel(Word* request) {
  return changed<MPI_Request>(request, [](MPI_Request* r) { return MPI_Cancel(r); });
}
SHIM int krait_MPI_Request_free(Word* request) {
  return changed<MPI_Request>(request, [](MPI_Request* r) { return MPI_Request_free(r); });
}
SHIM int krait_MPI_File_open(Word comm, const char* path, int mode, Word info, Word* file) {
  return changed<MPI_File>(file, [&](MPI_File* f) {
    return MPI_File_open(as<MPI_Comm>(comm), path, mode, as<MPI_Info>(info), f);
  });
}
SHIM int krait_MPI_File_set_view(Word file, std::int64_t begin, Word element, Word type,
                                 const char* form, Word info) {
  return MPI_File_set_view(as<MPI_File>(file), MPI_Offset(begin), as<MPI_Datatype>(element),
                           as<MPI_Datatype>(type), form, as<MPI_Info>(info));
}
SHIM int krait_MPI_File_read(Word file, void* to, int count, Word type, void*) {
  return MPI_File_read(as<MPI_File>(file), to, count, as<MPI_Datatype>(type), MPI_STATUS_IGNORE);
}
SHIM int krait_MPI_File_write(Word file, const void* from, int count, Word type, void*) {
  return MPI_File_write(as<MPI_File>(file), from, count, as<MPI_Datatype>(type), MPI_STATUS_IGNORE);
}
SHIM int krait_MPI_File_sync(Word file) { return MPI_File_sync(as<MPI_File>(file)); }
SHIM int krait_MPI_File_close(Word* file) {
  return changed<MPI_File>(file, [](MPI_File* f) { return MPI_File_close(f); });
}
SHIM int krait_MPI_Type_create_subarray(int rank, const int* extents, const int* counts,
                                        const int* firsts, int order, Word element, Word* type) {
  return changed<MPI_Datatype>(type, [&](MPI_Datatype* t) {
    return MPI_Type_create_subarray(rank, extents, counts, firsts, order, as<MPI_Datatype>(element),
                                    t);
  });
}
SHIM int krait_MPI_Type_commit(Word* type) {
  return changed<MPI_Datatype>(type, [](MPI_Datatype* t) { return MPI_Type_commit(t); });
}
SHIM int krait_MPI_Type_free(Word* type) {
  return changed<MPI_Datatype>(type, [](MPI_Datatype* t) { return MPI_Type_free(t); });
}
