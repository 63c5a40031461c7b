// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libnccl.so.2 between threads of one process, on streams of pretended_gpus.h. It takes what NCCL
// takes and refuses what NCCL does not define: messages that meet with different lengths, a second
// group in one, use before a communicator is ready. The variable MADE_UP_NCCL makes it fail:
// "start", or "error N", "stall N" or "hang N" with the number of rank 1's operation: an error that
// comes later, one that never ends, and a call that never returns.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dist/nccl.h"
#include "dist/pretended_gpus.h"

namespace {

using krait::dist::NcclId;
using krait::dist::NcclType;
using Bytes = std::vector<std::byte>;

constexpr int success = 0, unhandled = 1, invalid_argument = 4, invalid_usage = 5, remote = 6;

struct Board {
  std::mutex mutex;
  std::condition_variable changed;
  int joined = 0, left = 0;
  std::map<std::pair<int, int>, std::deque<Bytes>> mail;  // from, to
  struct Sum {
    std::vector<Bytes> parts;
    int arrived = 0, taken = 0;
  };
  std::map<int, Sum> sums;
};
std::mutex boards_mutex;
std::map<std::string, std::shared_ptr<Board>> boards;
std::atomic<int> ids{0}, open_communicators{0};

struct Comm {
  std::shared_ptr<Board> board;
  int rank = 0, size = 0, operations = 0, sums = 0;
  std::atomic<int> state{success};
  std::atomic<bool> aborted{false};
  std::atomic<int> under_way{0};

  /// Whether rank 1 is to go wrong so now.
  bool wrong(const std::string& how) const {
    const char* const wish = std::getenv("MADE_UP_NCCL");
    return wish && rank == 1 && how + " " + std::to_string(operations) == wish;
  }
  /// Waits on the board, in a stream; false: aborted.
  template <class Condition>
  bool wait(std::unique_lock<std::mutex>& lock, const Condition& holds) {
    while (!aborted && !holds()) board->changed.wait_for(lock, std::chrono::milliseconds(1));
    return !aborted;
  }
  void put(void* stream, std::function<bool()> work) {
    ++operations;
    ++under_way;
    const bool stalls = wrong("stall");
    static_cast<dist_test::PretendedStream*>(stream)->put([this, stalls, work = std::move(work)] {
      while (stalls && !aborted) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (!aborted && !work()) state = invalid_usage;
      --under_way;
    });
    if (wrong("error")) state = remote;
  }
};

struct Part {
  void* at;
  std::size_t bytes;
  int peer;
};
struct Group {
  int depth = 0;
  Comm* comm = nullptr;
  void* stream = nullptr;
  std::vector<Part> out, in;
};
thread_local Group group;

bool run(Comm& c, const Group& g) {
  Board& b = *c.board;
  std::unique_lock lock(b.mutex);
  for (const Part& p : g.out) {
    const auto* const first = static_cast<const std::byte*>(p.at);
    b.mail[{c.rank, p.peer}].emplace_back(first, first + p.bytes);
  }
  b.changed.notify_all();
  bool right = true;
  for (const Part& p : g.in) {
    auto& box = b.mail[{p.peer, c.rank}];
    if (!c.wait(lock, [&] { return !box.empty(); })) return true;
    right = right && box.front().size() == p.bytes;
    if (right) std::memcpy(p.at, box.front().data(), p.bytes);
    box.pop_front();
  }
  return right;
}

template <class Number>
void add(Bytes& to, const Bytes& from) {
  for (std::size_t i = 0; i < to.size(); i += sizeof(Number)) {
    Number x, y;
    std::memcpy(&x, &to[i], sizeof x), std::memcpy(&y, &from[i], sizeof y);
    x = Number(x + y);
    std::memcpy(&to[i], &x, sizeof x);
  }
}
void add(NcclType type, Bytes& to, const Bytes& from) {
  switch (type) {
    case NcclType::Byte: return add<std::uint8_t>(to, from);
    case NcclType::Int32: return add<std::int32_t>(to, from);
    case NcclType::UInt32: return add<std::uint32_t>(to, from);
    case NcclType::Int64: return add<std::int64_t>(to, from);
    case NcclType::UInt64: return add<std::uint64_t>(to, from);
    case NcclType::Float: return add<float>(to, from);
    case NcclType::Double: return add<double>(to, from);
  }
}
std::size_t bytes_of(NcclType type) {
  return type == NcclType::Byte                                                            ? 1
         : type == NcclType::Int64 || type == NcclType::UInt64 || type == NcclType::Double ? 8
                                                                                           : 4;
}

int queue(Comm& c, void* stream, std::vector<Part> Group::*where, Part part) {
  if (!group.depth || c.state != success || part.peer < 0 || part.peer >= c.size)
    return invalid_usage;
  group.comm = &c, group.stream = stream;
  (group.*where).push_back(part);
  return success;
}

}  // namespace

