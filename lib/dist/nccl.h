// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between the memories of GPUs by NCCL, without nccl.h: the functions that we need, and
// the constants of its interface, as data.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "runtime/async.h"

namespace krait::dist {

/// ncclUniqueId: what rank 0 makes and all ranks of a communicator begin with.
struct NcclId {
  char bytes[128] = {};
};
using NcclComm = void*;
using NcclStream = void*;

// One row a function: name here, symbol in the library, parameters.
#define KRAIT_NCCL_FUNCTIONS(X)                                                   \
  X(version, "ncclGetVersion", (int*))                                            \
  X(new_id, "ncclGetUniqueId", (NcclId*))                                         \
  X(init, "ncclCommInitRank", (NcclComm*, int, NcclId, int))                      \
  X(state, "ncclCommGetAsyncError", (NcclComm, int*))                             \
  X(destroy, "ncclCommDestroy", (NcclComm))                                       \
  X(abort, "ncclCommAbort", (NcclComm))                                           \
  X(group_begin, "ncclGroupStart", ())                                            \
  X(group_end, "ncclGroupEnd", ())                                                \
  X(send, "ncclSend", (const void*, std::size_t, int, int, NcclComm, NcclStream)) \
  X(receive, "ncclRecv", (void*, std::size_t, int, int, NcclComm, NcclStream))    \
  X(all_reduce, "ncclAllReduce", (const void*, void*, std::size_t, int, int, NcclComm, NcclStream))

struct NcclTable {
#define X(name, symbol, parameters) int(*name) parameters = nullptr;
  KRAIT_NCCL_FUNCTIONS(X)
#undef X
  const char* (*text)(int) = nullptr;             // ncclGetErrorString
  const char* (*last_error)(NcclComm) = nullptr;  // ncclGetLastError
  std::string file;
};

/// The library of KRAIT_NCCL, or libnccl.so.2; null: `why` tells it.
const NcclTable* nccl_table(std::string& why);

/// ncclDataType_t.
enum class NcclType : int {
  Byte = 1,
  Int32 = 2,
  UInt32 = 3,
  Int64 = 4,
  UInt64 = 5,
  Float = 7,
  Double = 8
};

/// This rank's part of a communicator, with a stream of its own. NCCL waits for other ranks where
/// it connects with them: at the start, at the end, and in the first call that needs a connection.
/// Those calls run in a thread, so that the rank can give up. All others just fill the stream.
/// All functions but the destructor throw error{device} with NCCL's words.
///
/// The host does not wait for messages: the device's default stream does, so that the host is ahead
/// by some calls. Where a program then waits for its device, whose messages never come, a thread
/// stops them after the time limit, and the next call of kr::dist tells why.
class Nccl {
 public:
  using Clock = std::chrono::steady_clock;
  /// Calls whose messages may be under way while the next begins.
  static constexpr unsigned most_ahead = 3;

  /// Starts to join the others; ready() tells when it is done.
  Nccl(const NcclTable& table, runtime::Device& device, const NcclId& id, int rank, int size,
       Clock::duration limit);
  Nccl(const Nccl&) = delete;
  /// Stops what is under way, if close() did not end it with the others. A call that never returns
  /// keeps its communicator.
  ~Nccl();

  /// Whether what was called last is done, or in the stream.
  bool ready();

  struct Message {
    std::uint64_t address;
    std::size_t bytes;
    int rank;
  };
  /// All under way together, after what the device's default stream holds now. Those between two
  /// ranks meet in their order.
  void exchange(std::vector<Message> out, std::vector<Message> in);
  /// The sum over ranks, on every rank, likewise.
  void sum(std::uint64_t from, std::uint64_t to, std::size_t count, NcclType type);
  /// Ends what was called, which must be ready(). If `queued`, what the default stream gets from
  /// now on comes after it.
  void pass(bool queued);
  /// Whether all that was passed is done, but for the last `ahead` calls.
  bool arrived(unsigned ahead);

  /// Starts to leave the others; then ready() is all that may be called.
  void close();

 private:
  /// What the thread of a call shares with this.
  struct Shared {
    std::mutex gate;  // held while the communicator is used where the watching thread might end it
    NcclComm comm = nullptr;
    std::atomic<bool> done{true};
    int result = 0;
  };
  template <class Call>
  void here(const char* function, const Call& call);
  template <class Call>
  void apart(const char* function, Call call);
  void check(int result, const char* function) const;
  void check_state(bool& in_progress) const;
  void after_default_stream();
  void refuse_stopped() const;
  void watch();
  void end_watch();

  const NcclTable& table_;
  runtime::Device& device_;
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  const char* apart_ = nullptr;  // what runs in a thread
  runtime::StreamHandle stream_{};
  runtime::EventHandle before_{}, after_[most_ahead + 1]{};
  std::uint64_t passed_ = 0, arrived_ = 0;  // calls
  const Clock::duration limit_;
  Clock::time_point moved_{};  // when a call arrived, or the host asked
  bool stopped_ = false, watch_over_ = false;
  std::condition_variable watch_changed_;
  std::vector<bool> sent_, received_;  // connections with each rank
  std::uint64_t summed_ = 0;           // sizes, by their powers of two
  std::jthread watch_;
};

}  // namespace krait::dist
