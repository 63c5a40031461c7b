// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Things that are made once for all calls that need the same: kernels, mostly. A call that finds
// its thing takes no lock and allocates nothing.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "krait/detail/lasting.h"

namespace krait::host {

/// What tells the things of one maker apart: element types, lengths, choices.
class Facts {
 public:
  template <class... Fact>
    requires(std::is_scalar_v<Fact> && ...)
  Facts(const Fact&... facts)  // NOLINT: implicit, from a list in braces
      : count_(sizeof...(facts)), at_{word_of(facts)...} {
    static_assert(sizeof...(facts) <= most);
  }
  friend bool operator==(const Facts& x, const Facts& y) {
    return x.count_ == y.count_ && std::equal(x.at_, x.at_ + x.count_, y.at_);
  }
  std::size_t hash(const void* maker) const {
    std::uint64_t hash = word_of(maker);
    for (unsigned i = 0; i < count_; ++i) hash = (hash ^ at_[i]) * 0x9e3779b97f4a7c15;
    return hash >> 32;
  }

 private:
  static constexpr unsigned most = 12;
  template <class Fact>
  static std::uint64_t word_of(const Fact& x) {
    if constexpr (std::is_pointer_v<Fact>) return reinterpret_cast<std::uintptr_t>(x);
    else return std::uint64_t(x);
  }

  unsigned count_;
  std::uint64_t at_[most];
};

/// They are never removed, so that references stay valid.
template <class Thing>
class Kept {
 public:
  Kept() = default;
  Kept(const Kept&) = delete;
  ~Kept() {
    for (auto& list : lists_)
      for (const Entry* e = list.load(); e;) delete std::exchange(e, e->next);
  }
  /// make() gives the thing, as a unique_ptr, where there is none. A Maker has facts of its own.
  template <class Maker, class Make>
  const Thing& of(const Facts& facts, const Make& make) {
    static char maker;  // its address tells makers apart
    std::atomic<const Entry*>& list = lists_[facts.hash(&maker) % lists_.size()];
    if (const Entry* found = find(list.load(std::memory_order_acquire), &maker, facts))
      return *found->thing;
    const std::lock_guard lock(mutex_);
    const Entry* const first = list.load(std::memory_order_relaxed);
    if (const Entry* found = find(first, &maker, facts)) return *found->thing;
    const auto* const made = new Entry{&maker, facts, make(), first};
    list.store(made, std::memory_order_release);
    return *made->thing;
  }

 private:
  struct Entry {
    const void* maker;
    Facts facts;
    std::unique_ptr<Thing> thing;
    const Entry* next;
  };
  static const Entry* find(const Entry* e, const void* maker, const Facts& facts) {
    while (e && !(e->maker == maker && e->facts == facts)) e = e->next;
    return e;
  }

  std::array<std::atomic<const Entry*>, 32> lists_{};
  std::mutex mutex_;
};

/// The thing that make(), a lambda, gives for these facts: all that it captures.
template <class Make>
const auto& kept_for(const Facts& facts, const Make& make) {
  using Thing = std::invoke_result_t<const Make&>;
  static auto& all = *detail::lasting<Make>(std::make_unique<Kept<Thing>>());
  // not moved: it may hold its own address
  return all.template of<Make>(facts, [&] { return std::unique_ptr<Thing>(new Thing(make())); });
}

}  // namespace krait::host
