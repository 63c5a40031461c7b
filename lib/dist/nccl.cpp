// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dist/nccl.h"

#include <bit>
#include <utility>

#include "support/environment.h"
#include "support/error.h"
#include "support/places.h"
#include "support/threads.h"

namespace krait::dist {
namespace {

// ncclResult_t, and ncclRedOp_t's sum. A user's NCCL_COMM_BLOCKING=0 makes calls return early.
constexpr int success = 0, unhandled = 1, in_progress = 7, sum_of = 0;

struct OpenedNccl {
  NcclTable table;
  bool usable = false;
  std::string why;
};
OpenedNccl open_nccl() {
  OpenedNccl o;
  const char* const wished = support::environment_text("KRAIT_NCCL");
  o.table.file = wished ? wished : "libnccl.so.2";
  void* const library = support::open_library(o.table.file.c_str(), o.why);
  if (!library) return o;
  support::Symbols symbols{library};
#define X(name, symbol, parameters) symbols.find(symbol, o.table.name);
  KRAIT_NCCL_FUNCTIONS(X)
#undef X
  symbols.find("ncclGetErrorString", o.table.text);
  symbols.find("ncclGetLastError", o.table.last_error);
  if (symbols.missing)
    o.why = o.table.file + " has no " + symbols.missing + ": NCCL 2.13 or later is needed";
  o.usable = !symbols.missing;
  return o;
}

void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

const NcclTable* nccl_table(std::string& why) {
  static const auto* const opened = new OpenedNccl(open_nccl());
  why = opened->why;
  return opened->usable ? &opened->table : nullptr;
}

void Nccl::check(int result, const char* function) const {
  if (result == success || result == in_progress) return;
  const char* const more = table_.last_error(shared_->comm);
  support::fail_device("{} of {}: {}{}{}", function, table_.file, table_.text(result),
                       more && *more ? ": " : "", more ? more : "");
}

template <class Call>
void Nccl::here(const char* function, const Call& call) {
  const std::lock_guard lock(shared_->gate);
  refuse_stopped();
  int result = success;
  device_.async()->in_context([&] { result = call(); });
  check(result, function);
}
void Nccl::refuse_stopped() const {
  if (stopped_)
    support::fail_device(
        "NCCL: no answer for {:g} s (KRAIT_DIST_TIMEOUT) while the program waited for its device",
        std::chrono::duration<double>(limit_).count());
}
/// `call` must not need this object, which may be gone before it returns.
template <class Call>
void Nccl::apart(const char* function, Call call) {
  apart_ = function;
  shared_->done = false;
  support::start_thread([shared = shared_, &device = device_, call = std::move(call)] {
    int result = unhandled;
    try {
      device.async()->in_context([&] { result = call(); });
    } catch (const std::exception&) {
    }  // the device is lost
    shared->result = result;
    shared->done = true;
  }).detach();
}

Nccl::Nccl(const NcclTable& table, runtime::Device& device, const NcclId& id, int rank, int size,
           Clock::duration limit)
    : table_(table),
      device_(device),
      limit_(limit),
      sent_(std::size_t(size)),
      received_(std::size_t(size)) {
  device_.start();
  stream_ = device_.async()->create_stream_apart();
  before_ = device_.create_event();
  for (runtime::EventHandle& e : after_) e = device_.create_event();
  apart("ncclCommInitRank", [&t = table_, shared = shared_, id, rank, size] {
    return t.init(&shared->comm, size, id, rank);
  });
}

Nccl::~Nccl() {
  end_watch();
  if (!shared_->done) return;  // its thread has them
  try {
    device_.async()->in_context([&] {
      if (shared_->comm) table_.abort(shared_->comm);
    });
  } catch (const std::exception&) {
  }                                 // the device is lost
  device_.destroy_stream(stream_);  // when it is through
  device_.destroy_event(before_);
  for (const runtime::EventHandle e : after_) device_.destroy_event(e);
}

void Nccl::check_state(bool& waits) const {
  int state = success;
  if (shared_->comm) check(table_.state(shared_->comm, &state), "ncclCommGetAsyncError");
  check(state, "ncclCommGetAsyncError");
  waits = state == in_progress;
}
bool Nccl::ready() {
  if (!shared_->done) return false;
  if (apart_) check(shared_->result, std::exchange(apart_, nullptr));
  const std::lock_guard lock(shared_->gate);
  refuse_stopped();
  bool waits = false;
  check_state(waits);
  return !waits;
}

void Nccl::after_default_stream() {
  device_.record(before_, {});
  device_.wait(before_, stream_);
}

void Nccl::exchange(std::vector<Message> out, std::vector<Message> in) {
  after_default_stream();
  bool known = true;
  const auto connect = [&](std::vector<bool>& with, const std::vector<Message>& messages) {
    for (const Message& m : messages) {
      known = known && with[std::size_t(m.rank)];
      with[std::size_t(m.rank)] = true;
    }
  };
  connect(sent_, out), connect(received_, in);
  const auto call = [&t = table_, comm = shared_->comm, stream = stream_.native,
                     out = std::move(out), in = std::move(in)] {
    // A group that was begun is ended, whatever happens in it.
    int first = t.group_begin();
    const auto keep = [&](int result) {
      if (first == success || first == in_progress) first = result;
    };
    for (const Message& m : out)
      keep(t.send(at(m.address), m.bytes, int(NcclType::Byte), m.rank, comm, stream));
    for (const Message& m : in)
      keep(t.receive(at(m.address), m.bytes, int(NcclType::Byte), m.rank, comm, stream));
    keep(t.group_end());
    return first;
  };
  if (known) here("ncclGroupEnd", call);
  else apart("ncclGroupEnd", call);
}

void Nccl::sum(std::uint64_t from, std::uint64_t to, std::size_t count, NcclType type) {
  after_default_stream();
  const auto call = [&t = table_, comm = shared_->comm, stream = stream_.native, from, to, count,
                     type] {
    return t.all_reduce(at(from), at(to), count, int(type), sum_of, comm, stream);
  };
  // How it goes depends on the size: another way needs other connections.
  const std::uint64_t size = std::uint64_t(1) << (std::bit_width(count) - 1);
  const bool known = summed_ & size;
  summed_ |= size;
  if (known) here("ncclAllReduce", call);
  else apart("ncclAllReduce", call);
}

void Nccl::pass(bool queued) {
  const std::lock_guard lock(shared_->gate);
  const runtime::EventHandle after = after_[passed_ % std::size(after_)];
  device_.record(after, stream_);
  if (queued) device_.wait(after, runtime::StreamHandle{});
  ++passed_;
  moved_ = Clock::now();
  if (!watch_.joinable()) watch_ = support::start_thread([this] { watch(); });
  if (passed_ == arrived_ + 1) watch_changed_.notify_all();
}
bool Nccl::arrived(unsigned ahead) {
  const std::lock_guard lock(shared_->gate);
  refuse_stopped();
  moved_ = Clock::now();
  bool waits = false;
  check_state(waits);
  for (; arrived_ < passed_; ++arrived_)
    if (!device_.async()->is_done(after_[arrived_ % std::size(after_)])) break;
  return passed_ - arrived_ <= ahead;
}

void Nccl::watch() {
  constexpr std::chrono::milliseconds between_looks{50};
  std::unique_lock lock(shared_->gate);
  while (!watch_over_) {
    if (arrived_ == passed_) {
      watch_changed_.wait(lock);
      continue;
    }
    watch_changed_.wait_for(lock, between_looks);
    if (watch_over_ || stopped_) continue;
    try {
      for (; arrived_ < passed_; ++arrived_) {
        if (!device_.async()->is_done(after_[arrived_ % std::size(after_)])) break;
        moved_ = Clock::now();
      }
      if (arrived_ == passed_ || Clock::now() - moved_ < limit_ || !shared_->comm) continue;
      stopped_ = true;
      arrived_ = passed_;
      device_.async()->in_context([&] { table_.abort(std::exchange(shared_->comm, nullptr)); });
    } catch (const std::exception&) {
      arrived_ = passed_;  // the device is lost, which its next use tells
    }
  }
}
void Nccl::end_watch() {
  {
    const std::lock_guard lock(shared_->gate);
    watch_over_ = true;
    watch_changed_.notify_all();
  }
  if (watch_.joinable()) watch_.join();
}

void Nccl::close() {
  end_watch();
  apart("ncclCommDestroy", [&t = table_, shared = shared_] {
    return t.destroy(std::exchange(shared->comm, nullptr));
  });
}

}  // namespace krait::dist
