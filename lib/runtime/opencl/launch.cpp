// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, streams and events of an OpenCL device. A stream is an in-order queue.
#include <algorithm>
#include <cstring>

#include "runtime/opencl/device.h"
#include "support/product.h"

namespace krait::runtime::opencl {

using support::OpenClParameter;

std::unique_ptr<Executable> OpenClDevice::load(std::span<const std::byte> binary,
                                               const std::string& kernel_name) {
  const auto held = enter();
  open();
  return std::make_unique<OpenClExecutable>(*this, gpu_, context_, binary, kernel_name);
}

void OpenClDevice::set_arguments(cl_kernel kernel, const OpenClExecutable& code,
                                 const LaunchRequest& request,
                                 std::vector<cl_mem>& temporary) const {
  cl_uint next = 0;
  const auto took = [&](cl_int result) {
    if (result != CL_SUCCESS)
      support::fail_device("kernel {}: {} rejects parameter {}: {}", code.name(), name(), next - 1,
                           name_of(result));
  };
  const auto set = [&](std::size_t bytes, const void* from) {
    took(gpu_.cl->clSetKernelArg(kernel, next++, bytes, from));
  };
  for (const OpenClParameter& p : code.parameters()) {
    const std::byte* const from = request.args + p.offset;
    switch (p.kind) {
      case OpenClParameter::Value: set(p.bytes, from); break;
      case OpenClParameter::View: {
        std::uint64_t address = 0;
        std::memcpy(&address, from, sizeof address);
        Heap::Place place = address ? heap_.find(address, 0) : Heap::Place{};
        if (shares()) {
          place.offset = 0;
          took(gpu_.cl->clSetKernelArgSVMPointer(kernel, next++, reinterpret_cast<void*>(address)));
        } else {
          set(sizeof(cl_mem), place.memory ? &place.memory : nullptr);
        }
        set(sizeof place.offset, &place.offset);
        break;
      }
      case OpenClParameter::Bytes: {
        cl_int result = CL_SUCCESS;
        auto* const bytes = const_cast<std::byte*>(from);  // which the driver copies
        temporary.push_back(gpu_.cl->clCreateBuffer(
            context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, p.bytes, bytes, &result));
        check(result, "clCreateBuffer");
        set(sizeof(cl_mem), &temporary.back());
        break;
      }
      case OpenClParameter::Shared:
        set(std::max<std::size_t>(request.shared_bytes[p.offset], p.bytes), nullptr);
        break;
    }
  }
}

void OpenClDevice::launch(Executable& executable, const LaunchRequest& request) {
  const auto held = enter();
  auto& code = static_cast<OpenClExecutable&>(executable);
  const support::Envelope& h = code.envelope();
  if (request.args_size < h.arguments.size)
    support::fail(error::kind_type::internal, "kernel {}: {} bytes of arguments, of {}",
                  code.name(), request.args_size, h.arguments.size);
  // Drivers tell of these limits by one code, or not at all; here the message can name them.
  const std::int64_t shared = std::int64_t(h.fixed_shared) + request.dynamic_shared;
  if (shared > std::int64_t(gpu_.local_memory))
    support::fail_usage("kernel {}: {} bytes of shared memory requested; {} has {}", code.name(),
                        shared, name(), gpu_.local_memory);
  for (unsigned d = 0; d < 3; ++d)
    if (h.block[d] && request.block[d] != std::int64_t(h.block[d]))
      support::fail_usage("kernel {}: compiled for blocks of {} × {} × {} threads", code.name(),
                          h.block[0], h.block[1], h.block[2]);

  const cl_kernel kernel = code.kernel(request.one_trip);
  // Buffers around host memory live until the launch is queued, which keeps them itself.
  struct Temporary {
    const Api& cl;
    std::vector<cl_mem> buffers;
    ~Temporary() {
      for (cl_mem b : buffers)
        if (b) cl.clReleaseMemObject(b);
    }
  } temporary{*gpu_.cl, {}};
  set_arguments(kernel, code, request, temporary.buffers);
  std::size_t global[3], local[3];
  for (unsigned d = 0; d < 3; ++d) {
    local[d] = std::size_t(request.block[d]);
    global[d] = std::size_t(support::clipped_product(request.block[d], request.grid[d]));
    if (global[d] > std::size_t(support::most_elements))
      support::fail_usage("kernel {}: a grid of {} × {} × {} blocks is too large", code.name(),
                          request.grid[0], request.grid[1], request.grid[2]);
  }
  const cl_command_queue queue = queue_for_work(request.stream);
  const cl_int result = gpu_.cl->clEnqueueNDRangeKernel(queue, kernel, 3, nullptr, global, local, 0,
                                                        nullptr, nullptr);
  if (result != CL_SUCCESS) {
    // Registers may limit blocks further than the device does: the driver knows of it at the
    // launch.
    if (const int most = code.attributes().max_threads;
        local[0] * local[1] * local[2] > std::size_t(most))
      support::fail_device(
          "kernel {}: {} cannot launch blocks of {} × {} × {} threads, only of {} at most: {}",
          code.name(), name(), local[0], local[1], local[2], most, name_of(result));
    support::fail_device(
        "kernel {}: {} cannot launch it in blocks of {} × {} × {} threads with {} bytes of "
        "shared memory: {}",
        code.name(), name(), local[0], local[1], local[2], shared, name_of(result));
  }
  check(gpu_.cl->clFlush(queue), "clFlush");
}

/// The stream's queue, for work that comes now. The default stream is ordered with all others, as
/// it is on CUDA.
cl_command_queue OpenClDevice::queue_for_work(StreamHandle handle) {
  open();
  Stream& stream = stream_of(handle);
  if (handle.native) {
    if (stream.seen != default_.works)
      order(default_.queue, stream.queue), stream.seen = default_.works;
  } else {
    for (Stream* const s : streams_)
      if (s->awaited != s->works) order(s->queue, default_.queue), s->awaited = s->works;
  }
  ++stream.works;
  return stream.queue;
}

void OpenClDevice::order(cl_command_queue before, cl_command_queue after) {
  cl_event done = nullptr;
  check(gpu_.cl->clEnqueueMarkerWithWaitList(before, 0, nullptr, &done),
        "clEnqueueMarkerWithWaitList");
  const cl_int flushed = gpu_.cl->clFlush(before),
               result = gpu_.cl->clEnqueueBarrierWithWaitList(after, 1, &done, nullptr);
  gpu_.cl->clReleaseEvent(done);
  check(flushed, "clFlush"), check(result, "clEnqueueBarrierWithWaitList");
}

StreamHandle OpenClDevice::create_stream() {
  const auto held = enter();
  open();
  auto stream = std::make_unique<Stream>();
  stream->queue = create_queue();
  streams_.push_back(stream.get());
  return {stream.release()};
}

void OpenClDevice::destroy_stream(StreamHandle handle) noexcept {
  auto* const stream = static_cast<Stream*>(handle.native);
  if (!Api::gone()) {
    const DefaultFloatEnvironment floats;
    gpu_.cl->clFinish(stream->queue);  // what follows in the default stream comes after it
    const std::lock_guard held(mutex_);
    std::erase(streams_, stream);
    gpu_.cl->clReleaseCommandQueue(stream->queue);
  }
  delete stream;
}

void OpenClDevice::finish(Held& held, std::vector<Stream*> streams) {
  struct Waited {
    Stream* stream;
    cl_command_queue queue;  // kept meanwhile, so that it is the stream's and no later one's
    std::uint64_t works;
  };
  std::vector<Waited> all;
  for (Stream* s : streams) all.push_back({s, s->queue, s->works});
  for (const Waited& w : all) gpu_.cl->clRetainCommandQueue(w.queue);
  held.lock.unlock();
  cl_int result = CL_SUCCESS;
  for (const Waited& w : all)
    if (const cl_int own = gpu_.cl->clFinish(w.queue); own != CL_SUCCESS) result = own;
  held.lock.lock();
  for (const Waited& w : all) {
    const bool there =
        w.stream == &default_ || std::count(streams_.begin(), streams_.end(), w.stream) != 0;
    if (there && w.stream->queue == w.queue && result == CL_SUCCESS)
      w.stream->finished = std::max(w.stream->finished, w.works);
    gpu_.cl->clReleaseCommandQueue(w.queue);
  }
  check(result, "clFinish");
  free_waiting();
}

void OpenClDevice::await(Held& held, cl_event done, const char* call) {
  held.lock.unlock();
  cl_int result = gpu_.cl->clWaitForEvents(1, &done), own = CL_COMPLETE;
  // of the command itself, by its own code
  if (result == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST &&
      gpu_.cl->clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof own, &own, nullptr) ==
          CL_SUCCESS &&
      own < 0)
    result = own;
  gpu_.cl->clReleaseEvent(done);
  held.lock.lock();
  check(result, call);
}

