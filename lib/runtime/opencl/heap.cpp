// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/opencl/heap.h"

#include <atomic>

#include "support/error.h"

namespace krait::runtime::opencl {

// The numbers are no addresses of any machine, and those of two devices differ.
std::uint64_t Heap::allocate(cl_context context, std::size_t bytes,
                             const std::function<void()>& wait_for_freed) {
  static std::atomic<std::uint64_t> next{std::uint64_t(1) << 60};
  constexpr std::uint64_t granule = 4096;
  constexpr cl_uint alignment = 128;  // of the largest vectors: what all drivers take
  if (bytes > gpu_.largest_allocation)
    support::fail_device(
        "{}: an allocation of {} bytes exceeds the driver's limit of {} bytes per memory "
        "object (CL_DEVICE_MAX_MEM_ALLOC_SIZE): split it into several arrays",
        gpu_.full_name(), bytes, gpu_.largest_allocation);
  const auto out_of_memory = [&](const std::string& why) {
    support::fail_device("{}: out of device memory: {} bytes requested, of {}: {}",
                         gpu_.full_name(), bytes, gpu_.memory, why);
  };
  if (gpu_.memory_form != Memory::Buffers) {
    const cl_svm_mem_flags flags =
        CL_MEM_READ_WRITE | (gpu_.fine_grained ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0);
    void* shared = gpu_.cl->clSVMAlloc(context, flags, bytes, alignment);
    if (!shared) wait_for_freed(), shared = gpu_.cl->clSVMAlloc(context, flags, bytes, alignment);
    if (!shared) out_of_memory("clSVMAlloc failed");
    const auto address = reinterpret_cast<std::uint64_t>(shared);
    allocations_.emplace(address, Allocation{nullptr, bytes});
    return address;
  }
  cl_int result = CL_SUCCESS;
  const auto create = [&] {
    return gpu_.cl->clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &result);
  };
  cl_mem memory = create();
  if (result != CL_SUCCESS) wait_for_freed(), memory = create();
  if (result != CL_SUCCESS) out_of_memory(name_of(result));
  const std::uint64_t address = next.fetch_add((bytes + 2 * granule - 1) / granule * granule);
  allocations_.emplace(address, Allocation{memory, bytes});
  return address;
}

Heap::Place Heap::find(std::uint64_t address, std::size_t bytes) const {
  if (bytes == 0 && gpu_.memory_form == Memory::Host) return {};
  auto at = allocations_.upper_bound(address);
  if (at != allocations_.begin()) {
    --at;
    const std::uint64_t offset = address - at->first;
    if (offset <= at->second.bytes && bytes <= at->second.bytes - offset)
      return {at->second.memory, offset};
  }
  support::fail_device("OpenCL: {} bytes at address {:#x} are not memory of {}", bytes, address,
                       gpu_.full_name());
}

void Heap::leave(std::uint64_t address) {
  const std::lock_guard gate(left_gate_);
  left_.push_back(address);
}

std::vector<void*> Heap::take_back() {
  std::vector<std::uint64_t> left;
  {
    const std::lock_guard gate(left_gate_);
    left.swap(left_);
  }
  std::vector<void*> shared;
  for (const std::uint64_t address : left)
    if (const auto at = allocations_.find(address); at != allocations_.end()) {
      if (at->second.memory) gpu_.cl->clReleaseMemObject(at->second.memory);
      else shared.push_back(reinterpret_cast<void*>(address));
      allocations_.erase(at);
    }
  return shared;
}

void Heap::free_all(cl_context context) {
  for (auto& [address, allocation] : allocations_)
    if (allocation.memory) gpu_.cl->clReleaseMemObject(allocation.memory);
    else gpu_.cl->clSVMFree(context, reinterpret_cast<void*>(address));
  allocations_.clear();
}

}  // namespace krait::runtime::opencl
