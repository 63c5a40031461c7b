// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of arrays' elements. What lies in one piece moves as bytes; the rest by an element-wise
// kernel on words as large as the elements allow. A graph that is being recorded gets kernels
// alone; what passes through the host would be copied once only, and is refused there.
#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "host/graph.h"
#include "devices/layout.h"
#include "devices/memory.h"
#include "devices/reports.h"
#include "arrays/loop_copy.h"
#include "arrays/transpose.h"
#include "krait/detail/elementwise.h"
#include "krait/vectorize.h"

namespace krait::host {
namespace {

using detail::elements;
using detail::layout;
using detail::memory_share;
using detail::storage;

/// Elements on a device from there on.
struct Place {
  storage* memory;
  layout at;
  // of an element
  std::size_t bytes;
  Place(const elements& e)
      : memory(e.memory), at(*e.at), bytes(e.element_bytes) {}  // NOLINT: the same in another form
  Place(storage* m, const layout& a, std::size_t b) : memory(m), at(a), bytes(b) {}

  std::uint64_t address() const { return memory->address + std::uint64_t(at.offset) * bytes; }
  std::size_t all_bytes() const { return std::size_t(size_of(at)) * bytes; }
  bool is_dense() const { return detail::is_dense(at, false); }
};

/// Calls a function object of words on arrays of words.
template <class Word, class... Inputs>
struct Words {
  static constexpr auto same = [](auto x) { return x; };
  using Lambda = std::remove_const_t<decltype(same)>;
  template <int Rank>
  using Recording =
      detail::elementwise_recording<Lambda, Rank, std::tuple<Inputs...>, std::tuple<Word>>;

