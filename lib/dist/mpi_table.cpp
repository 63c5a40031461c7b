// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dist/mpi_table.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "support/environment.h"
#include "support/error.h"
#include "support/places.h"

namespace krait::dist {
namespace {

constexpr const char *open_mpi = "libmpi.so.40", *mpich = "libmpich.so.12",
                     *mpich_upstream = "libmpi.so.12", *standard = "libmpi_abi.so.0";

struct Launcher {
  const char *variable, *rank;  // of the number of ranks, and of this one's number
  std::vector<const char*> libraries;
};
/// The first whose variable is set. SLURM's is set for the processes of srun alone, not for a
/// script's own. mpirun within SLURM sets both.
const Launcher* launcher() {
  static const auto* const known = new std::vector<Launcher>{
      {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", {open_mpi, standard}},
      {"PMI_SIZE", "PMI_RANK", {mpich, mpich_upstream, standard}},
      {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", {standard, mpich_upstream, mpich, open_mpi}},
  };
  for (const Launcher& l : *known)
    if (support::environment_text(l.variable)) return &l;
  return nullptr;
}

/// What a library of `krait mpi build` has (tools/krait/mpi/shim.cpp).
constexpr const char* shim_constants = "krait_mpi_constants";

bool loaded(const char* library) {
  void* const found = dlopen(library, RTLD_NOW | RTLD_NOLOAD | RTLD_LOCAL);
  if (found) dlclose(found);
  return found;
}

/// Constants of an ABI; false where the library is of none that is known here.
bool constants(void* library, MpiTable& table) {
  using shim = void (*)(Word*, int*);
  if (const auto of = shim(dlsym(library, shim_constants)); of) {
    Word words[5];
    int numbers[5];
    of(words, numbers);
    table.abi = "krait mpi build", table.prefix = "krait_";
    table.world = words[0], table.byte = words[1], table.errors_return = words[2];
    table.self = words[3], table.no_info = words[4];
    table.any_source = numbers[0], table.thread_serialized = numbers[1];
    table.order_c = numbers[2], table.read_only = numbers[3], table.write_only = numbers[4];
    table.has_files = true;
    return true;
  }
  if (void* const world = dlsym(library, "ompi_mpi_comm_world")) {
    table.abi = "Open MPI";
    table.world = Word(world), table.byte = Word(dlsym(library, "ompi_mpi_byte"));
    table.errors_return = Word(dlsym(library, "ompi_mpi_errors_return"));
    table.any_source = -1, table.thread_serialized = 2;
    table.self = Word(dlsym(library, "ompi_mpi_comm_self"));
    table.no_info = Word(dlsym(library, "ompi_mpi_info_null"));
    table.has_files = table.self && table.no_info;
    return true;
  }
  int major = -1, minor = -1;
  using version = int (*)(int*, int*);
  if (const auto of = version(dlsym(library, "MPI_Abi_get_version")); of) of(&major, &minor);
  if (major >= 1) {  // MPI 5.0, chapter 20
    table.abi = "MPI-5";
    table.world = 0x101, table.byte = 0x247, table.errors_return = 0x143;
    table.any_source = -1, table.thread_serialized = 2048;
    return true;
  }
  if (dlsym(library, "MPIR_Dup_fn")) {  // MPICH's ABI, which Intel MPI and MVAPICH share
    table.abi = "MPICH";
    table.world = 0x44000000, table.byte = 0x4c00010d, table.errors_return = 0x54000001;
    table.any_source = -2, table.thread_serialized = 2;
    table.self = 0x44000001, table.no_info = 0x1c000000, table.order_c = 56;
    table.has_files = true;
    return true;
  }
  return false;
}

template <class Function>
void find(void* library, const char* name, Function*& into, const MpiTable& of) {
  into = reinterpret_cast<Function*>(dlsym(library, (of.prefix + std::string(name)).c_str()));
  if (!into)
    support::fail_device("kr::dist: {} has no function {}: it is not an MPI of version 3 or later",
                         of.file, name);
}

const MpiTable* made(void* library, const std::string& file) {
  auto* const table = new MpiTable{};
  table->file = file;
  if (!constants(library, *table))
    support::fail_device(
        "kr::dist: {} has neither the ABI of Open MPI, nor MPICH's, nor MPI-5's: "
        "name another library in KRAIT_MPI, or make one by krait mpi build",
        file);
  find(library, "MPI_Initialized", table->initialized, *table);
  find(library, "MPI_Finalized", table->finalized, *table);
  find(library, "MPI_Init_thread", table->init_thread, *table);
  find(library, "MPI_Finalize", table->finalize, *table);
  find(library, "MPI_Abort", table->abort, *table);
  find(library, "MPI_Comm_dup", table->comm_dup, *table);
  find(library, "MPI_Comm_free", table->comm_free, *table);
  find(library, "MPI_Comm_rank", table->comm_rank, *table);
  find(library, "MPI_Comm_size", table->comm_size, *table);
  find(library, "MPI_Comm_set_errhandler", table->comm_set_errhandler, *table);
  find(library, "MPI_Error_string", table->error_string, *table);
  find(library, "MPI_Isend", table->isend, *table);
  find(library, "MPI_Irecv", table->irecv, *table);
  find(library, "MPI_Iallgather", table->iallgather, *table);
  find(library, "MPI_Ibarrier", table->ibarrier, *table);
  find(library, "MPI_Test", table->test, *table);
  find(library, "MPI_Cancel", table->cancel, *table);
  find(library, "MPI_Request_free", table->request_free, *table);
  table->cuda_support = reinterpret_cast<int (*)()>(dlsym(library, "MPIX_Query_cuda_support"));
  if (!table->has_files) return table;
  find(library, "MPI_File_open", table->file_open, *table);
  find(library, "MPI_File_set_view", table->file_set_view, *table);
  find(library, "MPI_File_read", table->file_read, *table);
  find(library, "MPI_File_write", table->file_write, *table);
  find(library, "MPI_File_sync", table->file_sync, *table);
  find(library, "MPI_File_close", table->file_close, *table);
  find(library, "MPI_Type_create_subarray", table->type_subarray, *table);
  find(library, "MPI_Type_commit", table->type_commit, *table);
  find(library, "MPI_Type_free", table->type_free, *table);
  return table;
}

const MpiTable* open() {
  const Launcher* const by = launcher();
  if (has_open_mpi() && has_mpich())
    support::fail_device(
        "kr::dist: this process has loaded Open MPI and MPICH: link libraries of one kind of MPI");
  const char* const wished = support::environment_text("KRAIT_MPI");
  if (std::string ignored; wished)  // the program's own MPI may be the one that this is made for
    if (void* const library = support::open_library(wished, ignored);
        library && dlsym(library, shim_constants))
      return made(library, wished);
  if (dlsym(RTLD_DEFAULT, "MPI_Comm_rank")) return made(RTLD_DEFAULT, "the MPI of this program");
  std::vector<const char*> names;
  if (wished) names = {wished};
  else if (by) names = by->libraries;
  std::string why;
  for (const char* name : names) {
    std::string said;
    if (void* const library = support::open_library(name, said)) {
      dlopen(name, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);  // its plug-ins may take symbols from it
      return made(library, name);
    }
    why += (why.empty() ? "" : "; ") + said;
  }
  if (names.empty()) return nullptr;
  support::fail_device(
      "kr::dist: no MPI for the launcher that started this process{}: {}; "
      "name its library in KRAIT_MPI",
      by ? std::string(" (it sets ") + by->variable + ")" : "", why);
}

}  // namespace

bool has_open_mpi() { return loaded(open_mpi); }
bool has_mpich() { return loaded(mpich) || loaded(mpich_upstream); }

const MpiTable* mpi_table() {
  static const MpiTable* const table = open();
  return table;
}

int launched_ranks(const char*& variable) {
  const Launcher* const by = launcher();
  if (!by) return 0;
  variable = by->variable;
  return std::atoi(support::environment_text(by->variable));
}

int launched_rank() {
  const Launcher* const by = launcher();
  const char* const given = by ? support::environment_text(by->rank) : nullptr;
  return given ? std::atoi(given) : 0;
}

}  // namespace krait::dist
