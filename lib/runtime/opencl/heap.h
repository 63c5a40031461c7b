// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What addresses of an OpenCL device stand for. Shared virtual memory has addresses. Other memory
// of OpenCL has none: each buffer gets numbers of its own, out of which launches and copies find it
// again. Who calls holds the device's lock, except for `leave`.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "runtime/opencl/instance.h"

namespace krait::runtime::opencl {

class Heap {
 public:
  explicit Heap(const Gpu& gpu) : gpu_(gpu) {}

  struct Place {
    cl_mem memory = nullptr;  // null: the address is one
    std::uint64_t offset = 0;
  };

  /// `wait_for_freed` returns when the driver has all memory back that was freed; it is called
  /// where the driver has no more. Throws krait::error where it still has none, or where so much is
  /// beyond its limit.
  std::uint64_t allocate(cl_context context, std::size_t bytes,
                         const std::function<void()>& wait_for_freed);
  /// The buffer behind an address; throws krait::error where there is none with so many bytes.
  Place find(std::uint64_t address, std::size_t bytes) const;
  /// To be freed by the next one who takes it back.
  void leave(std::uint64_t address);
  /// Frees the buffers that were left, of which a driver keeps those in use by itself; gives the
  /// shared memory, of which it does not.
  std::vector<void*> take_back();
  /// At the device's end.
  void free_all(cl_context context);

 private:
  struct Allocation {
    cl_mem memory;  // null: shared memory
    std::size_t bytes;
  };

  const Gpu& gpu_;
  std::map<std::uint64_t, Allocation> allocations_;
  std::mutex left_gate_;  // held for moments only, never while the driver is called
  std::vector<std::uint64_t> left_;
};

}  // namespace krait::runtime::opencl
