// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Radix sorts of rows of any words; sorter.h has what is the same for all.
#include <map>
#include <mutex>

#include "host/sorter.h"
#include "support/error.h"

namespace krait::host {

const void* kept_object(const KeptKey& key, detail::function_ref<const void*()> make) {
  static auto& mutex = *new std::mutex;
  static auto& made = *new std::map<KeptKey, const void*>;
  std::lock_guard lock(mutex);
  const void*& object = made[key];
  if (!object) object = make();
  return object;
}

}  // namespace krait::host

namespace krait::detail {

void sort_rows(device on, const algorithm_device& how, const key_order& order, const word_rows& keys, const word_rows& sorted,
               const word_rows* values, const word_rows* moved) {
  using namespace krait::host;
  const std::int64_t length = keys.at.extents[1];
  if (moved && length >= std::int64_t{1} << 32)
    support::fail_usage("sorting {} keys with their values or places: 2^32 - 1 are the most; sort keys alone, or parts", length);
  const SortKind kind{order, values ? Payload::words : moved ? Payload::places : Payload::none};
  void* const handle = handle_of(on);
  const array<unsigned, 2> none(shape<2>(1, 0), on);  // without memory
  array<unsigned, 2> to(moved ? moved->at : none.at(), moved ? moved->memory : none.memory_owner(), handle);
  const array<const unsigned, 2> from(values ? values->at : none.at(), values ? values->memory : none.memory_owner(), handle);
  const auto with = [&]<class Word>(Word) {
    array<Word, 2> out(sorted.at, sorted.memory, handle);
    Sorter<Word>(on, how, kind).run(array<const Word, 2>(keys.at, keys.memory, handle), out, from, to);
  };
  if (order.bytes == 1) with(std::uint8_t());
  else if (order.bytes == 2) with(std::uint16_t());
  else if (order.bytes == 4) with(std::uint32_t());
  else with(std::uint64_t());
}

}  // namespace krait::detail
