// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/opencl/async.h"

#include "runtime/opencl/device.h"

namespace krait::runtime::opencl {

void OpenClAsync::copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                                 StreamHandle stream) {
  const auto held = device_.enter();
  const Heap::Place place = device_.heap_.find(to, bytes);
  if (!place.memory)
    return device_.copy_shared(to, reinterpret_cast<std::uint64_t>(from), bytes, stream);
  const Api& cl = *device_.gpu_.cl;
  const cl_command_queue queue = device_.queue_for_work(stream);
  check(cl.clEnqueueWriteBuffer(queue, place.memory, CL_FALSE, place.offset, bytes, from, 0,
                                nullptr, nullptr),
        "clEnqueueWriteBuffer");
  check(cl.clFlush(queue), "clFlush");
}

void OpenClAsync::copy_to_host(void* to, std::uint64_t from, std::size_t bytes,
                               StreamHandle stream) {
  const auto held = device_.enter();
  const Heap::Place place = device_.heap_.find(from, bytes);
  if (!place.memory)
    return device_.copy_shared(reinterpret_cast<std::uint64_t>(to), from, bytes, stream);
  const Api& cl = *device_.gpu_.cl;
  const cl_command_queue queue = device_.queue_for_work(stream);
  check(cl.clEnqueueReadBuffer(queue, place.memory, CL_FALSE, place.offset, bytes, to, 0, nullptr,
                               nullptr),
        "clEnqueueReadBuffer");
  check(cl.clFlush(queue), "clFlush");
}

}  // namespace krait::runtime::opencl
