// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table in memory whose entries are made once: whoever asks first makes the entry, the others
// wait for it. An entry that could not be made is forgotten, and everybody who waited gets the
// exception. Entries that nobody outside the table uses are kept for those who come back, up to a
// number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace krait::cache {

template <class Entry>
class InFlight {
 public:
  using Shared = std::shared_ptr<const Entry>;

  /// Keeps up to `most_idle` entries that only the table holds.
  explicit InFlight(std::size_t most_idle) : most_idle_(most_idle) {}

  template <class Make>
  Shared find_or_make(const std::string& key, bool& first, Make&& make) {
    std::promise<Shared> promise;
    std::shared_future<Shared> waited;
    {
      std::lock_guard lock(mutex_);
      auto [at, inserted] = slots_.try_emplace(key);
      Slot& slot = at->second;
      slot.used = ++clock_, first = inserted;
      if (slot.made) return slot.made;
      if (inserted) slot.coming = promise.get_future().share();
      else waited = slot.coming;
    }
    if (!first) return waited.get();
    try {
      Shared made = make();
      publish(key, made);
      promise.set_value(made);
      return made;
    } catch (...) {
      publish(key, nullptr);
      promise.set_exception(std::current_exception());
      throw;
    }
  }

  /// The entry if it is made; null otherwise.
  Shared find(const std::string& key) {
    std::lock_guard lock(mutex_);
    const auto at = slots_.find(key);
    if (at == slots_.end() || !at->second.made) return nullptr;
    at->second.used = ++clock_;
    return at->second.made;
  }

  /// What is there, in no order.
  std::vector<Shared> all() const {
    std::vector<Shared> found;
    std::lock_guard lock(mutex_);
    for (const auto& [key, slot] : slots_)
      if (slot.made) found.push_back(slot.made);
    return found;
  }

  /// Takes out the idle entries that are too many, least recently asked for first. The caller lets
  /// them go, outside of any lock.
  std::vector<Shared> take_idle() {
    std::vector<Shared> taken;
    std::lock_guard lock(mutex_);
    if (slots_.size() <= most_idle_) return taken;
    std::vector<typename Slots::iterator> idle;
    for (auto at = slots_.begin(); at != slots_.end(); ++at)
      // new users come through the table alone
      if (at->second.made && at->second.made.use_count() == 1) idle.push_back(at);
    if (idle.size() <= most_idle_) return taken;
    // Half of them at once, so that this is rare.
    std::sort(idle.begin(), idle.end(),
              [](const auto& a, const auto& b) { return a->second.used < b->second.used; });
    idle.resize(idle.size() - most_idle_ / 2);
    for (const auto& at : idle) {
      taken.push_back(std::move(at->second.made));
      slots_.erase(at);
    }
    return taken;
  }

  /// Around fork: the child has none of the threads that were making entries, so it makes them
  /// itself.
  void lock_for_fork() { mutex_.lock(); }
  void unlock_in_parent() { mutex_.unlock(); }
  void unlock_in_child() {
    std::erase_if(slots_, [](const auto& entry) { return !entry.second.made; });
    mutex_.unlock();
  }

 private:
  struct Slot {
    Shared made;
    std::shared_future<Shared> coming;  // while it is being made
    std::uint64_t used = 0;
  };
  using Slots = std::unordered_map<std::string, Slot>;

  /// Null: it could not be made.
  void publish(const std::string& key, const Shared& made) {
    std::lock_guard lock(mutex_);
    if (!made) {
      slots_.erase(key);
      return;
    }
    Slot& slot = slots_[key];  // in a forked child it may be gone
    slot.made = made;
    slot.coming = {};
  }

  const std::size_t most_idle_;
  mutable std::mutex mutex_;
  Slots slots_;
  std::uint64_t clock_ = 0;
};

}  // namespace krait::cache
