// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What krait/dist/files.h asks the library.
#pragma once

#include <krait/dist.h>
#include <krait/files.h>

namespace krait::dist::detail {

using krait::detail::file_element;

/// An array that is written or read, by its owned elements.
struct filed_array {
  file_element element;
  const decomposition* how;
  elements owned;
};
/// A thing of a checkpoint: an array, or an integer or a double.
struct filed {
  const char* name;
  filed_array array{};  // `how` is null: a number
  std::int64_t* integer = nullptr;
  double* real = nullptr;
};

KRAIT_API void save_npy(const char* path, const filed_array& x);
/// The extents of the file's array, and the place of its elements. Throws error{usage} on all ranks
/// where it has no such elements.
KRAIT_API std::uint64_t read_shape(job* of, const char* path, file_element element, int rank,
                                   std::int64_t* extents);
KRAIT_API void load_npy(const char* path, std::uint64_t begin, const filed_array& x);
KRAIT_API void save_hdf5(const char* path, const char* dataset, const filed_array& x);
/// The extents of the dataset. Throws on all ranks where it has no such elements.
KRAIT_API void read_hdf5_shape(job* of, const char* path, const char* dataset, file_element element,
                               int rank, std::int64_t* extents);
KRAIT_API void load_hdf5(const char* path, const char* dataset, const filed_array& x);
KRAIT_API void save_checkpoint(job* of, const char* folder, const filed* first, std::size_t count);
KRAIT_API void load_checkpoint(job* of, const char* folder, const filed* first, std::size_t count);

}  // namespace krait::dist::detail
