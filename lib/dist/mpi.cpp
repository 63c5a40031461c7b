// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine on an MPI. It has two communicators of its own, one for data and one for notices, so
// that a program's own messages meet none of ours.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>

#include <fmt/format.h>

#include "dist/engine.h"
#include "dist/mpi_table.h"
#include "support/error.h"
#include "support/threads.h"

namespace krait::dist {
namespace {

class Mpi final : public Engine {
 public:
  Mpi(const MpiTable& mpi, bool ours) : mpi_(mpi), ours_(ours) {
    check(mpi_.comm_dup(mpi_.world, &data_), "MPI_Comm_dup");
    check(mpi_.comm_dup(mpi_.world, &side_), "MPI_Comm_dup");
    for (const Word comm : {data_, side_})
      check(mpi_.comm_set_errhandler(comm, mpi_.errors_return), "MPI_Comm_set_errhandler");
    check(mpi_.comm_rank(data_, &rank_), "MPI_Comm_rank");
    check(mpi_.comm_size(data_, &size_), "MPI_Comm_size");
    listen();
  }

  void send(const void* from, std::size_t bytes, int to, int tag, Ticket& ticket) override {
    ticket = {};
    check(mpi_.isend(from, int(bytes), mpi_.byte, to, tag, data_, &ticket.request), "MPI_Isend");
    ticket.done = false;
  }
  void receive(void* to, std::size_t bytes, int from, int tag, Ticket& ticket) override {
    ticket = {};
    check(mpi_.irecv(to, int(bytes), mpi_.byte, from, tag, data_, &ticket.request), "MPI_Irecv");
    ticket.done = false;
  }
  void gather(const void* mine, void* all, std::size_t bytes, Ticket& ticket) override {
    ticket = {};
    check(mpi_.iallgather(mine, int(bytes), mpi_.byte, all, int(bytes), mpi_.byte, data_,
                          &ticket.request),
          "MPI_Iallgather");
    ticket.done = false;
  }
  bool test(Ticket& ticket) override {
    if (!ticket.done) ticket.done = finished(ticket.request);
    return ticket.done;
  }
  void pause() noexcept override { sched_yield(); }

  void tell(const Notice& notice) override {
    told_.push_back(notice);
    for (int to = 0; to < size_; ++to) {
      if (to == rank_) continue;
      Word request = 0;
      check(mpi_.isend(&told_.back(), sizeof(Notice), mpi_.byte, to, notice_tag, side_, &request),
            "MPI_Isend");
      mpi_.request_free(&request);
    }
  }
  bool hear(Notice& notice) override {
    if (!listening_ || !finished(news_)) return false;
    notice = heard_;
    listen();
    return true;
  }
  void meet(Ticket& ticket) override {
    ticket = {};
    check(mpi_.ibarrier(side_, &ticket.request), "MPI_Ibarrier");
    ticket.done = false;
  }

  // Each rank opens the file for itself: no rank waits for another within MPI, where no limit
  // holds.
  void write_part(const FilePart& part, const std::byte* packed) override {
    if (!fits(part)) return Engine::write_part(part, packed);
    each_piece(part, 0, packed, [&](const FilePart& piece, const std::byte* from) {
      with_view(piece, mpi_.write_only, "written", [&](Word file, int bytes) {
        alignas(16) char status[64];
        const int code = mpi_.file_write(file, from, bytes, mpi_.byte, status);
        return code ? code : mpi_.file_sync(file);
      });
    });
  }
  void read_part(const FilePart& part, std::byte* packed) override {
    if (!fits(part)) return Engine::read_part(part, packed);
    each_piece(part, 0, packed, [&](const FilePart& piece, std::byte* to) {
      with_view(piece, mpi_.read_only, "read", [&](Word file, int bytes) {
        alignas(16) char status[64];
        return mpi_.file_read(file, to, bytes, mpi_.byte, status);
      });
    });
  }

  bool takes_device_memory() const noexcept override {
    return mpi_.cuda_support && mpi_.cuda_support() == 1;
  }
  bool may_take_device_memory() const noexcept override { return true; }
  bool has_processes() const noexcept override { return true; }
  void abort() noexcept override { mpi_.abort(mpi_.world, 1); }
  void close(bool clean) noexcept override {
    int over = 0;
    mpi_.finalized(&over);
    if (over || !clean) return;
    if (listening_) {
      alignas(16) char status[64];
      int done = 0;
      mpi_.cancel(&news_);
      mpi_.test(&news_, &done, status);
      if (!done) mpi_.request_free(&news_);
    }
    mpi_.comm_free(&data_), mpi_.comm_free(&side_);
    if (ours_) mpi_.finalize();
  }

 private:
  static constexpr int notice_tag = 7;

