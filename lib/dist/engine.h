// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What carries messages between ranks: an MPI, or the threads of this process. An engine starts
// messages and tests them; it waits for none, so that dist/job.h can give up and tell why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "dist/file_part.h"
#include "dist/notice.h"
#include "krait/detail/function_ref.h"

namespace krait::dist {

/// One message under way. Its memory stays where it is until `done`.
struct Ticket {
  bool done = true;
  std::uintptr_t request = 0;  // MPI's
  // Of threads: a message from a rank with a tag, or the gathering of that number.
  void* to = nullptr;
  std::size_t bytes = 0;
  int from = 0, tag = 0;
  std::uint64_t gathering = 0;
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  /// Contiguous host memory; messages between two ranks with the same tag keep their order.
  virtual void send(const void* from, std::size_t bytes, int to, int tag, Ticket& ticket) = 0;
  virtual void receive(void* to, std::size_t bytes, int from, int tag, Ticket& ticket) = 0;
  /// Every rank's `bytes` in the order of ranks, on every rank.
  virtual void gather(const void* mine, void* all, std::size_t bytes, Ticket& ticket) = 0;
  virtual bool test(Ticket& ticket) = 0;
  /// Between two tests: lets other processes and threads run.
  virtual void pause() noexcept = 0;

  // Beside all that: what still arrives when a rank waits for something else.
  virtual void tell(const Notice& notice) = 0;
  virtual bool hear(Notice& notice) = 0;
  /// As gather, of nothing, on the side: done when every rank has begun it.
  virtual void meet(Ticket& ticket) = 0;

  /// Writes and reads a part of a file, whose elements are packed; the file is there, and as long
  /// as it will be. Throws error{usage}.
  virtual void write_part(const FilePart& part, const std::byte* packed);
  virtual void read_part(const FilePart& part, std::byte* packed);

  /// Whether send and receive take addresses of CUDA's devices, too.
  virtual bool takes_device_memory() const noexcept { return false; }
  /// Whether they may be given them though the engine does not say so.
  virtual bool may_take_device_memory() const noexcept { return false; }

  /// Whether a rank that fails ends a process of its own, which prints why.
  virtual bool has_processes() const noexcept = 0;
  /// Ends all processes of the job.
  virtual void abort() noexcept = 0;
  /// The last call; `clean` is false where messages may be under way.
  virtual void close(bool clean) noexcept = 0;

 protected:
  int rank_ = 0, size_ = 1;
};

/// The engine of the launcher that started this process; one rank alone where there was none.
/// Throws error{device} where its MPI is missing, or of another kind than the launcher.
std::unique_ptr<Engine> open_launched();

/// Runs ranks as threads of this process, and returns when all have ended.
void run_threads(int ranks, krait::detail::function_ref<void(std::unique_ptr<Engine>&)> each);
/// An engine of one rank.
std::unique_ptr<Engine> open_alone();

/// KRAIT_DIST_TIMEOUT, or its default, in seconds. Throws error{usage}.
double time_limit();

}  // namespace krait::dist
