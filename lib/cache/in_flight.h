// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table in memory whose entries are made once: whoever asks first makes the entry, the others wait for it. An entry that could
// not be made is forgotten, and everybody who waited gets the exception.
#pragma once

#include <future>
#include <mutex>
#include <string>
#include <unordered_map>

namespace krait::cache {

template <class Entry>
class InFlight {
 public:
  template <class Make>
  Entry find_or_make(const std::string& key, bool& first, Make&& make) {
    std::promise<Entry> promise;
    std::shared_future<Entry> entry;
    {
      std::lock_guard lock(mutex_);
      auto [at, inserted] = entries_.try_emplace(key);
      if (inserted) at->second = promise.get_future().share();
      entry = at->second, first = inserted;
    }
    if (first) {
      try {
        promise.set_value(make());
      } catch (...) {
        {
          std::lock_guard lock(mutex_);
          entries_.erase(key);
        }
        promise.set_exception(std::current_exception());
      }
    }
    return entry.get();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_future<Entry>> entries_;
};

}  // namespace krait::cache