  void check(int code, const char* function) const {
    if (code != 0) support::fail_device("{} of {}: {}", function, mpi_.file, text_of(code));
  }
  // Views count in int: larger arrays take the system's calls.
  bool fits(const FilePart& part) const {
    bool small = mpi_.has_files && part.rank > 0;
    for (int d = 0; d < part.rank; ++d) small = small && part.extents[d] <= INT_MAX;
    return small;
  }
  /// In pieces of less than 2^30 bytes, cut along the first axis that has several.
  template <class Byte, class Use>
  static void each_piece(const FilePart& part, int axis, Byte* packed, const Use& use) {
    std::int64_t slab = std::int64_t(part.element_bytes);
    for (int d = axis + 1; d < part.rank; ++d) slab *= part.count[d];
    const std::int64_t most = std::max<std::int64_t>((std::int64_t(1) << 30) / slab, 1);
    for (std::int64_t at = 0; at < part.count[axis]; at += most) {
      FilePart piece = part;
      piece.first[axis] += at, piece.count[axis] = std::min(most, part.count[axis] - at);
      if (slab * piece.count[axis] > INT_MAX) each_piece(piece, axis + 1, packed, use);
      else use(piece, packed);
      packed += slab * piece.count[axis];
    }
  }
  template <class Use>
  void with_view(const FilePart& of, int mode, const char* what, const Use& use) const {
    int extents[krait::detail::max_rank + 1], counts[krait::detail::max_rank + 1],
        firsts[krait::detail::max_rank + 1]{};
    for (int d = 0; d < of.rank; ++d)
      extents[d] = int(of.extents[d]), counts[d] = int(of.count[d]), firsts[d] = int(of.first[d]);
    extents[of.rank] = counts[of.rank] = int(of.element_bytes);
    std::int64_t bytes = 1;
    for (int d = 0; d <= of.rank; ++d) bytes *= counts[d];
    Word type = 0, file = 0;
    int code =
        mpi_.type_subarray(of.rank + 1, extents, counts, firsts, mpi_.order_c, mpi_.byte, &type);
    check(code ? code : mpi_.type_commit(&type), "MPI_Type_create_subarray");
    code = mpi_.file_open(mpi_.self, of.path.c_str(), mode, mpi_.no_info, &file);
    if (!code) {
      code =
          mpi_.file_set_view(file, std::int64_t(of.begin), mpi_.byte, type, "native", mpi_.no_info);
      if (!code) code = use(file, int(bytes));
      const int closed = mpi_.file_close(&file);
      if (!code) code = closed;
    }
    mpi_.type_free(&type);
    if (code) support::fail_usage("{}: cannot be {}: {}", of.path, what, text_of(code));
  }
  std::string text_of(int code) const {
    char text[512] = {};  // MPI_MAX_ERROR_STRING is at most that
    int length = 0;
    mpi_.error_string(code, text, &length);
    return text;
  }
  bool finished(Word& request) {
    alignas(16) char status[64];  // that of any ABI
    int done = 0;
    check(mpi_.test(&request, &done, status), "MPI_Test");
    return done;
  }
  void listen() {
    if (size_ == 1) return;
    check(mpi_.irecv(&heard_, sizeof heard_, mpi_.byte, mpi_.any_source, notice_tag, side_, &news_),
          "MPI_Irecv");
    listening_ = true;
  }

  const MpiTable& mpi_;
  const bool ours_;
  Word data_ = 0, side_ = 0, news_ = 0;
  bool listening_ = false;
  Notice heard_;
  std::deque<Notice> told_;  // until the process ends: nobody waits for these
};

/// MPI's start waits for every process of the job, and for ever where one of them runs a program
/// that has no world. Nothing can end that wait but the end of this process, after the time limit.
class StartWatch {
 public:
  StartWatch() : seconds_(time_limit()) {
    thread_ = support::start_thread([this] { watch(); });
  }
  StartWatch(const StartWatch&) = delete;
  ~StartWatch() {
    {
      const std::lock_guard lock(mutex_);
      started_ = true;
    }
    changed_.notify_all();
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::duration<double>(seconds_), [&] { return started_; }))
      return;
    const char* variable = nullptr;
    const int ranks = launched_ranks(variable);
    const std::string line = fmt::format(
        "krait: rank {} of {}: kr::dist::world: no answer for {:g} s (KRAIT_DIST_TIMEOUT): MPI waits "
        "for a process without a world: start the same program on all ranks",
        launched_rank(), std::max(ranks, 1), seconds_);
    std::fprintf(stderr, "%s\n", line.c_str());
    _exit(1);
  }

  const double seconds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  std::jthread thread_;  // the last: it ends before the others
};

}  // namespace

std::unique_ptr<Engine> open_launched() {
  const MpiTable* const mpi = mpi_table();
  if (!mpi) return open_alone();
  int on = 0, over = 0, level = 0, size = 0;
  mpi->initialized(&on), mpi->finalized(&over);
  if (over)
    support::fail_usage(
        "kr::dist::world: MPI has been finalised in this process, and cannot start again: "
        "keep one world for the whole job");
  std::unique_ptr<Mpi> engine;
  {
    const StartWatch watch;
    if (!on && mpi->init_thread(nullptr, nullptr, mpi->thread_serialized, &level) != 0)
      support::fail_device("kr::dist: MPI_Init_thread of {} fails", mpi->file);
    engine = std::make_unique<Mpi>(*mpi, !on);
  }
  size = engine->size();
  const char* variable = nullptr;
  if (const int launched = launched_ranks(variable); launched > 0 && !on && launched != size) {
    engine->close(true);
    support::fail_device(
        "kr::dist: {}={}, but {} ({}) sees {} rank{}: the launcher and the MPI library are of "
        "different kinds",
        variable, launched, mpi->file, mpi->abi, size, size == 1 ? "" : "s");
  }
  return engine;
}

}  // namespace krait::dist
