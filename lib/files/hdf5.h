// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datasets of HDF5 files that several processes write and read, each its part: one makes the room,
// as contiguous bytes at a place of the file, and any may write there without the library.
#pragma once

#include <string>
#include <vector>

#include "files/npy.h"

namespace krait::files {

/// Writes into a new, empty file, open as `into`, what the file at `path` holds and a dataset, in
/// the place of one of its name, without its elements. Gives the place of the first, in bytes; 0
/// where there is none. Throws as kr::save_hdf5.
std::uint64_t make_hdf5_room(int into, const std::string& path, const std::string& dataset,
                             file_element element, const std::int64_t* extents, int rank);

/// Throws as kr::load_hdf5, which here is named `call`.
std::vector<std::int64_t> hdf5_shape(const std::string& path, const std::string& dataset,
                                     const char* call, file_element element, int rank);

/// Reads a box of the elements, packed in C order. Throws as hdf5_shape.
void read_hdf5_part(const std::string& path, const std::string& dataset, const char* call,
                    file_element element, const std::int64_t* first, const std::int64_t* count,
                    int rank, void* to);

}  // namespace krait::files
