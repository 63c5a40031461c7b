// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An OpenCL device behind runtime/backend.h. It is opened at its first use. What its addresses are
// is the heap's business.
#pragma once

#include <mutex>

#include "runtime/opencl/async.h"
#include "runtime/opencl/executable.h"
#include "runtime/opencl/heap.h"
#include "support/error.h"
#include "support/float_environment.h"

namespace krait::runtime::opencl {

class OpenClDevice final : public Device {
 public:
  OpenClDevice(Gpu gpu, unsigned index) : index_(index), gpu_(std::move(gpu)) {
    async_ = &own_async_;
  }
  ~OpenClDevice() override;

  std::string name() const override { return gpu_.full_name(); }
  std::string id() const override { return fmt::format("opencl:{}", index_); }
  void start() override { open(); }
  support::Target target() const override;
  bool reaches_host() const override { return gpu_.memory_form == Memory::Host; }
  std::int64_t total_memory() const override { return std::int64_t(gpu_.memory); }

  std::uint64_t allocate(std::size_t bytes, StreamHandle stream) override;
  void free(std::uint64_t address, StreamHandle stream) noexcept override;
  void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                      StreamHandle stream) override;
  void copy_to_host(void* to, std::uint64_t from, std::size_t bytes, StreamHandle stream) override;
  void copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                      StreamHandle stream) override;

  std::unique_ptr<Executable> load(std::span<const std::byte> binary,
                                   const std::string& kernel_name) override;
  void launch(Executable& code, const LaunchRequest& request) override;
  Limits limits() const override;

  StreamHandle create_stream() override;
  void destroy_stream(StreamHandle stream) noexcept override;
  void synchronize(StreamHandle stream) override;
  void synchronize() override;
  EventHandle create_event() override;
  void destroy_event(EventHandle event) noexcept override;
  void record(EventHandle event, StreamHandle stream) override;
  void wait(EventHandle event) override;
  void wait(EventHandle event, StreamHandle stream) override;
  double elapsed_ms(EventHandle from, EventHandle to) override;

  /// Everything that uses the driver holds this: arguments of kernels are no business of two
  /// threads. Threads that a driver on the CPU starts inherit how the caller treats floats.
  struct Held {
    std::unique_lock<std::recursive_mutex> lock;
    DefaultFloatEnvironment floats;
  };
  Held enter() const;

 private:
  friend class OpenClAsync;
  struct Stream {
    cl_command_queue queue = nullptr;
    // put into it; of these, before what the default stream did last
    std::uint64_t works = 0, awaited = 0;
    std::uint64_t seen = 0;      // of the default stream's works
    std::uint64_t finished = 0;  // of its own, by the host's last wait
    bool busy() const { return works != finished; }
  };
  struct Event {
    cl_event event = nullptr;
  };

  void open() const;
  cl_command_queue create_queue() const;
  Stream& stream_of(StreamHandle stream) const {
    return stream.native ? *static_cast<Stream*>(stream.native) : default_;
  }
  cl_command_queue queue_for_work(StreamHandle stream);
  void order(cl_command_queue before, cl_command_queue after);
  /// Both wait without the lock: meanwhile other threads use the device. The event is the
  /// function's own.
  void finish(Held& held, std::vector<Stream*> streams);
  void await(Held& held, cl_event done, const char* call);
  Event& event(EventHandle e) const { return *static_cast<Event*>(e.native); }
  bool shares() const { return gpu_.memory_form != Memory::Buffers; }
  /// Until the driver has all memory back that was freed.
  void wait_for_freed();
  void free_waiting();
  void free_shared(std::vector<void*>& all);
  /// Enqueued into the stream, with an event where one is asked for.
  void copy_shared(std::uint64_t to, std::uint64_t from, std::size_t bytes, StreamHandle stream,
                   cl_event* done = nullptr);
  void set_arguments(cl_kernel kernel, const OpenClExecutable& code, const LaunchRequest& request,
                     std::vector<cl_mem>& temporary) const;

  const unsigned index_;
  mutable std::recursive_mutex mutex_;  // probing launches through the public functions
  mutable Gpu gpu_;
  mutable cl_context context_ = nullptr;
  mutable Stream default_;
  std::vector<Stream*> streams_;
  // where shared memory is freed, behind what all others have been given
  cl_command_queue freeing_ = nullptr;
  Heap heap_{gpu_};
  OpenClAsync own_async_{*this};
};

/// What the driver does with numbers, by running kernels, is told to the code generator, too.
void probe_numbers(Device& device, const Gpu& gpu, support::FeatureSet& told);

}  // namespace krait::runtime::opencl