#define MADE_UP extern "C" [[gnu::visibility("default")]]

MADE_UP int ncclGetVersion(int* version) {
  const char* const wish = std::getenv("MADE_UP_NCCL");
  return *version = 22700, wish && std::strcmp(wish, "start") == 0 ? unhandled : success;
}
MADE_UP int ncclGetUniqueId(NcclId* id) {
  const std::string text = "communicator " + std::to_string(++ids);
  std::memcpy(id->bytes, text.c_str(), text.size() + 1);
  return success;
}
MADE_UP int ncclCommInitRank(void** comm, int size, NcclId id, int rank) {
  auto* const made = new Comm;
  made->rank = rank, made->size = size;
  {
    const std::lock_guard lock(boards_mutex);
    auto& board = boards[id.bytes];
    if (!board) board = std::make_shared<Board>();
    made->board = board;
  }
  ++open_communicators;
  *comm = made;
  std::unique_lock lock(made->board->mutex);
  ++made->board->joined;
  made->board->changed.notify_all();
  made->wait(lock, [&] { return made->board->joined == size; });
  made->state = success;
  return success;
}
MADE_UP int ncclCommGetAsyncError(void* comm, int* state) {
  return *state = static_cast<Comm*>(comm)->state, success;
}
MADE_UP int ncclCommAbort(void* comm) {
  Comm* const c = static_cast<Comm*>(comm);
  c->aborted = true;
  while (c->under_way > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  --open_communicators;
  delete c;
  return success;
}
MADE_UP int ncclCommDestroy(void* comm) {
  Comm& c = *static_cast<Comm*>(comm);
  {
    std::unique_lock lock(c.board->mutex);
    ++c.board->left;
    c.board->changed.notify_all();
    c.wait(lock, [&] { return c.board->left == c.size && c.under_way == 0; });
  }
  return ncclCommAbort(comm);
}
MADE_UP int ncclGroupStart() {
  if (group.depth > 0) return invalid_usage;
  group.depth = 1;
  return success;
}
MADE_UP int ncclGroupEnd() {
  if (group.depth == 0) return invalid_usage;
  const Group g = std::exchange(group, Group{});
  while (g.comm && g.comm->wrong("hang")) std::this_thread::sleep_for(std::chrono::seconds(1));
  if (g.comm) g.comm->put(g.stream, [g] { return run(*g.comm, g); });
  return success;
}
MADE_UP int ncclSend(const void* from, std::size_t count, int type, int peer, void* comm,
                     void* stream) {
  return queue(*static_cast<Comm*>(comm), stream, &Group::out,
               {const_cast<void*>(from), count * bytes_of(NcclType(type)), peer});
}
MADE_UP int ncclRecv(void* to, std::size_t count, int type, int peer, void* comm, void* stream) {
  return queue(*static_cast<Comm*>(comm), stream, &Group::in,
               {to, count * bytes_of(NcclType(type)), peer});
}
MADE_UP int ncclAllReduce(const void* from, void* to, std::size_t count, int type, int operation,
                          void* comm, void* stream) {
  Comm& c = *static_cast<Comm*>(comm);
  if (operation != 0 || c.state != success) return invalid_usage;
  const std::size_t bytes = count * bytes_of(NcclType(type));
  c.put(stream, [&c, from, to, bytes, type, number = ++c.sums] {
    Board& b = *c.board;
    std::unique_lock lock(b.mutex);
    Board::Sum& sum = b.sums[number];
    sum.parts.resize(std::size_t(c.size));
    const auto* const first = static_cast<const std::byte*>(from);
    sum.parts[std::size_t(c.rank)].assign(first, first + bytes);
    ++sum.arrived;
    b.changed.notify_all();
    if (!c.wait(lock, [&] { return sum.arrived == c.size; })) return true;
    Bytes all = sum.parts[0];
    for (std::size_t r = 1; r < sum.parts.size(); ++r) {
      if (sum.parts[r].size() != bytes) return false;
      add(NcclType(type), all, sum.parts[r]);
    }
    std::memcpy(to, all.data(), bytes);
    return true;
  });
  return success;
}
MADE_UP const char* ncclGetErrorString(int result) {
  return result == remote             ? "remote process exited or there was a network error"
         : result == invalid_usage    ? "invalid usage"
         : result == invalid_argument ? "invalid argument"
                                      : "unhandled cuda error";
}
MADE_UP const char* ncclGetLastError(void*) { return ""; }
/// For the test: those that were neither destroyed nor aborted.
MADE_UP int made_up_communicators() { return open_communicators; }
