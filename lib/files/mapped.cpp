// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays whose memory is a file's.
#include <sys/mman.h>

#include <cerrno>
#include <memory>

#include "devices/memory.h"
#include "files/arrays.h"
#include "support/error.h"

namespace krait::files {
namespace {

/// A file's pages, which the last array that shares them gives back.
struct Mapping {
  void* first;
  std::size_t bytes;
  ~Mapping() {
    if (first != MAP_FAILED) munmap(first, bytes);
  }
  static void release(void* mapping) { delete static_cast<Mapping*>(mapping); }
};

}  // namespace
}  // namespace krait::files

namespace krait::detail {

file_array map_npy(const char* path, const file_request& as) {
  using namespace krait::files;
  FileSource file(path);
  NpyHeader header = read_npy_header(file, path);
  check_read_as(path, "kr::map_npy", header.element, header.shape, as);
  if (!file.left())
    support::fail_usage("{}: only a regular file can be mapped: use kr::load_npy", path);
  if (header.swapped)
    support::fail_usage(
        "{}: big-endian elements cannot be used where they are: use kr::load_npy, which converts",
        path);
  const std::size_t alignment = header.element.kind == 'c'   ? header.element.bytes / 2
                                : header.element.kind == 'V' ? alignof(std::max_align_t)
                                                             : header.element.bytes;
  if (header.begin % alignment != 0)
    support::fail_usage(
        "{}: the elements begin at byte {}, which is not a multiple of {}: use kr::load_npy", path,
        header.begin, alignment);
  file_array a;
  a.at = dense(header.shape.data(), as.rank, header.fortran), a.on = as.on, a.element = as.element;
  if (header.bytes == 0) return a;
  const auto bytes = std::size_t(header.begin + header.bytes);
  std::unique_ptr<Mapping> mapping(new Mapping{MAP_FAILED, bytes});
  mapping->first = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (mapping->first == MAP_FAILED) support::fail_usage("{}: {}", path, std::strerror(errno));
  const auto* const elements = static_cast<const std::byte*>(mapping->first) + header.begin;
  check_bools(header.element, elements, header.count, path);
  a.memory = memory_share(
      wrap_memory(as.on, reinterpret_cast<std::uintptr_t>(elements), std::size_t(header.bytes)));
  a.memory.get()->foreign = {mapping.release(), &Mapping::release};
  return a;
}

}  // namespace krait::detail
