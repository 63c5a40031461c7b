// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/copies.h"
#include "support/tuning/cpu.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <type_traits>

namespace krait::runtime::cpu {
namespace {

using Update = CpuCopy::Update;

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + 63) & ~std::size_t(63); }

/// Elements of a contiguous array; -1: more than `most`.
std::int64_t count_elements(const CpuCopy& how, const std::byte* args, std::int64_t most) {
  std::int64_t all = 1;
  bool many = false;
  for (unsigned d = 0; d < how.rank; ++d) {
    const std::byte* at =
        args + how.address + sizeof(std::uint64_t) + std::size_t(d) * how.extent_bytes;
    std::int64_t extent = 0;
    std::memcpy(&extent, at, how.extent_bytes);  // little-endian
    if (extent == 0) return 0;
    many = many || extent > most / all;
    if (!many) all *= extent;
  }
  return many ? -1 : all;
}

template <class T>
constexpr T identity(Update update) {
  switch (update) {
    case Update::And: return T(~T(0));
    case Update::Min: return std::numeric_limits<T>::max();
    case Update::Max: return std::numeric_limits<T>::min();
    default: return 0;
  }
}

template <class T, class Merge>
void merge_each(T* array, const T* copy, std::int64_t elements, T none, Merge merge) {
  for (std::int64_t i = 0; i < elements; ++i)
    if (copy[i] != none) merge(std::atomic_ref<T>(array[i]), copy[i]);
}

template <class T>
void keep_better(std::atomic_ref<T> place, T x, bool least) {
  T old = place.load(std::memory_order_relaxed);
  while ((least ? x < old : old < x) &&
         !place.compare_exchange_weak(old, x, std::memory_order_relaxed)) {
  }
}

template <class T>
void merge_array(Update update, T* array, const T* copy, std::int64_t elements) {
  constexpr auto relaxed = std::memory_order_relaxed;
  using At = std::atomic_ref<T>;
  const auto each = [&](auto merge) {
    merge_each(array, copy, elements, identity<T>(update), merge);
  };
  switch (update) {
    case Update::None: break;
    case Update::Add: each([](At a, T x) { a.fetch_add(x, relaxed); }); break;
    case Update::And: each([](At a, T x) { a.fetch_and(x, relaxed); }); break;
    case Update::Or: each([](At a, T x) { a.fetch_or(x, relaxed); }); break;
    case Update::Xor: each([](At a, T x) { a.fetch_xor(x, relaxed); }); break;
    case Update::Min: each([](At a, T x) { keep_better(a, x, true); }); break;
    case Update::Max: each([](At a, T x) { keep_better(a, x, false); }); break;
  }
}

/// Calls `act` with a zero of the elements' type.
template <class Act>
void with_type(const CpuCopy& how, Act act) {
  if (how.bytes == 4) how.is_signed ? act(std::int32_t()) : act(std::uint32_t());
  else how.is_signed ? act(std::int64_t()) : act(std::uint64_t());
}

}  // namespace

Copies::Copies(const CpuCode& code, const LaunchRequest& request, double threads, unsigned workers)
    : request_(request) {
  std::int64_t room = tuning::cpu::most_copied_bytes;
  for (unsigned i = 0; i < code.copies.size() && code.copies[i].update != Update::None; ++i) {
    const CpuCopy& how = code.copies[i];
    const std::int64_t elements = count_elements(how, request.args, room / how.bytes);
    if (elements <= 0 || threads < tuning::cpu::updates_an_element * double(elements) * workers)
      continue;
    if (which_ == 0) bytes_ = round_up(request.args_size);
    arrays_[count_++] = {how, elements, bytes_};
    which_ |= std::int64_t(1) << i;
    bytes_ += round_up(std::size_t(elements) * how.bytes);
    room -= elements * how.bytes;
  }
}

const std::byte* Copies::fill(std::byte* memory) const {
  std::memcpy(memory, request_.args, request_.args_size);
  for (unsigned i = 0; i < count_; ++i) {
    const Array& a = arrays_[i];
    std::byte* const copy = memory + a.offset;
    std::memcpy(memory + a.how.address, &copy, sizeof copy);
    with_type(a.how, [&]<class T>(T) {
      std::fill_n(reinterpret_cast<T*>(copy), a.elements, identity<T>(a.how.update));
    });
  }
  return memory;
}

void Copies::merge(const std::byte* memory) const {
  for (unsigned i = 0; i < count_; ++i) {
    const Array& a = arrays_[i];
    std::byte* array = nullptr;
    std::memcpy(&array, request_.args + a.how.address, sizeof array);
    with_type(a.how, [&]<class T>(T) {
      merge_array<T>(a.how.update, reinterpret_cast<T*>(array),
                     reinterpret_cast<const T*>(memory + a.offset), a.elements);
    });
  }
}

}  // namespace krait::runtime::cpu