  static void run(detail::argument* arguments, const layout& at) {
    static auto* const state =
        detail::make_kernel_state({.name = "array_copy"}, {0, 0, 0}, detail::location::here());
    detail::call_config config;
    config.form = detail::call_config::elements, config.count = size_of(at);
    const detail::elementwise_signatures by_rank{{&Recording<1>::as, &Recording<2>::as, nullptr,
                                                  &Recording<4>::as, nullptr, &Recording<6>::as}};
    detail::call_elementwise(state, &same, by_rank, arguments, at.rank, at.extents, 1, config);
  }
};

detail::argument words_of(const Place& p, std::size_t word, std::size_t which) {
  detail::argument a;
  a.kind = detail::argument::device_array, a.memory = p.memory;
  a.offset = std::uint64_t(p.at.offset) * p.bytes + which * word,
  a.rank = static_cast<unsigned char>(p.at.rank);
  const auto per_element = std::int64_t(p.bytes / word);
  for (int d = 0; d < p.at.rank; ++d)
    a.extents[d] = p.at.extents[d], a.strides[d] = p.at.strides[d] * per_element;
  return a;
}

/// Calls use(Word()) with the largest word that divides this.
template <class Use>
void with_word(std::uint64_t all, const Use& use) {
  if (all % 8 == 0) use(std::uint64_t());
  else if (all % 4 == 0) use(std::uint32_t());
  else if (all % 2 == 0) use(std::uint16_t());
  else use(std::uint8_t());
}

/// Kernels of copies are launched in the default stream, after what other streams do with the
/// memory.
void wait_for_streams(const Place& p) {
  if (p.memory->last && !open_graph()) p.memory->device->device->synchronize(order_of(*p.memory));
}

/// Whether pairs of elements along the last dimension are elements, too.
bool has_pairs(const Place& p) {
  const int last = p.at.rank - 1;
  if (last < 0 || p.at.extents[last] % 2 || p.at.strides[last] != 1 || p.at.offset % 2 ||
      p.address() % (2 * p.bytes))
    return false;
  return std::all_of(p.at.strides, p.at.strides + last,
                     [](std::int64_t stride) { return stride % 2 == 0; });
}
/// Pairs as elements.
Place as_pairs(Place p) {
  const int last = p.at.rank - 1;
  p.bytes *= 2, p.at.offset /= 2, p.at.extents[last] /= 2;
  std::for_each(p.at.strides, p.at.strides + last, [](std::int64_t& stride) { stride /= 2; });
  return p;
}

/// Whether elements along the last dimension lie beside each other, so that their words do, too.
bool is_row(const Place& p) { return p.at.rank > 0 && p.at.strides[p.at.rank - 1] == 1; }
/// Words of so many bytes as elements.
Place as_words(Place p, std::size_t word) {
  const int last = p.at.rank - 1;
  const auto words = std::int64_t(p.bytes / word);
  p.bytes = word, p.at.offset *= words, p.at.extents[last] *= words;
  std::for_each(p.at.strides, p.at.strides + last, [&](std::int64_t& stride) { stride *= words; });
  return p;
}

void copy_by_kernel(const Place& to, const Place& from) {
  if (to.memory->device->device->host_memory() && !open_graph())
    if (const LoopCopy few(to.at, from.at, to.bytes); few.suits()) {
      wait_for_streams(to), wait_for_streams(from);
      return few.run(reinterpret_cast<std::byte*>(to.address()),
                     reinterpret_cast<const std::byte*>(from.address()));
    }
  // A thread computes the place of one element: bytes are eight times as many.
  constexpr std::size_t word = 8;
  if (to.bytes > word && to.bytes % word == 0 && is_row(to) && is_row(from))
    return copy_by_kernel(as_words(to, word), as_words(from, word));
  if (2 * to.bytes <= word && has_pairs(to) && has_pairs(from))
    return copy_by_kernel(as_pairs(to), as_pairs(from));
  wait_for_streams(to), wait_for_streams(from);
  with_word(to.bytes | to.address() | from.address(), [&]<class Word>(Word) {
    if (const Tiling tiling = tiling_of(to.at, from.at); tiling.read >= 0)
      return copy_by_tiles({to.memory, &to.at, to.bytes}, {from.memory, &from.at, from.bytes},
                           tiling, sizeof(Word));
    for (std::size_t k = 0; k < to.bytes / sizeof(Word); ++k) {
      detail::argument arguments[] = {words_of(from, sizeof(Word), k),
                                      words_of(to, sizeof(Word), k)};
      Words<Word, detail::input<Word, true>>::run(arguments, to.at);
    }
  });
}

/// Memory of the host as memory of a device that can use it.
struct Lent {
  storage memory;
  Place place;
  Lent(const Place& like, const void* host)
      : place(&memory, detail::dense(like.at.extents, like.at.rank, false), like.bytes) {
    memory.device = like.memory->device, memory.owned = false;
    memory.address = reinterpret_cast<std::uint64_t>(host), memory.bytes = like.all_bytes();
  }
};

/// In C order, one behind the other, on the same device.
std::pair<memory_share, Place> make_dense(const Place& like) {
  memory_share memory(detail::allocate(like.memory->device, like.all_bytes()));
  const Place p{memory.get(), detail::dense(like.at.extents, like.at.rank, false), like.bytes};
  return {std::move(memory), p};
}

bool may_meet(const Place& a, const Place& b) {
  if (a.memory->device != b.memory->device) return false;
  const auto bytes = std::int64_t(a.bytes);
  const Reach x = reach_of(a.at.extents, a.at.strides, a.at.rank, bytes),
              y = reach_of(b.at.extents, b.at.strides, b.at.rank, bytes);
  const auto at = std::int64_t(a.address()), other = std::int64_t(b.address());
  return at + x.begin < other + y.end && other + y.begin < at + x.end;
}

void move_on_device(const Place& to, const Place& from) {
  DeviceHandle& d = *to.memory->device;
  if (to.memory->last != from.memory->last) d.device->synchronize(order_of(*from.memory));
  d.device->copy_on_device(to.address(), from.address(), to.all_bytes(), order_of(*to.memory));
  after_wait(*from.memory);
}

/// Between devices the bytes pass through the host, a piece at a time.
void move_between_devices(const Place& to, const Place& from) {
  runtime::Device &source = *from.memory->device->device, &target = *to.memory->device->device;
  const std::size_t bytes = to.all_bytes(), piece = std::min<std::size_t>(bytes, 64u << 20);
  const std::unique_ptr<std::byte[]> buffer(new std::byte[piece]);
  for (std::size_t at = 0; at < bytes; at += piece) {
    const std::size_t n = std::min(piece, bytes - at);
    source.copy_to_host(buffer.get(), from.address() + at, n, order_of(*from.memory));
    target.copy_to_device(to.address() + at, buffer.get(), n, order_of(*to.memory));
    target.synchronize(order_of(*to.memory));
  }
  after_wait(*from.memory);
  after_wait(*to.memory);
}

void copy(const Place& to, const Place& from) {
  if (to.memory->device != from.memory->device) {
    check_not_recorded("elements are copied from device to device");
    if (!from.is_dense()) {
      const auto [memory, dense] = make_dense(from);
      copy_by_kernel(dense, from);
      return copy(to, dense);
    }
    if (to.is_dense()) return move_between_devices(to, from);
    const auto [memory, dense] = make_dense(to);
    move_between_devices(dense, from);
    return copy_by_kernel(to, dense);
  }
  if (may_meet(to, from)) {
    const auto [memory, dense] = make_dense(from);
    copy(dense, from);
    return copy(to, dense);
  }
  if (to.is_dense() && from.is_dense() && !open_graph()) return move_on_device(to, from);
  copy_by_kernel(to, from);
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

void copy_from_host(const elements& to, const void* from) {
  const Place place(to);
  if (size_of(place.at) == 0) return;
  check_apart(*to.at, "copy_from");
  check_not_recorded("elements are copied from the host");
  DeviceHandle& d = *place.memory->device;
  if (place.is_dense()) {
    d.device->copy_to_device(place.address(), from, place.all_bytes(), order_of(*place.memory));
    return after_wait(*place.memory);
  }
  if (d.device->host_memory()) return copy_by_kernel(place, Lent(place, from).place);
  const auto [memory, dense] = make_dense(place);
  d.device->copy_to_device(dense.address(), from, dense.all_bytes(), {});
  copy_by_kernel(place, dense);
}

void copy_to_host(const elements& from, void* to) {
  const Place place(from);
  if (size_of(place.at) == 0) return;
  check_readable(*place.memory);
  DeviceHandle& d = *place.memory->device;
  if (place.is_dense()) {
    d.device->copy_to_host(to, place.address(), place.all_bytes(), order_of(*place.memory));
    return after_wait(*place.memory);
  }
  const outside_graph now;
  if (d.device->host_memory()) {
    copy_by_kernel(Lent(place, to).place, place);
    return after_wait(*place.memory);
  }
  const auto [memory, dense] = make_dense(place);
  copy_by_kernel(dense, place);
  d.device->copy_to_host(to, dense.address(), dense.all_bytes(), {});
  after_wait(*place.memory);
}

void copy_elements(const elements& to, const elements& from) {
  if (size_of(*to.at) == 0) return;
  check_apart(*to.at, "copy_from");
  copy(to, from);
}

void fill_elements(const elements& to, const void* element) {
  const Place place(to);
  if (size_of(place.at) == 0) return;
  wait_for_streams(place);
  with_word(place.bytes | place.address(), [&]<class Word>(Word) {
    for (std::size_t k = 0; k < place.bytes / sizeof(Word); ++k) {
      Word word;
      std::memcpy(&word, static_cast<const std::byte*>(element) + k * sizeof(Word), sizeof(Word));
      argument arguments[2];
      arguments[0].bits = word, arguments[1] = words_of(place, sizeof(Word), k);
      Words<Word, input<Word, false>>::run(arguments, place.at);
    }
  });
}

}  // namespace krait::detail
