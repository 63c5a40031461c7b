// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Page-locked and managed memory, priorities, functions of the host in streams, copies that nobody
// waits for, and copies between two GPUs.
#pragma once

#include <atomic>
#include <mutex>
#include <set>

#include "runtime/async.h"
#include "runtime/cuda/driver_api.h"

namespace krait::runtime::cuda {

class CudaDevice;

class CudaAsync final : public Async {
 public:
  explicit CudaAsync(CudaDevice& device) : device_(device) {}

  void* allocate_pinned(std::size_t bytes) override;
  bool free_pinned(void* memory) noexcept override;
  std::uint64_t allocate_managed(std::size_t bytes) override;
  void free_managed(std::uint64_t address, std::size_t bytes) noexcept override;
  StreamHandle create_stream(Priority rank) override;
  bool call_host(void (*function)(void*), void* with, StreamHandle stream) override;
  void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                      StreamHandle stream) override;
  void copy_to_host(void* to, std::uint64_t from, std::size_t bytes, StreamHandle stream) override;
  bool is_peer(Device& other) const override;
  void copy_between(const Place& to, const Place& from, std::size_t bytes,
                    StreamHandle stream) override;
  std::string hardware() override;
  void in_context(krait::detail::function_ref<void()> f) override;
  StreamHandle create_stream_apart() override;
  bool is_done(EventHandle event) override;

  std::int64_t managed_bytes() const { return managed_.load(std::memory_order_relaxed); }

 private:
  /// Frees what was left before, which waits for the device where there is some. The context is
  /// current.
  void free_waiting();
  void leave(unsigned char kind, Address address) noexcept;
  /// Lets the two copy without the host where their connection can: each context, and each pool,
  /// which has rights of its own.
  void open_way(CudaDevice& other);
  static void open_one_way(CudaDevice& reader, CudaDevice& owner);

  CudaDevice& device_;
  std::atomic<std::int64_t> managed_{0};
  std::mutex peers_gate_;
  std::set<CudaDevice*> peers_;  // the way to them was opened
};

}  // namespace krait::runtime::cuda
