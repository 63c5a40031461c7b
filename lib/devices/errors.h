// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What went wrong in work that goes on while the host does other things: faults of kernels, what
// functions of streams threw (stream::call_host), what the user's handler of printed lines threw.
// Each belongs to its launch, and comes out once, of a wait for that launch: for its stream, for an
// array that it wrote, for all of its device.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace krait::detail {
struct storage;
}

namespace krait::host {

struct StreamRecord;

/// A number that no other thread of the process has or had.
std::uint64_t this_thread() noexcept;
/// The same of an array's memory, given at the first call. Addresses come again, and would bring
/// another array's errors.
std::uint64_t number_of(detail::storage& memory) noexcept;

/// An array that a launch was given.
struct ArrayUse {
  std::uint64_t array;
  bool written;
  friend bool operator==(const ArrayUse&, const ArrayUse&) = default;
};

/// Whose an error is: a launch, or a function's call by a stream.
struct Origin {
  StreamRecord* stream = nullptr;  // null: the device's default one, which all threads share
  std::uint64_t order = 0;         // among all of its device
  bool own = false;                // its call waits for it, so that no other wait takes its error
  std::vector<ArrayUse> arrays{};
  std::uint64_t thread = this_thread();
};

/// What the host has waited for.
struct Wait {
  enum class For : std::uint8_t { Launch, Arrays, Event, Stream, Device, Everything };
  For what{};
  const StreamRecord* stream = nullptr;
  std::span<const std::uint64_t> arrays{};  // by their numbers
  // the order of a call's own launch; 0: it has none that may have errors
  std::uint64_t launch = 0;
  std::uint64_t before = 0;    // of the last launch before the event
  std::uint64_t recorder = 0;  // the thread that recorded the event
  std::uint64_t thread = this_thread();

  bool covers(const Origin& of) const;
};

/// Whether both are one order of work. Others' streams may have several records.
bool is_one_order(const StreamRecord* a, const StreamRecord* b);
/// Whether the stream is gone, and nobody can wait for it any more.
bool has_ended(const StreamRecord* stream);

/// What went wrong in one launch: the first fault, and how many there were.
struct Fault {
  std::string what, text, file;
  unsigned line = 0;
  std::uint64_t count = 0;
};
[[noreturn]] void throw_fault(const Fault& fault);
/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t n);

/// Those of a device that nobody has taken.
class Errors {
 public:
  /// The number of a launch that may have errors: they ascend.
  std::uint64_t next() noexcept { return 1 + launches_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t last() const noexcept { return launches_.load(std::memory_order_relaxed); }

  void keep(std::shared_ptr<const Origin> of, Fault fault) noexcept;
  /// A launch's first exception stays, its others are left out.
  void keep(std::shared_ptr<const Origin> of, std::exception_ptr thrown) noexcept;
  bool any() const noexcept { return any_.load(std::memory_order_acquire); }
  /// Throws the oldest that the wait covers. Faults come out together: the first, and how many
  /// there were.
  void raise(const Wait& wait);
  /// Nobody can wait for the stream any more: the log gets what nobody took. Faults are still
  /// thrown by waits for the arrays, whose contents they spoiled, and to the thread that launched.
  void end(StreamRecord& stream) noexcept;

 private:
  struct Kept {
    std::shared_ptr<const Origin> of;
    Fault fault;
    std::exception_ptr thrown;  // null: it is a fault
  };
  void keep(Kept fresh) noexcept;

  std::atomic<std::uint64_t> launches_{0};
  std::atomic<bool> any_{false};
  std::mutex gate_;
  std::vector<Kept> kept_;
};

}  // namespace krait::host
