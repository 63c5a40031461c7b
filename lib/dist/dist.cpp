// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What krait/dist.h calls: jobs, and how they begin and end.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "dist/job.h"
#include "krait/compilation.h"
#include "support/error.h"

namespace krait::dist::detail {
namespace {

/// The jobs of processes that have not ended: exit() within one tells the others.
struct Living {
  std::mutex mutex;
  std::vector<job*> jobs;
};
Living& living() {
  static auto* const all = new Living;
  return *all;
}
void exiting() {
  Living& all = living();
  const std::lock_guard lock(all.mutex);
  for (job* of : all.jobs) {
    of->failed(error::kind_type::usage, "it called exit() while its kr::dist::world lived");
    of->leave();
  }
}
void forget(job* of) {
  Living& all = living();
  const std::lock_guard lock(all.mutex);
  std::erase(all.jobs, of);
}

}  // namespace

job* open_job() {
  auto made = std::make_unique<job>(open_launched());
  static const int registered = std::atexit(exiting);
  (void)registered;
  Living& all = living();
  const std::lock_guard lock(all.mutex);
  all.jobs.push_back(made.get());
  return made.release();
}
int uncaught() noexcept { return std::uncaught_exceptions(); }
void close_job(job* of, int uncaught_before) noexcept {
  if (!of) return;
  if (std::uncaught_exceptions() > uncaught_before && !of->broken())
    of->failed(error::kind_type::device, "an exception ended its kr::dist::world");
  forget(of);
  of->leave();
  // After a failure MPI may still write to the memory of messages, until the process ends.
  if (!of->broken() || !of->has_processes()) delete of;
}
int rank_of(const job* of) noexcept { return of->rank(); }
int size_of(const job* of) noexcept { return of->size(); }
krait::device device_of(const job* of) { return of->device(); }

void all_gather(job* of, const call& what, const void* mine, void* all, std::size_t bytes) {
  of->all_gather(what, mine, all, bytes);
}
void settle(job* of, const char* name) { of->settle(name); }
void compile_once(job* of, function_ref<void()> work) {
  const auto all_are_here = [&] {
    of->all_gather({.name = "kr::dist::world::compile"}, nullptr, nullptr, 0);
  };
  if (of->is_first_of_node())
    guard(of, [&] {
      work();
      wait_for_compilations();
    });
  all_are_here();
  if (!of->is_first_of_node()) guard(of, work);
  all_are_here();
}
void guard(job* of, function_ref<void()> work) {
  try {
    work();
  } catch (const error& e) {
    if (!of->broken()) of->failed(e.kind(), e.message());
    throw;
  } catch (const std::exception& e) {
    if (!of->broken()) of->failed(error::kind_type::device, e.what());
    throw;
  }
}

void run_ranks(int ranks, function_ref<void(job*)> each) {
  if (ranks < 1 || ranks > 1024)
    support::fail_usage("kr::dist::run: {} ranks, but a process can have 1 to 1024", ranks);
  std::mutex mutex;
  int first = ranks;  // the rank that failed by itself; others fail because of it
  std::exception_ptr why;
  run_threads(ranks, [&](std::unique_ptr<Engine>& engine) {
    const int rank = engine->rank();
    std::unique_ptr<job> of;
    try {
      of = std::make_unique<job>(std::move(engine));
      guard(of.get(), [&] { each(of.get()); });
      of->leave();
      if (of->broken()) throw error(error::kind_type::device, of->why().c_str());
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (rank < first) first = rank, why = std::current_exception();
    }
  });
  if (!why) return;
  try {
    std::rethrow_exception(why);
  } catch (const error& e) {
    throw error(e.kind(), fmt::format("kr::dist::run: rank {}: {}", first, e.message()).c_str());
  } catch (const std::exception& e) {
    throw error(error::kind_type::device,
                fmt::format("kr::dist::run: rank {}: {}", first, e.what()).c_str());
  }
}

int run_launched(function_ref<void(job*)> body) {
  job* of = nullptr;
  try {
    of = open_job();
    guard(of, [&] { body(of); });
    of->leave();
    const bool failed = of->broken();  // of another rank
    close_job(of, std::uncaught_exceptions());
    return failed;
  } catch (const std::exception& e) {
    if (of) close_job(of, std::uncaught_exceptions());  // prints why
    else std::fprintf(stderr, "krait: %s\n", e.what());
    return 1;
  }
}

}  // namespace krait::dist::detail
