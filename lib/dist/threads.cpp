// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks as threads of one process, for tests and for programs without a launcher. Messages are
// copied into a board that all ranks share.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "dist/engine.h"
#include "support/threads.h"

namespace krait::dist {
namespace {

using Bytes = std::vector<std::byte>;

struct Gathering {
  Bytes all;
  std::vector<std::size_t> sizes;
  int arrived = 0, taken = 0;
};

struct Board {
  explicit Board(int ranks) : size(ranks), notices(std::size_t(ranks)) {}
  const int size;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::tuple<int, int, int>, std::deque<Bytes>> mail;  // from, to, tag
  std::map<std::uint64_t, Gathering> gatherings;
  std::vector<std::deque<Notice>> notices;
  int met = 0;
};

class Threads final : public Engine {
 public:
  Threads(std::shared_ptr<Board> board, int rank) : board_(std::move(board)) {
    rank_ = rank, size_ = board_->size;
  }

  void send(const void* from, std::size_t bytes, int to, int tag, Ticket& ticket) override {
    const auto* const first = static_cast<const std::byte*>(from);
    const std::lock_guard lock(board_->mutex);
    board_->mail[{rank_, to, tag}].emplace_back(first, first + bytes);
    board_->changed.notify_all();
    ticket = {};
  }
  void receive(void* to, std::size_t bytes, int from, int tag, Ticket& ticket) override {
    ticket = {false, Receive, to, bytes, from, tag, 0};
  }
  void gather(const void* mine, void* all, std::size_t bytes, Ticket& ticket) override {
    const std::lock_guard lock(board_->mutex);
    Gathering& g = board_->gatherings[++gatherings_];
    g.all.resize(bytes * std::size_t(size_));
    std::memcpy(g.all.data() + bytes * std::size_t(rank_), mine, bytes);
    ++g.arrived;
    board_->changed.notify_all();
    ticket = {false, Gather, all, bytes, 0, 0, gatherings_};
  }
  bool test(Ticket& ticket) override {
    if (ticket.done) return true;
    const std::lock_guard lock(board_->mutex);
    if (ticket.request == Receive) {
      auto& box = board_->mail[{ticket.from, rank_, ticket.tag}];
      if (box.empty()) return false;
      std::memcpy(ticket.to, box.front().data(), std::min(ticket.bytes, box.front().size()));
      box.pop_front();
    } else if (ticket.request == Gather) {
      Gathering& g = board_->gatherings[ticket.gathering];
      if (g.arrived < size_) return false;
      std::memcpy(ticket.to, g.all.data(), ticket.bytes * std::size_t(size_));
      if (++g.taken == size_) board_->gatherings.erase(ticket.gathering);
    } else if (board_->met < size_) {
      return false;
    }
    return ticket.done = true;
  }
  void pause() noexcept override {
    std::unique_lock lock(board_->mutex);
    board_->changed.wait_for(lock, std::chrono::microseconds(200));
  }

  void tell(const Notice& notice) override {
    const std::lock_guard lock(board_->mutex);
    for (int to = 0; to < size_; ++to)
      if (to != rank_) board_->notices[std::size_t(to)].push_back(notice);
    board_->changed.notify_all();
  }
  bool hear(Notice& notice) override {
    const std::lock_guard lock(board_->mutex);
    auto& mine = board_->notices[std::size_t(rank_)];
    if (mine.empty()) return false;
    notice = mine.front(), mine.pop_front();
    return true;
  }
  void meet(Ticket& ticket) override {
    const std::lock_guard lock(board_->mutex);
    ++board_->met;
    board_->changed.notify_all();
    ticket = {false, Meet, nullptr, 0, 0, 0, 0};
  }

  bool has_processes() const noexcept override { return false; }
  void abort() noexcept override {}
  void close(bool) noexcept override {}

 private:
  enum Kind : std::uintptr_t { Receive, Gather, Meet };
  std::shared_ptr<Board> board_;
  std::uint64_t gatherings_ = 0;
};

}  // namespace

void run_threads(int ranks, krait::detail::function_ref<void(std::unique_ptr<Engine>&)> each) {
  const auto board = std::make_shared<Board>(ranks);
  const auto run = [&](int rank) {
    std::unique_ptr<Engine> engine = std::make_unique<Threads>(board, rank);
    each(engine);
  };
  std::vector<std::jthread> threads;
  for (int r = 1; r < ranks; ++r) threads.push_back(support::start_thread([&run, r] { run(r); }));
  run(0);
}

std::unique_ptr<Engine> open_alone() {
  return std::make_unique<Threads>(std::make_shared<Board>(1), 0);
}

}  // namespace krait::dist
