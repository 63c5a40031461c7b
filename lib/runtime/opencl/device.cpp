// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening, memory and copies; launches, streams and events are in launch.cpp.
#include "runtime/opencl/device.h"

#include <algorithm>

#include "runtime/opencl/discovery.h"
#include "support/threads.h"

namespace krait::runtime::opencl {

OpenClDevice::~OpenClDevice() {
  if (!context_ || Api::gone()) return;
  for (const cl_command_queue queue : {default_.queue, freeing_})
    if (queue) gpu_.cl->clFinish(queue), gpu_.cl->clReleaseCommandQueue(queue);
  heap_.free_all(context_);
  gpu_.cl->clReleaseContext(context_);
}

OpenClDevice::Held OpenClDevice::enter() const {
  if (const char* why = Api::gone()) support::fail_device("{}: {}", id(), why);
  return {std::unique_lock(mutex_), {}};
}

cl_command_queue OpenClDevice::create_queue() const {
  cl_int result = CL_SUCCESS;
  cl_command_queue queue =
      gpu_.cl->clCreateCommandQueue(context_, gpu_.device, CL_QUEUE_PROFILING_ENABLE, &result);
  check(result, "clCreateCommandQueue");
  return queue;
}

void OpenClDevice::open() const {
  const auto held = enter();
  if (default_.queue) return;
  const support::SignalsBlocked for_its_threads;
  cl_int result = CL_SUCCESS;
  if (!gpu_.device) find_handles(gpu_);
  if (!context_) {
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(gpu_.platform), 0};
    context_ = gpu_.cl->clCreateContext(properties, 1, &gpu_.device, nullptr, nullptr, &result);
    check(result, "clCreateContext");
  }
  default_.queue = create_queue();
  if (gpu_.probed) return;
  probe_numbers(const_cast<OpenClDevice&>(*this), gpu_, gpu_.told);
  gpu_.probed = true;
}

support::Target OpenClDevice::target() const {
  if (!gpu_.probed) open();
  support::Target target;
  target.kind = support::TargetKind::OpenCl, target.spirv.features = gpu_.told;
  return target;
}

Device::Limits OpenClDevice::limits() const {
  constexpr std::int64_t widest = (std::int64_t(1) << 31) - 1;
  const auto block = [&](unsigned d) { return std::int64_t(gpu_.work_item_sizes[d]); };
  return {{widest, widest, widest},
          {block(0), block(1), block(2)},
          std::int64_t(gpu_.work_group_size),
          std::int64_t(gpu_.local_memory)};
}

std::uint64_t OpenClDevice::allocate(std::size_t bytes, StreamHandle) {
  const auto held = enter();
  open();
  free_waiting();
  return heap_.allocate(context_, bytes, [this] { wait_for_freed(); });
}

void OpenClDevice::wait_for_freed() {
  check(gpu_.cl->clFinish(default_.queue), "clFinish");
  for (const Stream* s : streams_) check(gpu_.cl->clFinish(s->queue), "clFinish");
  if (freeing_) check(gpu_.cl->clFinish(freeing_), "clFinish");
}

// A driver keeps a buffer until the commands that use it have finished; shared memory is freed by a
// command that waits for them. Where another thread has the device, maybe waiting for it, the
// memory is left for the next one who allocates or waits.
void OpenClDevice::free(std::uint64_t address, StreamHandle) noexcept {
  try {
    if (Api::gone()) return;
    heap_.leave(address);
    if (const std::unique_lock held(mutex_, std::try_to_lock); held) free_waiting();
  } catch (...) {  // a list could not grow: the memory stays until the device goes
  }
}

void OpenClDevice::free_waiting() {
  if (std::vector<void*> shared = heap_.take_back(); !shared.empty()) free_shared(shared);
}

