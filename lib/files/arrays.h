// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between files and arrays: whether a file is read as what it holds, the memory that its elements
// go to, and the bytes of an array that is written.
#pragma once

#include <functional>

#include "files/npy.h"

namespace krait::files {

using detail::file_array;
using detail::file_request;

/// Throws error{usage} where a file holds an array of another type, or of another number of
/// dimensions, than `call`, "kr::load_npy", reads. A single number is an array of one.
void check_read_as(const std::string& place, const char* call, file_element element,
                   std::vector<std::int64_t>& shape, const file_request& as);

/// An array on the device of the request: `fill` writes its elements, in the order of memory, into
/// room of the host.
file_array filled(const std::vector<std::int64_t>& shape, bool fortran, const file_request& as,
                  const std::function<void(void*)>& fill);

/// The elements of an array on the host, in C order.
class HostBytes {
 public:
  explicit HostBytes(const file_array& of);
  const void* data() const { return data_; }
  std::string_view text() const { return {static_cast<const char*>(data_), bytes_}; }
  std::size_t size() const { return bytes_; }

 private:
  std::vector<std::byte> copy_;
  const void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Reads what follows a header.
file_array load_elements(Source& from, NpyHeader header, const std::string& place, const char* call,
                         const file_request& as);

/// The image in the bytes of a PNG file, as (height, width) or (height, width, channels). Throws
/// error{usage}, with `path` in front, where there is none, and error{device} without libpng.
file_array read_png(std::string_view bytes, const std::string& path, const file_request& as);

[[noreturn]] void cannot_write(const std::string& path);

}  // namespace krait::files
