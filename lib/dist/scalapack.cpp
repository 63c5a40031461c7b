// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dist/scalapack.h"

#include "dist/mpi_table.h"
#include "files/library.h"
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
  if (files::is_of_other_mpi(library)) {
    o.why = o.table.file + " belongs to another MPI than this process";
    return o;
  }
  support::Symbols symbols{library};
#define X(result, name, symbol, parameters) symbols.find(symbol, o.table.name);
  KRAIT_SCALAPACK_FUNCTIONS(X)
#undef X
  constexpr const char* solve[] = {"psgesv_", "pdgesv_", "pcgesv_", "pzgesv_"};
  for (int i = 0; i < 4; ++i) symbols.find(solve[i], o.table.solve[i]);
  symbols.find("pssyevd_", o.table.eigen[0]), symbols.find("pdsyevd_", o.table.eigen[1]);
  symbols.find("pcheevd_", o.table.complex_eigen[0]);
  symbols.find("pzheevd_", o.table.complex_eigen[1]);
  if (symbols.missing) o.why = o.table.file + " has no function " + symbols.missing;
  o.usable = !symbols.missing;
  return o;
}

}  // namespace

const ScalapackTable* scalapack_table(std::string& why) {
  static const auto* const opened = new OpenedScalapack(open_scalapack());
  why = opened->why;
  return opened->usable ? &opened->table : nullptr;
}

}  // namespace krait::dist
