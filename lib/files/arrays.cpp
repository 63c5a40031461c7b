// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/arrays.h"

#include <cerrno>

#include "devices/layout.h"
#include "devices/memory.h"
#include "host/graph.h"
#include "support/error.h"
#include "support/file.h"

namespace krait::files {
namespace {

/// As C++ writes it.
std::string cpp_type(file_element e) {
  switch (e.kind) {
    case 'b': return "bool";
    case 'i': return fmt::format("std::int{}_t", 8 * e.bytes);
    case 'u': return fmt::format("std::uint{}_t", 8 * e.bytes);
    case 'f': return e.bytes == 2 ? "kr::f16" : e.bytes == 4 ? "float" : "double";
    case 'c': return e.bytes == 8 ? "std::complex<float>" : "std::complex<double>";
    default: return fmt::format("a struct of {} bytes", e.bytes);
  }
}
std::string described(file_element e, std::size_t rank) {
  return fmt::format("{} in {} dimension{}", cpp_type(e), rank, rank == 1 ? "" : "s");
}

}  // namespace

void check_read_as(const std::string& place, const char* call, file_element element,
                   std::vector<std::int64_t>& shape, const file_request& as) {
  if (shape.empty()) shape = {1};
  if (shape.size() > detail::max_rank)
    support::fail_usage(
        "{}: an array of {} dimensions, but kr::array has at most {}: save it reshaped to fewer",
        place, shape.size(), int(detail::max_rank));
  if (element == as.element && shape.size() == std::size_t(as.rank)) return;
  const std::string type = element.kind == 'V' ? "T" : cpp_type(element);
  support::fail_usage("{}: an array of {}, but it is read as {}: use {}<{}, {}>", place,
                      described(element, shape.size()), described(as.element, std::size_t(as.rank)),
                      call, type, shape.size());
}

file_array filled(const std::vector<std::int64_t>& shape, bool fortran, const file_request& as,
                  const std::function<void(void*)>& fill) {
  file_array a;
  a.at = detail::dense(shape.data(), int(shape.size()), fortran), a.on = as.on,
  a.element = as.element;
  detail::check_shape(shape.data(), int(shape.size()), as.element.bytes);
  const std::int64_t count = host::size_of(a.at);
  if (count == 0) return a;
  const std::size_t bytes = std::size_t(count) * as.element.bytes;
  a.memory = detail::memory_share(detail::allocate(as.on, bytes));
  if (static_cast<host::DeviceHandle*>(as.on)->device->host_memory()) {
    fill(reinterpret_cast<void*>(std::uintptr_t(a.memory.get()->address)));
    return a;
  }
  std::vector<std::byte> room(bytes);
  fill(room.data());
  const detail::layout in_order = detail::dense(&count, 1, false);
  detail::copy_from_host({a.memory.get(), &in_order, as.element.bytes}, room.data());
  return a;
}

HostBytes::HostBytes(const file_array& of)
    : bytes_(std::size_t(host::size_of(of.at)) * of.element.bytes) {
  if (bytes_ == 0) return;
  host::check_readable(*of.memory.get());
  const bool here = static_cast<host::DeviceHandle*>(of.on)->device->host_memory();
  if (here && detail::is_dense(of.at, false)) {
    host::wait_for(*of.memory.get());
    data_ = reinterpret_cast<const void*>(std::uintptr_t(of.memory.get()->address) +
                                          std::size_t(of.at.offset) * of.element.bytes);
    return;
  }
  copy_.resize(bytes_);
  detail::copy_to_host({of.memory.get(), &of.at, of.element.bytes}, copy_.data());
  data_ = copy_.data();
}

file_array load_elements(Source& from, NpyHeader header, const std::string& place, const char* call,
                         const file_request& as) {
  check_read_as(place, call, header.element, header.shape, as);
  if (from.left())
    return filled(header.shape, header.fortran, as,
                  [&](void* to) { read_npy_elements(from, header, to, place); });
  const std::vector<std::byte> read = read_npy_elements(from, header, place);
  return filled(header.shape, header.fortran, as,
                [&](void* to) { std::memcpy(to, read.data(), read.size()); });
}

void cannot_write(const std::string& path) {
  support::fail_usage("{}: cannot be written: {}", path, std::strerror(errno));
}

}  // namespace krait::files

namespace krait::detail {

file_array load_npy(const char* path, const file_request& as) {
  files::FileSource file(path);
  return files::load_elements(file, files::read_npy_header(file, path), path, "kr::load_npy", as);
}

void save_npy(const char* path, const file_array& x) {
  const files::HostBytes bytes(x);
  const std::string header = files::npy_header(x.element, x.at.extents, x.at.rank);
  if (!support::write_file(path, {header, bytes.text()}, support::shared_file))
    files::cannot_write(path);
}

}  // namespace krait::detail