void OpenClDevice::synchronize(StreamHandle stream) {
  auto held = enter();
  if (default_.queue) finish(held, {&stream_of(stream)});
}

void OpenClDevice::synchronize() {
  auto held = enter();
  if (!default_.queue) return;
  std::vector<Stream*> all = streams_;
  all.push_back(&default_);
  finish(held, std::move(all));
}

EventHandle OpenClDevice::create_event() { return {new Event}; }

void OpenClDevice::destroy_event(EventHandle e) noexcept {
  if (!Api::gone() && event(e).event) gpu_.cl->clReleaseEvent(event(e).event);
  delete static_cast<Event*>(e.native);
}

void OpenClDevice::record(EventHandle handle, StreamHandle stream) {
  const auto held = enter();
  const cl_command_queue queue = queue_for_work(stream);
  Event& e = event(handle);
  if (e.event) gpu_.cl->clReleaseEvent(e.event);
  e.event = nullptr;
  check(gpu_.cl->clEnqueueMarkerWithWaitList(queue, 0, nullptr, &e.event),
        "clEnqueueMarkerWithWaitList");
  check(gpu_.cl->clFlush(queue), "clFlush");
}

void OpenClDevice::wait(EventHandle handle) {
  auto held = enter();
  const cl_event e = event(handle).event;
  if (!e) return;
  gpu_.cl->clRetainEvent(e);  // another thread may record it anew
  await(held, e, "clWaitForEvents");
}

void OpenClDevice::wait(EventHandle handle, StreamHandle stream) {
  const auto held = enter();
  if (event(handle).event)
    check(gpu_.cl->clEnqueueBarrierWithWaitList(queue_for_work(stream), 1, &event(handle).event,
                                                nullptr),
          "clEnqueueBarrierWithWaitList");
}

double OpenClDevice::elapsed_ms(EventHandle from, EventHandle to) {
  auto held = enter();
  cl_ulong ticks[2];
  EventHandle events[2] = {from, to};
  for (int i = 0; i < 2; ++i) {
    const cl_event e = event(events[i]).event;
    if (!e) support::fail_usage("{}: elapsed time of an event that was not recorded", name());
    gpu_.cl->clRetainEvent(e), gpu_.cl->clRetainEvent(e);  // another thread may record it anew
    await(held, e, "clWaitForEvents");
    const cl_int result = gpu_.cl->clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END,
                                                           sizeof ticks[i], &ticks[i], nullptr);
    gpu_.cl->clReleaseEvent(e);
    check(result, "clGetEventProfilingInfo");
  }
  return double(std::int64_t(ticks[1] - ticks[0])) * 1e-6;
}

}  // namespace krait::runtime::opencl
