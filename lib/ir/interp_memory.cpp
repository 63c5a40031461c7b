// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics. Every access is checked against extents (or, once accesses are flat, against the range that extents
// and strides span); one that fails reads 0 and writes nothing.
#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "ir/interp_memory.h"
#include "ir/report.h"

namespace krait::ir::interpreter {
std::uint64_t read_memory(const std::byte* p, Scalar s) {
  std::uint8_t b;
  std::uint16_t h;
  std::uint32_t w;
  std::uint64_t d;
  switch (size_of(s)) {
    case 1: std::memcpy(&b, p, 1); return s == Scalar::Bool ? b != 0 : b;
    case 2: std::memcpy(&h, p, 2); return h;
    case 4: std::memcpy(&w, p, 4); return w;
    default: std::memcpy(&d, p, 8); return d;
  }
}

void write_memory(std::byte* p, Scalar s, std::uint64_t bits) {
  const auto b = std::uint8_t(bits);
  const auto h = std::uint16_t(bits);
  const auto w = std::uint32_t(bits);
  switch (size_of(s)) {
    case 1: std::memcpy(p, &b, 1); break;
    case 2: std::memcpy(p, &h, 2); break;
    case 4: std::memcpy(p, &w, 4); break;
    default: std::memcpy(p, &bits, 8); break;
  }
}

std::string Memory::indices_text(const Inst& inst, unsigned indices, std::size_t lane) const {
  std::string text;
  for (unsigned d = 0; d < indices; ++d) {
    const ValueId v = inst.operands[1 + d];
    text += fmt::format("{}{}", d ? ", " : "", signed_value(s_.column(v)[lane], s_.f().type_of(v).scalar));
  }
  return text;
}

/// The address of the element that the operands name, or null and a fault.
std::byte* Memory::locate(const Inst& inst, unsigned indices, std::size_t lane) {
  const Array& a = s_.array(inst.operands[0]);
  const bool flat = s_.f().flat && indices == 1;
  std::int64_t element = 0;
  bool inside = true;
  for (unsigned d = 0; d < indices; ++d) {
    const ValueId v = inst.operands[1 + d];
    const std::int64_t i = signed_value(s_.column(v)[lane], s_.f().type_of(v).scalar);
    if (flat) {
      inside = i >= a.first && i < a.end;
      element = i;
    } else if (i < 0 || i >= a.extents[d]) {
      inside = false;
      break;
    } else {
      element += i * a.strides[d];
    }
  }
  if (a.space == Space::Argument)  // its indices count bytes
    inside = inside && element + std::int64_t(inst.imm) + size_of(inst.type.scalar) <= a.extents[0];
  if (inside) return a.data + lane * a.thread_bytes + element * a.elem_bytes + inst.imm;
  s_.fault(inst, [&] {
    std::string extents;
    for (unsigned d = 0; d < a.rank; ++d) extents += fmt::format("{}{}", d ? ", " : "", a.extents[d]);
    return fmt::format("out of bounds: {} {} at {}({}), extents ({}){}", access_word(inst.op), a.label,
                       a.space == Space::Argument ? "byte "
                       : flat                     ? "flat index "
                                                  : "",
                       indices_text(inst, indices, lane), extents, s_.who(lane));
  });
  return nullptr;
}

/// As locate, for `count` elements from a flat index on, whose address must be a multiple of their size together where arrays are aligned.
std::byte* Memory::locate_vector(const Inst& inst, unsigned count, std::size_t lane) {
  const Array& a = s_.array(inst.operands[0]);
  const std::int64_t i = signed_value(s_.column(inst.operands[1])[lane], s_.f().type_of(inst.operands[1]).scalar);
  const std::int64_t bytes = count * size_of(inst.type.scalar);
  if (i < a.first || i >= a.end || (a.end - i) * a.elem_bytes < std::int64_t(inst.imm) + bytes) {
    s_.fault(inst, [&] {
      return fmt::format("out of bounds: {} {} at flat index ({}) and the next {}, of {} elements{}", access_word(inst.op),
                         a.label, i, count - 1, a.end - a.first, s_.who(lane));
    });
    return nullptr;
  }
  std::byte* const p = a.data + lane * a.thread_bytes + i * a.elem_bytes + inst.imm;
  const bool aligned = s_.f().facts.aligned || a.space != Space::Global;
  if (aligned && reinterpret_cast<std::uintptr_t>(p) % std::uintptr_t(std::min<std::int64_t>(bytes, 16)))
    s_.fault(inst, [&] {
      return fmt::format("misaligned: {} {} at flat index ({}){}", access_word(inst.op), a.label, i, s_.who(lane));
    });
  return p;
}

void Memory::observe(const Inst& inst, const std::byte* p, unsigned bytes, AccessKind kind, std::size_t lane) {
  Array& a = s_.array(inst.operands[0]);
  if (!a.written.empty()) {
    const std::size_t offset = std::size_t(p - a.data);
    for (unsigned i = 0; i < bytes; ++i) {
      if (kind != AccessKind::Write && !a.written[offset + i])
        s_.fault(inst, [&] {
          return fmt::format("uninitialised: {} {} at byte {}, which nothing wrote{}", access_word(inst.op), a.label, offset + i,
                             s_.who(lane));
        });
      if (kind != AccessKind::Read) a.written[offset + i] = 1;
    }
  }
  if (s_.options.races && a.space != Space::Local) {
    const std::string conflict = races_.access(a.space == Space::Shared, p, bytes, kind, cooperation_.place_of(lane));
    if (!conflict.empty())
      s_.fault(inst,
               [&] { return fmt::format("data race: {} {}: {}{}", access_word(inst.op), a.label, conflict, s_.who(lane)); });
  }
}

void Memory::load(const Inst& inst, const Mask& active) {
  std::uint64_t* out = s_.column(inst.results[0]);
  const unsigned indices = unsigned(inst.operands.size()) - 1;
  const Scalar type = inst.type.scalar;
  active.for_each([&](std::size_t lane) {
    const std::byte* p = locate(inst, indices, lane);
    out[lane] = p ? read_memory(p, type) : 0;
    if (p) observe(inst, p, size_of(type), AccessKind::Read, lane);
  });
}

void Memory::store(const Inst& inst, const Mask& active) {
  const std::uint64_t* value = s_.column(inst.operands.back());
  const unsigned indices = unsigned(inst.operands.size()) - 2;
  const Scalar type = inst.type.scalar;
  active.for_each([&](std::size_t lane) {
    std::byte* p = locate(inst, indices, lane);
    if (!p) return;
    write_memory(p, type, value[lane]);
    observe(inst, p, size_of(type), AccessKind::Write, lane);
  });
}

void Memory::load_vector(const Inst& inst, const Mask& active) {
  const auto count = unsigned(inst.results.size());
  const unsigned bytes = size_of(inst.type.scalar);
  active.for_each([&](std::size_t lane) {
    const std::byte* p = locate_vector(inst, count, lane);
    for (unsigned i = 0; i < count; ++i) s_.column(inst.results[i])[lane] = p ? read_memory(p + i * bytes, inst.type.scalar) : 0;
    if (p) observe(inst, p, count * bytes, AccessKind::Read, lane);
  });
}

void Memory::store_vector(const Inst& inst, const Mask& active) {
  const auto count = unsigned(inst.operands.size()) - 2;
  const unsigned bytes = size_of(inst.type.scalar);
  active.for_each([&](std::size_t lane) {
    std::byte* p = locate_vector(inst, count, lane);
    if (!p) return;
    for (unsigned i = 0; i < count; ++i) write_memory(p + i * bytes, inst.type.scalar, s_.column(inst.operands[2 + i])[lane]);
    observe(inst, p, count * bytes, AccessKind::Write, lane);
  });
}

/// `update` is the pure operation that makes the new value, or the atomic itself where there is none.
void Memory::atomic(const Inst& inst, Op update, const Mask& active) {
  const unsigned indices = unsigned(inst.operands.size()) - 1 - values_of_access(inst.op);
  const Scalar type = inst.type.scalar;
  const LaneFunction function = lane_function(update, type, type);
  const std::uint64_t* value = s_.column(inst.operands.back());
  const std::uint64_t* expected = inst.op == Op::AtomicCas ? s_.column(inst.operands[1 + indices]) : nullptr;
  active.for_each([&](std::size_t lane) {
    std::byte* p = locate(inst, indices, lane);
    const std::uint64_t old = p ? read_memory(p, type) : 0;
    if (p) {
      std::uint64_t next = value[lane];
      const std::uint64_t* operands[] = {&old, &value[lane]};
      if (function) function(operands, &next, 1);
      else if (update == Op::AtomicLoad || (update == Op::AtomicCas && old != expected[lane])) next = old;
      else if (update == Op::AtomicInc) next = old >= value[lane] ? 0 : old + 1;
      else if (update == Op::AtomicDec) next = old == 0 || old > value[lane] ? value[lane] : old - 1;
      write_memory(p, type, next);
      observe(inst, p, size_of(type), AccessKind::Atomic, lane);
    }
    if (!inst.results.empty()) s_.column(inst.results[0])[lane] = old;
  });
}

}  // namespace krait::ir::interpreter
