// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank's part in a job. Every wait ends: by its messages, by another rank's failure, or by the
// time limit. A job that has failed once fails in every later call.
//
// Small collective calls are one gathering of slots of 64 bytes: a signature of the call, then the
// rank's own number. So ranks that make different calls meet in the same message and find it out.
#pragma once

#include <array>
#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "dist/carrier.h"
#include "dist/engine.h"
#include "krait/detail/dist/calls.h"
#include "krait/error.h"

namespace krait::dist::detail {

class Rim;

struct job {
 public:
  explicit job(std::unique_ptr<Engine> engine);
  job(const job&) = delete;
  job& operator=(const job&) = delete;
  ~job();

  int rank() const noexcept { return engine_->rank(); }
  int size() const noexcept { return engine_->size(); }
  krait::device device() const { return device_; }
  bool checked() const noexcept { return checked_; }
  bool is_first_of_node() const noexcept { return first_of_node_; }
  std::uint32_t next_serial() noexcept { return ++arrays_; }

  /// Begins a call: it counts, and fails in a job that has failed.
  void begin(const call& what);
  void all_gather(const call& what, const void* mine, void* all, std::size_t bytes);

  // From kr::dist::exchange_begin to wait(): its messages use the memory that others would.
  void start_waiting() noexcept { waiting_ = true; }
  void stop_waiting() noexcept { waiting_ = false; }
  /// Throws error{usage}, alike on all ranks.
  void refuse_waiting(const call& what) const;

  // Messages of any length; wait() ends all that were started.
  void send(const void* from, std::size_t bytes, int to, int tag);
  void receive(void* to, std::size_t bytes, int from, int tag);
  void wait(const char* name);
  /// Memory for messages, until the next call asks for its own: the host's, which the device's
  /// copies reach, and the device's.
  std::byte* scratch(std::size_t bytes);
  std::uint64_t device_scratch(std::size_t bytes);

  /// Chooses the carrier, alike on all ranks, at the first call. Throws error{usage} where
  /// KRAIT_DIST_GPU names one that cannot be.
  void open_carrier(const char* name);
  Carrier carrier() const noexcept { return carrier_; }
  Nccl& nccl() noexcept { return *nccl_; }
  /// Waits until NCCL takes another call; the device's default stream goes on after the last one.
  void begin_nccl(const char* name);
  void pass_nccl(const char* name);
  /// Waits for all messages of NCCL, before what would wait for them where no limit holds.
  void settle(const char* name);

  /// The prepared exchange of an array in the host's memory; null: Mail does it.
  Rim* rim(const decomposition& how, const elements& all);

  Engine& engine() noexcept { return *engine_; }

  /// Tells the others, once, that this rank has failed.
  void failed(error::kind_type kind, const char* text) noexcept;
  bool broken() const noexcept { return !why_.empty(); }
  /// What a rank says of its end, and the error that the others get from it.
  const std::string& why() const noexcept { return why_; }

  /// Ends the rank: with the others, or after a failure within a second.
  void leave() noexcept;
  bool has_processes() const noexcept { return engine_->has_processes(); }

 private:
  using Clock = std::chrono::steady_clock;

  void wait_for(std::vector<Ticket>& tickets, const char* name);
  /// Until done(), which may throw; `yields`: others of this machine make it so.
  void wait_until(const char* name, function_ref<bool()> done, bool yields);
  /// Asks NCCL; fails where that does.
  bool ask(const char* name, function_ref<bool()> nccl);
  /// Ends what NCCL may wait for, for ever.
  void drop_nccl() noexcept;
  /// Leaves it with the others.
  void close_nccl() noexcept;
  void listen(const char* name);
  /// Throws for this rank, and breaks the job. Where `told`, the others know by themselves.
  [[noreturn]] void fail(error::kind_type kind, const std::string& text, bool told);
  /// After the limit: asks who waits where, and fails.
  /// `heard`: the notice of a rank that has done so already.
  [[noreturn]] void give_up(const char* name, const Notice* heard);
  [[noreturn]] void disagree(const call& what);
  std::string here(const char* name) const;

  std::unique_ptr<Engine> engine_;
  krait::device device_;
  Clock::duration limit_;
  bool first_of_node_ = true;
  bool checked_ = false, told_ = false, left_ = false, waiting_ = false;
  std::uint64_t calls_ = 0;
  std::uint32_t arrays_ = 0;
  unsigned tests_before_pauses_ = 512;
  std::string why_;
  std::vector<Ticket> tickets_, gathering_;
  std::vector<std::byte> slots_;
  std::unique_ptr<std::byte[]> scratch_;
  void* pinned_ = nullptr;
  std::size_t scratch_bytes_ = 0;
  krait::detail::memory_share device_scratch_;
  std::size_t device_scratch_bytes_ = 0;
  bool any_gpu_ = false;  // a rank's device is one
  Carrier carrier_ = Carrier::Host;
  std::unique_ptr<Nccl> nccl_;
  std::array<std::unique_ptr<Rim>, 64> rims_;  // by arrays' numbers, the last that had this place
};

}  // namespace krait::dist::detail
