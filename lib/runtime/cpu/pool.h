// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that share the work of launches. Work is cut into chunks; whoever is free takes the next
// one, in ascending order, and the thread that launches works too. A launch is over when all its
// chunks are taken and everybody who took one has finished it: a worker that the system has not
// woken yet is not waited for. Idle workers sleep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace krait::runtime::cpu {

class Pool {
 public:
  /// One a process; a forked child makes its own, since threads do not survive fork.
  static Pool& get();

  /// Threads that work on a launch, the caller included. KRAIT_NUM_THREADS, else the cores that the
  /// process may use, shared with the other ranks of its node.
  unsigned threads() const { return threads_; }

  /// What the threads of a launch take chunks from.
  class Chunks {
   public:
    explicit Chunks(std::int64_t count) : count_(count) {}
    /// The next one, for one thread alone; -1 where all are taken.
    std::int64_t take() {
      const std::int64_t chunk = next_.fetch_add(1, std::memory_order_relaxed);
      return chunk < count_ ? chunk : -1;
    }
    bool left() const { return next_.load(std::memory_order_relaxed) < count_; }

   private:
    std::int64_t count_;
    std::atomic<std::int64_t> next_{0};
  };
  using Work = void (*)(void* context, Chunks& chunks);
  /// Calls work(context, chunks) in every thread that takes part, which takes chunks until there is
  /// none; returns when all have ended. A thread may find none left. `work` does not throw.
  void run(std::int64_t chunks, Work work, void* context);

  /// Makes sure that every thread can have a Scratch of that size; throws device where there is no
  /// memory.
  void reserve(std::size_t bytes);

  /// Memory aligned to 64 bytes for one thread's use within one launch; blocks are kept for later
  /// launches.
  class Scratch {
   public:
    Scratch(Pool& pool, std::size_t bytes);
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    std::byte* data() const { return block_.data; }

   private:
    friend class Pool;
    struct Block {
      std::byte* data = nullptr;
      std::size_t bytes = 0;
    };
    static Block allocate(std::size_t bytes);
    Pool& pool_;
    Block block_;
  };

 private:
  struct Job {
    Work work;
    void* context;
    Chunks chunks;
    std::atomic<int> users{0};  // workers at it; raised under the pool's mutex
  };

  Pool();
  void start_workers();
  void worker();
  Job* pick();

  unsigned threads_;
  std::mutex mutex_;
  std::condition_variable wake_, finished_;
  std::vector<Job*> jobs_;  // with chunks left, oldest first
  std::vector<Scratch::Block> free_scratch_;
  unsigned started_ = 0;
  friend class Scratch;
};

}  // namespace krait::runtime::cpu