void OpenClDevice::free_shared(std::vector<void*>& all) {
  if (!default_.busy() &&
      std::none_of(streams_.begin(), streams_.end(), [](const Stream* s) { return s->busy(); })) {
    for (void* block : all) gpu_.cl->clSVMFree(context_, block);
    return;
  }
  if (!freeing_) freeing_ = create_queue();
  struct Markers {
    const Api& cl;
    std::vector<cl_event> all;
    ~Markers() {
      for (const cl_event e : all)
        if (e) cl.clReleaseEvent(e);
    }
  } done{*gpu_.cl, {}};
  std::vector<cl_command_queue> queues{default_.queue};
  for (const Stream* s : streams_) queues.push_back(s->queue);
  for (const cl_command_queue queue : queues) {
    check(gpu_.cl->clEnqueueMarkerWithWaitList(queue, 0, nullptr, &done.all.emplace_back()),
          "clEnqueueMarkerWithWaitList");
    gpu_.cl->clFlush(queue);
  }
  check(gpu_.cl->clEnqueueSVMFree(freeing_, cl_uint(all.size()), all.data(), nullptr, nullptr,
                                  cl_uint(done.all.size()), done.all.data(), nullptr),
        "clEnqueueSVMFree");
  check(gpu_.cl->clFlush(freeing_), "clFlush");
}

void OpenClDevice::copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                                  StreamHandle stream) {
  if (bytes == 0) return;
  auto held = enter();
  const Heap::Place place = heap_.find(to, bytes);
  cl_event done = nullptr;
  if (!place.memory) {
    copy_shared(to, reinterpret_cast<std::uint64_t>(from), bytes, stream, &done);
    return await(held, done, "clEnqueueSVMMemcpy");
  }
  const cl_command_queue queue = queue_for_work(stream);
  check(gpu_.cl->clEnqueueWriteBuffer(queue, place.memory, CL_FALSE, place.offset, bytes, from, 0,
                                      nullptr, &done),
        "clEnqueueWriteBuffer");
  await(held, done, "clEnqueueWriteBuffer");
}

void OpenClDevice::copy_to_host(void* to, std::uint64_t from, std::size_t bytes,
                                StreamHandle stream) {
  if (bytes == 0) return;
  auto held = enter();
  const Heap::Place place = heap_.find(from, bytes);
  cl_event done = nullptr;
  if (!place.memory) {
    copy_shared(reinterpret_cast<std::uint64_t>(to), from, bytes, stream, &done);
    return await(held, done, "clEnqueueSVMMemcpy");
  }
  const cl_command_queue queue = queue_for_work(stream);
  check(gpu_.cl->clEnqueueReadBuffer(queue, place.memory, CL_FALSE, place.offset, bytes, to, 0,
                                     nullptr, &done),
        "clEnqueueReadBuffer");
  await(held, done, "clEnqueueReadBuffer");
}

void OpenClDevice::copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                                  StreamHandle stream) {
  if (bytes == 0) return;
  const auto held = enter();
  const Heap::Place source = heap_.find(from, bytes), target = heap_.find(to, bytes);
  if (!source.memory) return copy_shared(to, from, bytes, stream);
  const cl_command_queue queue = queue_for_work(stream);
  check(gpu_.cl->clEnqueueCopyBuffer(queue, source.memory, target.memory, source.offset,
                                     target.offset, bytes, 0, nullptr, nullptr),
        "clEnqueueCopyBuffer");
  check(gpu_.cl->clFlush(queue), "clFlush");
}

void OpenClDevice::copy_shared(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                               StreamHandle stream, cl_event* done) {
  const cl_command_queue queue = queue_for_work(stream);
  check(gpu_.cl->clEnqueueSVMMemcpy(queue, CL_FALSE, reinterpret_cast<void*>(to),
                                    reinterpret_cast<const void*>(from), bytes, 0, nullptr, done),
        "clEnqueueSVMMemcpy");
  if (!done) check(gpu_.cl->clFlush(queue), "clFlush");  // who waits for it flushes
}

}  // namespace krait::runtime::opencl
