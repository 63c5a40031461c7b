// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One NVIDIA GPU through the driver API. Works in the device's primary context, so memory and
// streams are shared with users of the CUDA runtime; the calling thread's current context is left
// as it was.
#pragma once

#include <atomic>
#include <mutex>

#include "runtime/backend.h"
#include "runtime/cuda/async.h"
#include "runtime/cuda/driver_api.h"
#include "runtime/cuda/staging.h"
#include "support/blobs/envelope.h"

namespace krait::runtime::cuda {

class CudaDevice;

class CudaExecutable final : public Executable {
 public:
  CudaExecutable(CudaDevice& device, ModuleHandle module, FunctionHandle function,
                 const std::string& name, const support::Envelope& code,
                 const std::vector<std::string>& remarks);
  ~CudaExecutable() override;
  Attributes attributes() const override { return attributes_; }
  int suggested_block(bool) override { return suggested_block_; }

  /// Puts a launch whose blocks meet into its stream, with so many bytes of dynamic shared memory.
  /// Throws usage where they do not fit at once.
  Result launch_together(const LaunchRequest& request, std::int64_t dynamic_shared,
                         void** parameters) const;

  CudaDevice& device;
  const ModuleHandle module;
  const FunctionHandle function;
  // kept as long as the process: a fault may show when the code is gone
  const std::string& name;
  // bytes of the dynamic segment that arrays of fixed size take
  const std::int64_t fixed_shared;
  // bytes of dynamic shared memory that launches may ask for so far
  std::atomic<std::int64_t> opted_in_shared;
  // it waits for the launch before it by itself, and may begin early
  bool waits = false;
  // its blocks wait for each other, and must run at once
  bool meets = false;
  // Offsets in the argument block, of maps of tiles, and of all parameters where there are some or
  // blocks meet: a map lies at a multiple of 64 bytes of memory, and where a device's parameters
  // begin is the driver's business.
  std::vector<std::uint32_t> maps, parameters;

 private:
  Attributes attributes_;
  int suggested_block_ = 256;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(const DriverApi& api, int index);

  std::string name() const override { return name_; }
  std::string id() const override { return "cuda:" + std::to_string(index_); }
  void start() override { context(); }
  support::Target target() const override { return target_; }
  std::int64_t total_memory() const override { return memory_; }
  Limits limits() const override { return limits_; }

  std::uint64_t allocate(std::size_t bytes, StreamHandle stream) override;
  void free(std::uint64_t address, StreamHandle stream) noexcept override;
  void free_when_idle(std::uint64_t address) noexcept override;
  std::int64_t reserved_memory() override;
  void trim() override;
  void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                      StreamHandle stream) override;
  void copy_to_host(void* to, std::uint64_t from, std::size_t bytes, StreamHandle stream) override;
  void copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes,
                      StreamHandle stream) override;

  std::unique_ptr<Executable> load(std::span<const std::byte> binary,
                                   const std::string& kernel_name) override;
  void launch(Executable& code, const LaunchRequest& request) override;
  void* make_graph(std::span<const GraphLaunch> launches) override;
  void launch_graph(void* graph, StreamHandle stream) override;
  void destroy_graph(void* graph) noexcept override;

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

 private:
  friend class CudaExecutable;
  friend class CudaAsync;
  class Current;  // makes the primary context current for a scope (runtime/cuda/current.h)

  /// Waits for the device, and frees what was freed for then. The context is current.
  void wait_and_free();
  void give_back(Address address, Stream stream) noexcept;
  /// Throws error{device}: what was tried, the driver's word, and for faults of earlier launches
  /// the last kernels.
  void check(Result r, const char* what);
  /// Of a result that ends the context, which `what` met: what happened, and from then on that the
  /// device is lost.
  [[noreturn]] void lose(Result r, const std::string& what, const std::string& kernels);
  void remember(const std::string& kernel);
  /// Puts a launch into its stream. The context is current.
  void enqueue(CudaExecutable& code, const LaunchRequest& request);
  [[noreturn]] void launch_failed(Result r, const CudaExecutable& code,
                                  const LaunchRequest& request);
  Context context();
  std::string last_kernels() const;
  struct Loaded {
    ModuleHandle module = nullptr;
    FunctionHandle function = nullptr;
    std::vector<std::string> remarks;
  };
  /// `registers`: of a thread at most; 0: as many as the driver's compiler takes.
  Loaded load_text(const support::Envelope& code, const std::string& kernel_name,
                   unsigned registers);
  Loaded load_held(const support::Envelope& code, const std::string& kernel_name, int most_local);
  Loaded load_full(const support::Envelope& code, const std::string& kernel_name);
  int attribute_of(const Loaded& code, int which) const;

  const DriverApi& api_;
  const int index_;
  DeviceId device_ = 0;
  std::atomic<Context> context_{nullptr};
  std::mutex start_;
  Pool pool_ = nullptr;  // null: the device has no stream-ordered allocation
  Staging staging_;
  std::string name_;
  support::Target target_;
  std::string refused_;  // why nothing can run here; empty: it can
  std::int64_t memory_ = 0;
  /// Freed, but some stream may still use it.
  struct Idle {
    enum Kind : unsigned char { Array, Managed, Pinned } kind;
    Address address;
  };
  std::mutex when_idle_gate_;
  std::vector<Idle> when_idle_;
  std::atomic<bool> any_when_idle_{false};  // array's: the next allocation waits for the device
  CudaAsync own_async_{*this};
  Limits limits_{};
  int multiprocessors_ = 0;
  const bool debug_;
  // The last launches, newest last, for messages about faults that show later.
  static constexpr unsigned remembered = 4;
  std::array<std::atomic<const std::string*>, remembered> recent_{};
  std::atomic<unsigned> launches_{0};
  std::mutex lost_gate_;
  std::string lost_;  // the fault that ended the context
};

}  // namespace krait::runtime::cuda
