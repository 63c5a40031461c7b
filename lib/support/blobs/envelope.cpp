// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/blobs/envelope.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "support/error.h"

namespace krait::support {
namespace {

constexpr char magic[8] = {'K', 'R', 'A', 'I', 'T', 'E', 'N', 'V'};
constexpr std::string_view another_build =
    "libkrait.so and libkrait_codegen.so are of different builds: reinstall both";

struct Head {
  char magic[8];
  std::uint32_t version, kind, elements, registers;
  std::uint64_t fixed_shared;
  std::uint32_t block[3], argument_bytes;
  std::uint32_t given, slots, hidden, lengths, entry_bytes, own_bytes;
  std::uint64_t code_bytes;
};
static_assert(sizeof(Head) == 80);

struct Slot {
  std::uint8_t what, dimension;
  std::uint16_t param;
  std::uint32_t bytes, offset;
};
static_assert(sizeof(Slot) == 12);

struct HiddenWords {
  std::uint32_t kind, index;
};

void append(std::string& out, const void* data, std::size_t bytes) {
  out.append(static_cast<const char*>(data), bytes);
}

template <class T>
T take(std::string_view& from) {
  T x;
  std::memcpy(&x, from.data(), sizeof x);
  from.remove_prefix(sizeof x);
  return x;
}
std::string_view take(std::string_view& from, std::uint64_t bytes) {
  const std::string_view part = from.substr(0, bytes);
  from.remove_prefix(part.size());
  return part;
}

std::string_view name_of(ArgumentSlot::What what) {
  constexpr std::string_view names[] = {"number", "struct", "address",
                                        "extent", "stride", "length of a shared array"};
  return names[unsigned(what)];
}
std::string text_of(const ArgumentSlot& s) {
  return fmt::format("the {} {}.{} of {} bytes at {}", name_of(s.what), s.param, s.dimension,
                     s.bytes, s.offset);
}
std::string_view word_of(std::uint32_t kind) {
  return kind < all_targets().size() ? info(TargetKind(kind)).word : "unknown";
}

}  // namespace

std::uint32_t ArgumentLayout::find(ArgumentSlot::What what, unsigned param,
                                   unsigned dimension) const {
  for (const ArgumentSlot& s : slots)
    if (s.what == what && s.param == param && s.dimension == dimension) return s.offset;
  assert(false && "the argument block has no such item");
  return std::numeric_limits<std::uint32_t>::max();
}

unsigned ArgumentLayout::count(ArgumentSlot::What what) const {
  return unsigned(std::count_if(slots.begin(), slots.end(),
                                [&](const ArgumentSlot& s) { return s.what == what; }));
}

std::string difference(const ArgumentLayout& taken, const ArgumentLayout& given) {
  if (taken.given != given.given)
    return fmt::format("it takes {} parameters of a call, expected {}", taken.given, given.given);
  for (std::size_t i = 0; i < std::max(taken.hidden.size(), given.hidden.size()); ++i) {
    if (i < taken.hidden.size() && i < given.hidden.size() && taken.hidden[i] == given.hidden[i])
      continue;
    return fmt::format("hidden parameter {} is {}, expected {}", i,
                       i < taken.hidden.size() ? text_of(taken.hidden[i]) : "missing",
                       i < given.hidden.size() ? text_of(given.hidden[i]) : "none");
  }
  for (std::size_t i = 0; i < std::max(taken.slots.size(), given.slots.size()); ++i) {
    if (i < taken.slots.size() && i < given.slots.size() && taken.slots[i] == given.slots[i])
      continue;
    return fmt::format("item {} of its arguments is {}, expected {}", i,
                       i < taken.slots.size() ? text_of(taken.slots[i]) : "missing",
                       i < given.slots.size() ? text_of(given.slots[i]) : "none");
  }
  if (taken.size != given.size)
    return fmt::format("its arguments take {} bytes, expected {}", taken.size, given.size);
  return {};
}

std::string seal(const Envelope& e) {
  Head h{};
  std::memcpy(h.magic, magic, sizeof magic);
  h.version = Envelope::version, h.kind = unsigned(e.kind), h.elements = e.elements,
  h.registers = e.registers;
  h.fixed_shared = e.fixed_shared, h.argument_bytes = e.arguments.size;
  std::copy(e.block.begin(), e.block.end(), h.block);
  h.slots = std::uint32_t(e.arguments.slots.size());
  h.given = e.arguments.given, h.hidden = std::uint32_t(e.arguments.hidden.size()),
  h.lengths = std::uint32_t(e.lengths.size());
  h.entry_bytes = std::uint32_t(e.entry.size()), h.own_bytes = std::uint32_t(e.own.size()),
  h.code_bytes = e.code.size();
  std::string out;
  out.reserve(sizeof h + h.slots * sizeof(Slot) + h.hidden * sizeof(HiddenWords) +
              h.lengths * sizeof e.lengths[0] + e.entry.size() + e.own.size() + e.code.size());
  append(out, &h, sizeof h);
  for (const ArgumentSlot& s : e.arguments.slots) {
    const Slot slot{std::uint8_t(s.what), s.dimension, s.param, s.bytes, s.offset};
    append(out, &slot, sizeof slot);
  }
  for (const Hidden& what : e.arguments.hidden) {
    const HiddenWords words{std::uint32_t(what.kind), what.index};
    append(out, &words, sizeof words);
  }
  append(out, e.lengths.data(), e.lengths.size() * sizeof e.lengths[0]);
  return out.append(e.entry).append(e.own).append(e.code);
}

std::string open(std::string_view bytes, TargetKind expected, Envelope& out) {
  if (bytes.size() < sizeof(Head))
    return fmt::format("its code is damaged: {} bytes, expected an envelope of at least {}",
                       bytes.size(), sizeof(Head));
  const Head h = take<Head>(bytes);
  if (std::memcmp(h.magic, magic, sizeof magic) != 0)
    return fmt::format("its code is damaged, or of another build: it does not begin with {}. {}",
                       std::string_view(magic, sizeof magic), another_build);
  if (h.version != Envelope::version)
    return fmt::format("its code is in format {}, expected {}: {}", h.version, Envelope::version,
                       another_build);
  if (h.kind != unsigned(expected))
    return fmt::format("its code is for target {}, expected {}", word_of(h.kind),
                       info(expected).word);
  // All lengths are checked before anything is taken: what is read below is there.
  const std::uint64_t before =
      std::uint64_t(h.slots) * sizeof(Slot) + std::uint64_t(h.hidden) * sizeof(HiddenWords) +
      std::uint64_t(h.lengths) * sizeof(std::uint64_t) + h.entry_bytes + h.own_bytes;
  if (h.code_bytes > bytes.size() || before != bytes.size() - h.code_bytes)
    return fmt::format("its code is damaged: {} bytes follow the head, expected {} and {} of code",
                       bytes.size(), before, h.code_bytes);
  // A launch writes arguments by these slots without looking, so each lies within the block and is
  // of a parameter that the kernel has.
  Envelope e;
  e.kind = expected, e.elements = h.elements, e.registers = h.registers,
  e.fixed_shared = h.fixed_shared;
  e.block = {h.block[0], h.block[1], h.block[2]};
  e.arguments.size = h.argument_bytes, e.arguments.given = h.given;
  for (std::uint32_t i = 0; i < h.slots; ++i) {
    const Slot s = take<Slot>(bytes);
    if (s.what > unsigned(ArgumentSlot::What::SharedLength) ||
        std::uint64_t(s.offset) + s.bytes > h.argument_bytes)
      return fmt::format(
          "its code is damaged: item {} of its arguments is at {} and takes {} bytes, "
          "expected within {}",
          i, s.offset, s.bytes, h.argument_bytes);
    if (s.what != unsigned(ArgumentSlot::What::SharedLength) &&
        s.param >= std::uint64_t(h.given) + h.hidden)
      return fmt::format(
          "its code is damaged: item {} of its arguments is of parameter {}, expected one below {}",
          i, s.param, std::uint64_t(h.given) + h.hidden);
    e.arguments.slots.push_back(
        {ArgumentSlot::What(s.what), s.dimension, s.param, s.bytes, s.offset});
  }
  for (std::uint32_t i = 0; i < h.hidden; ++i) {
    const auto words = take<HiddenWords>(bytes);
    if (words.kind >= hidden_kinds)
      return fmt::format(
          "its code is damaged: hidden parameter {} is of kind {}, expected one below {}", i,
          words.kind, hidden_kinds);
    e.arguments.hidden.push_back({HiddenKind(words.kind), words.index});
  }
  if (h.elements == 0)
    return "its code is damaged: a thread handles 0 elements, expected 1 or more";
  for (std::uint32_t i = 0; i < h.lengths; ++i) e.lengths.push_back(take<std::uint64_t>(bytes));
  e.entry = take(bytes, h.entry_bytes), e.own = take(bytes, h.own_bytes), e.code = bytes;
  out = std::move(e);
  return {};
}

Envelope open_or_fail(std::span<const std::byte> bytes, TargetKind expected,
                      std::string_view kernel_name) {
  Envelope e;
  if (const std::string wrong =
          open({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, expected, e);
      !wrong.empty())
    fail_device("kernel {}: {}", kernel_name, wrong);
  return e;
}

}  // namespace krait::support
