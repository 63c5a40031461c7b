// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of arrays on their way to and from other ranks. Contiguous parts that the carrier can reach
// are sent in place; others are packed by the array's own copies, after the kernels that wrote
// them: no carrier reads a buffer too early, and none gets strides.
#pragma once

#include <vector>

#include "dist/job.h"

namespace krait::dist::detail {

class Mail {
 public:
  explicit Mail(job& of) : of_(of) {}
  Mail(const Mail&) = delete;

  /// Messages between two ranks with one tag keep their order. Parts without elements are none.
  void send(const elements& all, const layout& part, int to, int tag);
  void receive(const elements& all, const layout& part, int from, int tag);
  /// All of them are under way. Every rank calls it, whether it has messages or not.
  void post(const char* name);
  /// Instead of messages: the address of these elements, packed, on this rank's GPU.
  std::uint64_t packed(const elements& all);
  /// Waits for them; then what was received is in the arrays.
  void deliver(const char* name);

 private:
  struct Item {
    krait::detail::storage* memory;
    layout at;
    std::size_t element_bytes, bytes;
    int rank, tag;
    std::uint64_t address = 0;  // the device's, of packed elements
    std::byte* host = nullptr;  // the host's
    elements part() const { return {memory, &at, element_bytes}; }
  };
  void add(std::vector<Item>& to, const elements& all, const layout& part, int rank, int tag);
  /// Where a part itself is what the carrier needs; 0: nowhere.
  std::uint64_t in_place(const Item& item, bool on_host) const;
  void place();
  void pack(const Item& item);
  void unpack(const Item& item);
  /// To the item's packed elements on the device, and back.
  void gather(const Item& item);
  void spread(const Item& item);

  job& of_;
  std::vector<Item> out_, in_;
  bool posted_ = false;
};

}  // namespace krait::dist::detail
