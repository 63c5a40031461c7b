// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries of file formats, opened at run time: a program that reads none of their files needs
// none of them.
#pragma once

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include "support/error.h"
#include "support/places.h"

namespace krait::files {

struct LibraryNames {
  const char* format;    // ".npz files"
  const char* library;   // "libzip"
  const char* package;   // Debian's
  const char* variable;  // that names another file, and what it has
  const char* wished;
  std::initializer_list<const char*> files;
};

/// Whether a library needs an MPI, and its calls go to another one that the process has already: it
/// would read handles of one kind as those of the other.
/// By the names that tools, which stand before an MPI, leave alone.
inline bool is_of_other_mpi(void* library) {
  void* const own = dlsym(library, "PMPI_Comm_rank");
  void* const called = dlsym(RTLD_DEFAULT, "PMPI_Comm_rank");
  return own && called && own != called;
}

/// The functions of one library, whose type is Table: bind(find) sets them. Never closed.
template <class Table>
class Opened {
 public:
  explicit Opened(const LibraryNames& names) : names_(names) {
    if (names.wished) try_file(names.wished);
    else
      for (const char* const file : names.files)
        if (try_file(file)) break;
  }
  /// Throws error{device} where the library is missing.
  const Table& table() const {
    if (!usable_)
      support::fail_device("{} need {}: {}; install it (Debian: {}), or name its file in {}",
                           names_.format, names_.library, why_, names_.package, names_.variable);
    return table_;
  }

 private:
  bool try_file(const char* file) {
    std::string said;
    void* const library = support::open_library(file, said);
    if (library) {
      Table table{};
      support::Symbols symbols{library};
      table.bind([&](auto& into, const char* name) { symbols.find(name, into); });
      if (!symbols.missing && !is_of_other_mpi(library)) {
        table_ = table;
        return usable_ = true;
      }
      said = symbols.missing ? fmt::format("{} has no {}", file, symbols.missing)
                             : fmt::format("{} belongs to another MPI than this process", file);
    }
    why_ += (why_.empty() ? "" : "; ") + said;
    return false;
  }

  LibraryNames names_;
  Table table_{};
  bool usable_ = false;
  std::string why_;
};

}  // namespace krait::files
