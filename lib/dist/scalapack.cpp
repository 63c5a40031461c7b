// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dist/scalapack.h"

#include <dlfcn.h>

#include <type_traits>

#include "dist/mpi_table.h"
#include "support/environment.h"
#include "support/places.h"

namespace krait::dist {
namespace {

constexpr const char *for_open_mpi = "libscalapack-openmpi.so.2.2",
                     *for_mpich = "libscalapack-mpich.so.2.2";

struct OpenedScalapack {
  ScalapackTable table;
  bool usable = false;
  std::string why;
};
OpenedScalapack open_scalapack() {
  OpenedScalapack o;
  const char* const wished = support::environment_text("KRAIT_SCALAPACK");
  o.table.file = wished ? wished : has_mpich() ? for_mpich : for_open_mpi;
  void* const library = support::open_library(o.table.file.c_str(), o.why);
  if (!library) return o;
  // Its MPI came with it: it would read handles of one kind as those of the other.
  if (has_open_mpi() && has_mpich()) {
    o.why = o.table.file + " belongs to another MPI than this program's";
    return o;
  }
  const char* missing = nullptr;
  const auto find = [&](const char* symbol, auto& to) {
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(dlsym(library, symbol));
    if (!to && !missing) missing = symbol;
  };
#define X(result, name, symbol, parameters) find(symbol, o.table.name);
  KRAIT_SCALAPACK_FUNCTIONS(X)
#undef X
  constexpr const char* solve[] = {"psgesv_", "pdgesv_", "pcgesv_", "pzgesv_"};
  for (int i = 0; i < 4; ++i) find(solve[i], o.table.solve[i]);
  if (missing) o.why = o.table.file + " has no function " + missing;
  o.usable = !missing;
  return o;
}

}  // namespace

const ScalapackTable* scalapack_table(std::string& why) {
  static const auto* const opened = new OpenedScalapack(open_scalapack());
  why = opened->why;
  return opened->usable ? &opened->table : nullptr;
}

}  // namespace krait::dist
