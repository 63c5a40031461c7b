// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devices/errors.h"

#include <algorithm>

#include <fmt/format.h>

#include "devices/devices.h"
#include "devices/memory.h"
#include "support/error.h"
#include "support/log.h"

namespace krait::host {
namespace {

/// Of a program that launches for ever and waits for nothing: from so many on, faults of launches
/// that are waited for alike become one, and beyond so many the log gets the oldest.
constexpr std::size_t most_apart = 64, most_kept = 1024;

std::string text_of(const Fault& f) {
  const std::string more = f.count == 1 ? ""
                                        : fmt::format("; and {} further {}", grouped(f.count - 1),
                                                      f.count == 2 ? "fault" : "faults");
  return fmt::format("{}: {}{}", f.what, f.text, more);
}

bool is_alike(const Origin& a, const Origin& b) {
  return a.stream == b.stream && a.thread == b.thread && !a.own && !b.own && a.arrays == b.arrays;
}

std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "a function threw an object that is not a std::exception";
  }
}

void log_untaken(const std::string& what) noexcept {
  if (support::logs(support::LogLevel::Error))
    support::write_log(support::LogLevel::Error, "nobody waited for this error: {}",
                       fmt::make_format_args(what));
}

}  // namespace

std::string grouped(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::uint64_t this_thread() noexcept {
  static std::atomic<std::uint64_t> threads{0};
  thread_local const std::uint64_t own = 1 + threads.fetch_add(1, std::memory_order_relaxed);
  return own;
}

std::uint64_t number_of(detail::storage& memory) noexcept {
  static std::atomic<std::uint64_t> arrays{0};
  std::uint64_t known = memory.number.load(std::memory_order_relaxed);
  if (known) return known;
  const std::uint64_t fresh = 1 + arrays.fetch_add(1, std::memory_order_relaxed);
  return memory.number.compare_exchange_strong(known, fresh, std::memory_order_relaxed) ? fresh
                                                                                        : known;
}

bool is_one_order(const StreamRecord* a, const StreamRecord* b) {
  if (a == b) return true;
  return a && b && !a->owned && !b->owned && a->device == b->device &&
         a->handle.native == b->handle.native;
}

bool has_ended(const StreamRecord* stream) {
  return stream && stream->owned && !stream->alive.load();
}

bool Wait::covers(const Origin& of) const {
  if (what == For::Everything) return true;
  if (of.own) return of.order == launch;
  const bool is_mine = of.thread == thread;
  switch (what) {
    case For::Everything:
    case For::Launch: break;
    case For::Arrays:
      if (is_mine && is_one_order(of.stream, stream)) return true;
      return std::any_of(of.arrays.begin(), of.arrays.end(), [&](const ArrayUse& use) {
        return (use.written || is_mine) &&
               std::find(arrays.begin(), arrays.end(), use.array) != arrays.end();
      });
    case For::Event:
      return is_one_order(of.stream, stream) && of.order <= before &&
             (stream || is_mine || of.thread == recorder);
    case For::Stream: return is_one_order(of.stream, stream);
    case For::Device: return is_mine || !has_ended(of.stream);
  }
  return false;
}

void throw_fault(const Fault& f) {
  throw error(error::kind_type::usage, text_of(f).c_str(), f.file.c_str(), f.line);
}

void Errors::keep(std::shared_ptr<const Origin> of, Fault fault) noexcept {
  keep({std::move(of), std::move(fault), nullptr});
}
void Errors::keep(std::shared_ptr<const Origin> of, std::exception_ptr thrown) noexcept {
  keep({std::move(of), {}, std::move(thrown)});
}

void Errors::keep(Kept fresh) noexcept try {
  Kept oldest;  // destroyed without the lock: what a function threw is the user's object
  {
    const std::lock_guard lock(gate_);
    if (fresh.thrown) {
      const auto is_another = [&](const Kept& k) {
        return k.thrown && k.of->order == fresh.of->order;
      };
      if (std::any_of(kept_.begin(), kept_.end(), is_another)) return;
    }
    if (has_ended(fresh.of->stream)) {
      log_untaken(fresh.thrown ? text_of(fresh.thrown) : text_of(fresh.fault));
      if (fresh.thrown) return;
    }
    if (!fresh.thrown && kept_.size() >= most_apart) {
      const auto takes_it = [&](const Kept& k) {
        return !k.thrown && is_alike(*k.of, *fresh.of) && k.fault.what == fresh.fault.what;
      };
      const auto last = std::find_if(kept_.rbegin(), kept_.rend(), takes_it);
      if (last != kept_.rend()) return void(last->fault.count += fresh.fault.count);
    }
    // In the order of launching, though streams are read one after the other.
    const auto later = [](const Kept& a, const Kept& b) { return a.of->order < b.of->order; };
    kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), fresh, later), std::move(fresh));
    any_.store(true, std::memory_order_release);
    if (kept_.size() > most_kept) {
      oldest = std::move(kept_.front());
      kept_.erase(kept_.begin());
    }
  }
  if (oldest.of) log_untaken(oldest.thrown ? text_of(oldest.thrown) : text_of(oldest.fault));
} catch (...) {  // the list could not grow: one is lost
}

void Errors::raise(const Wait& wait) {
  Kept taken;
  std::vector<Kept> rest;  // destroyed without the lock
  {
    const std::lock_guard lock(gate_);
    for (auto k = kept_.begin(); k != kept_.end();) {
      const bool covered = wait.covers(*k->of);
      const bool first = covered && !taken.of;
      const bool further = covered && taken.of && !taken.thrown && !k->thrown;
      const bool left = covered && k->of->own && !first;  // no other wait would take it
      if (!first && !further && !left) {
        ++k;
        continue;
      }
      if (further) taken.fault.count += k->fault.count;
      if (first) taken = std::move(*k);
      else rest.push_back(std::move(*k));
      k = kept_.erase(k);
    }
    any_.store(!kept_.empty(), std::memory_order_release);
  }
  if (!taken.of) return;
  rest.clear();
  if (taken.thrown) std::rethrow_exception(std::move(taken.thrown));
  throw_fault(taken.fault);
}

void Errors::end(StreamRecord& stream) noexcept try {
  std::vector<Kept> gone;  // destroyed without the lock
  {
    const std::lock_guard lock(gate_);
    stream.alive = false;
    for (auto k = kept_.begin(); k != kept_.end();) {
      if (k->of->stream != &stream) {
        ++k;
        continue;
      }
      log_untaken(k->thrown ? text_of(k->thrown) : text_of(k->fault));
      if (!k->thrown) {
        ++k;
        continue;
      }
      gone.push_back(std::move(*k));
      k = kept_.erase(k);
    }
    any_.store(!kept_.empty(), std::memory_order_release);
  }
} catch (...) {  // no memory: what is left belongs to a stream that nobody can wait for
}

}  // namespace krait::host
