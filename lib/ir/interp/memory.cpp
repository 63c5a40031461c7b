// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics. Every access is checked against extents (or, once accesses are flat,
// against the range that extents and strides span); one that fails reads 0 and writes nothing.
#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/core.h>

#include "ir/interp/memory.h"
#include "ir/report.h"
#include "ir/tiles.h"

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
    text += fmt::format("{}{}", d ? ", " : "",
                        signed_value(s_.column(v)[lane], s_.f().type_of(v).scalar));
  }
  return text;
}

/// Where the lane's array begins, or null and a fault: a block that the lane names may not be
/// there.
std::byte* Memory::begin_of(const Inst& inst, std::size_t lane) {
  const Array* const a = s_.array(inst.operands[0], lane);
  if (a) return a->data + lane * a->thread_bytes;
  s_.fault(inst, [&] {
    const auto rank = std::int32_t(s_.column(inst.operands[0])[lane]);
    const std::size_t blocks = s_.neighbours->blocks.size();
    const std::string& label = s_.array(inst.operands[0]).label;
    const std::string_view word = access_word(inst.op);
    if (rank < 0 || std::size_t(rank) >= blocks)
      return fmt::format("cluster: {} {} of block {}, of {} in the cluster{}", word, label, rank,
                         blocks, s_.who(lane));
    if (s_.neighbours->blocks[std::size_t(rank)])
      return fmt::format(
          "cluster: {} {} of block {}, which has ended: let all blocks reach "
          "kr::cluster_sync() before they end{}",
          word, label, rank, s_.who(lane));
    return fmt::format(
        "cluster: {} {} of block {}, which has not begun: let all blocks reach "
        "kr::cluster_sync() first{}",
        word, label, rank, s_.who(lane));
  });
  return nullptr;
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
  if (inside) {
    std::byte* const begin = begin_of(inst, lane);
    return begin ? begin + element * a.elem_bytes + inst.imm : nullptr;
  }
  s_.fault(inst, [&] {
    std::string extents;
    for (unsigned d = 0; d < a.rank; ++d)
      extents += fmt::format("{}{}", d ? ", " : "", a.extents[d]);
    return fmt::format("out of bounds: {} {} at {}({}), extents ({}){}", access_word(inst.op),
                       a.label,
                       a.space == Space::Argument ? "byte "
                       : flat                     ? "flat index "
                                                  : "",
                       indices_text(inst, indices, lane), extents, s_.who(lane));
  });
  return nullptr;
}

/// As locate, for `count` elements from a flat index on. Their address must be a multiple of their
/// size together where arrays are aligned, unless the module says that pieces begin anywhere.
std::byte* Memory::locate_vector(const Inst& inst, unsigned count, std::size_t lane) {
  const Array& a = s_.array(inst.operands[0]);
  const std::int64_t i =
      signed_value(s_.column(inst.operands[1])[lane], s_.f().type_of(inst.operands[1]).scalar);
  const std::int64_t bytes = count * size_of(inst.type.scalar);
  if (i < a.first || i >= a.end || (a.end - i) * a.elem_bytes < std::int64_t(inst.imm) + bytes) {
    s_.fault(inst, [&] {
      return fmt::format(
          "out of bounds: {} {} at flat index ({}) and the next {}, of {} elements{}",
          access_word(inst.op), a.label, i, count - 1, a.end - a.first, s_.who(lane));
    });
    return nullptr;
  }
  std::byte* const begin = begin_of(inst, lane);
  if (!begin) return nullptr;
  std::byte* const p = begin + i * a.elem_bytes + inst.imm;
  const Facts& facts = s_.f().facts;
  const bool aligned = !facts.pieces && (facts.aligned || a.space != Space::Global);
  if (aligned &&
      reinterpret_cast<std::uintptr_t>(p) % std::uintptr_t(std::min<std::int64_t>(bytes, 16)))
    s_.fault(inst, [&] {
      return fmt::format("misaligned: {} {} at flat index ({}){}", access_word(inst.op), a.label, i,
                         s_.who(lane));
    });
  return p;
}

void Memory::observe(const Inst& inst, const std::byte* p, unsigned bytes, AccessKind kind,
                     std::size_t lane) {
  observe(inst, *s_.array(inst.operands[0], lane), p, bytes, kind, lane);
}

void Memory::observe(const Inst& inst, Array& a, const std::byte* p, unsigned bytes,
                     AccessKind kind, std::size_t lane) {
  if (!a.written.empty()) {
    const std::size_t offset = std::size_t(p - a.data);
    for (unsigned i = 0; i < bytes; ++i) {
      if (kind != AccessKind::Write && !a.written[offset + i])
        s_.fault(inst, [&] {
          return fmt::format("uninitialised: {} {} at byte {}, which nothing wrote{}",
                             access_word(inst.op), a.label, offset + i, s_.who(lane));
        });
      if (kind != AccessKind::Read) a.written[offset + i] = 1;
    }
  }
  if (s_.options.races && a.space != Space::Local) {
    const std::string conflict =
        races_.access(a.space == Space::Shared || a.space == Space::Cluster, p, bytes, kind,
                      cooperation_.place_of(lane));
    if (!conflict.empty())
      s_.fault(inst, [&] {
        return fmt::format("data race: {} {}: {}{}", access_word(inst.op), a.label, conflict,
                           s_.who(lane));
      });
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
    for (unsigned i = 0; i < count; ++i)
      s_.column(inst.results[i])[lane] = p ? read_memory(p + i * bytes, inst.type.scalar) : 0;
    if (p) observe(inst, p, count * bytes, AccessKind::Read, lane);
  });
}

void Memory::store_vector(const Inst& inst, const Mask& active) {
  const auto count = unsigned(inst.operands.size()) - 2;
  const unsigned bytes = size_of(inst.type.scalar);
  active.for_each([&](std::size_t lane) {
    std::byte* p = locate_vector(inst, count, lane);
    if (!p) return;
    for (unsigned i = 0; i < count; ++i)
      write_memory(p + i * bytes, inst.type.scalar, s_.column(inst.operands[2 + i])[lane]);
    observe(inst, p, count * bytes, AccessKind::Write, lane);
  });
}

/// `update` is the pure operation that makes the new value, or the atomic itself where there is
/// none.
void Memory::atomic(const Inst& inst, Op update, const Mask& active) {
  const unsigned indices = unsigned(inst.operands.size()) - 1 - values_of_access(inst.op);
  const Scalar type = inst.type.scalar;
  const LaneFunction function = lane_function(update, type, type);
  const std::uint64_t* value = s_.column(inst.operands.back());
  const std::uint64_t* expected =
      inst.op == Op::AtomicCas ? s_.column(inst.operands[1 + indices]) : nullptr;
  active.for_each([&](std::size_t lane) {
    std::byte* p = locate(inst, indices, lane);
    const std::uint64_t old = p ? read_memory(p, type) : 0;
    if (p) {
      std::uint64_t next = value[lane];
      const std::uint64_t* operands[] = {&old, &value[lane]};
      if (function) function(operands, &next, 1);
      else if (update == Op::AtomicLoad || (update == Op::AtomicCas && old != expected[lane]))
        next = old;
      else if (update == Op::AtomicInc) next = old >= value[lane] ? 0 : old + 1;
      else if (update == Op::AtomicDec)
        next = old == 0 || old > value[lane] ? value[lane] : old - 1;
      write_memory(p, type, next);
      observe(inst, p, size_of(type), AccessKind::Atomic, lane);
    }
    if (!inst.results.empty()) s_.column(inst.results[0])[lane] = old;
  });
}

/// The first byte of a factor whose offset is the next operand, or null and a fault.
const std::byte* Memory::factor(const Inst& inst, std::size_t operand, std::int64_t elements,
                                std::size_t lane) {
  const Array& a = s_.array(inst.operands[operand]);
  const ValueId offset = inst.operands[operand + 1];
  const std::int64_t first = signed_value(s_.column(offset)[lane], s_.f().type_of(offset).scalar);
  if (first >= 0 && first + elements <= a.extents[0]) return a.data + first * a.elem_bytes;
  s_.fault(inst, [&] {
    return fmt::format("out of bounds: product reads {} at {} and the next {}, of {} elements{}",
                       a.label, first, elements - 1, a.extents[0], s_.who(lane));
  });
  return nullptr;
}

/// Each thread's sums, one fma for each k in ascending order, in the type of the sums.
void Memory::product(const Inst& inst, const Mask& active) {
  const Product p(inst);
  const ThreadTile tile = *ThreadTile::of(p.rows, p.columns, std::int64_t(s_.threads));
  const Scalar sums = inst.type.scalar;
  const bool floats = is_float(sums);
  const LaneFunction wide[] = {lane_function(Op::Cast, sums, p.left),
                               lane_function(Op::Cast, sums, p.right)},
                     fma = floats ? lane_function(Op::Fma, sums, sums) : nullptr;
  // Factors are widened once per offset, which is the same for all threads of most blocks.
  std::vector<std::uint64_t> factors[2];
  const std::byte* known[2] = {};
  const auto widen = [&](unsigned side, const std::byte* from, Scalar s, std::int64_t rows,
                         std::int64_t columns, auto place) {
    if (known[side] == from) return;
    known[side] = from;
    factors[side].resize(std::size_t(rows * columns));
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) {
        const std::uint64_t bits = read_memory(from + place(r, c) * size_of(s), s);
        std::uint64_t& to = factors[side][std::size_t(r * columns + c)];
        const std::uint64_t* in[] = {&bits};
        if (s == sums) to = bits;
        else wide[side](in, &to, 1);
      }
  };
  const std::span<const ValueId> values = left_values(inst);
  if (!values.empty()) {  // of all threads, which meet here
    const ThreadTile of = *ThreadTile::of(p.rows, p.depth, std::int64_t(s_.threads));
    factors[0].resize(std::size_t(p.rows * p.depth));
    for (std::size_t lane = 0; lane < s_.threads; ++lane)
      for (std::int64_t e = 0; e < of.elements(); ++e) {
        const std::uint64_t* in[] = {&s_.column(values[std::size_t(e)])[lane]};
        std::uint64_t& to =
            factors[0][std::size_t(of.row(std::int64_t(lane), of.row_of(e)) * p.depth +
                                   of.column(std::int64_t(lane), of.column_of(e)))];
        if (p.left == sums) to = *in[0];
        else wide[0](in, &to, 1);
      }
  }
  const bool watched = s_.options.races || !s_.array(inst.operands[0]).written.empty();
  active.for_each([&](std::size_t lane) {
    const std::byte *left = values.empty() ? factor(inst, 0, p.left_tile().size(), lane) : nullptr,
                    *right = factor(inst, 2, p.right_tile().size(), lane);
    if ((!left && values.empty()) || !right) {
      for (std::size_t e = 0; e < inst.results.size(); ++e) s_.column(inst.results[e])[lane] = 0;
      return;
    }
    if (left)
      widen(0, left, p.left, p.rows, p.depth,
            [&](std::int64_t r, std::int64_t k) { return p.left_place(r, k); });
    widen(1, right, p.right, p.depth, p.columns,
          [&](std::int64_t k, std::int64_t c) { return p.right_place(k, c); });
    for (std::int64_t e = 0; e < tile.elements(); ++e) {
      const std::int64_t row = tile.row(std::int64_t(lane), tile.row_of(e)),
                         column = tile.column(std::int64_t(lane), tile.column_of(e));
      std::uint64_t sum = s_.column(inst.operands[product_lead + std::size_t(e)])[lane];
      for (std::int64_t k = 0; k < p.depth; ++k) {
        const std::uint64_t *x = &factors[0][std::size_t(row * p.depth + k)],
                            *y = &factors[1][std::size_t(k * p.columns + column)];
        const std::uint64_t* in[] = {x, y, &sum};
        if (floats) fma(in, &sum, 1);
        else sum = std::uint32_t(sum + *x * *y);
        if (!watched) continue;
        if (left)
          observe(inst, s_.array(inst.operands[0]), left + p.left_place(row, k) * size_of(p.left),
                  size_of(p.left), AccessKind::Read, lane);
        observe(inst, s_.array(inst.operands[2]),
                right + p.right_place(k, column) * size_of(p.right), size_of(p.right),
                AccessKind::Read, lane);
      }
      s_.column(inst.results[std::size_t(e)])[lane] = sum;
    }
  });
}

/// What the product takes of the operand, of so many bytes from its index on, or null and a fault.
std::byte* Memory::words_of(const Inst& inst, std::size_t operand, std::int64_t bytes,
                            std::size_t lane) {
  Array& a = s_.array(inst.operands[operand]);
  const ValueId index = inst.operands[operand + 1];
  const std::int64_t first = signed_value(s_.column(index)[lane], s_.f().type_of(index).scalar);
  if (first >= 0 && first * a.elem_bytes + bytes <= a.extents[0] * a.elem_bytes)
    return a.data + first * a.elem_bytes;
  s_.fault(inst, [&] {
    return fmt::format("out of bounds: word_product takes {} bytes of {} at {}, of {} elements{}",
                       bytes, a.label, first, a.extents[0], s_.who(lane));
  });
  return nullptr;
}

/// Once for the block, by the operands of its first thread.
void Memory::word_product(const Inst& inst, const Mask& active) {
  const WordProduct p(inst);
  std::optional<std::size_t> first;
  active.for_each([&](std::size_t lane) {
    if (!first) first = lane;
  });
  if (!first) return;
  const ValueId count = inst.operands[WordProduct::words];
  const std::int64_t words = signed_value(s_.column(count)[*first], s_.f().type_of(count).scalar);
  if (words <= 0 && !p.fresh) return;
  const auto bytes_to = [](std::int64_t place) { return place + 4; };
  const std::int64_t last = std::max<std::int64_t>(words, 1) - 1;
  std::byte* const sums = words_of(inst, WordProduct::sums, p.rows * p.columns * 4, *first);
  const std::byte *left = words_of(inst, WordProduct::left_at,
                                   bytes_to(p.left_place(p.rows - 1, last)), *first),
                  *right = words_of(inst, WordProduct::right_at,
                                    bytes_to(p.right_place(last, p.columns - 1)), *first);
  if (!sums || !left || !right) return;
  const Scalar type = Product::sums_of(p.left, p.right);
  const LaneFunction wide[] = {lane_function(Op::Cast, type, p.left),
                               lane_function(Op::Cast, type, p.right)},
                     fma = is_float(type) ? lane_function(Op::Fma, type, type) : nullptr;
  const auto element = [&](const std::byte* at, Scalar s, unsigned side) {
    const std::uint64_t bits = read_memory(at, s);
    const std::uint64_t* in[] = {&bits};
    std::uint64_t out = 0;
    wide[side](in, &out, 1);
    return out;
  };
  for (std::int64_t r = 0; r < p.rows; ++r)
    for (std::int64_t c = 0; c < p.columns; ++c) {
      std::byte* const to = sums + (r * p.columns + c) * 4;
      std::uint64_t sum = p.fresh ? 0 : read_memory(to, type);
      for (std::int64_t k = 0; k < words * p.per_word(); ++k) {
        const std::int64_t word = k / p.per_word(), in_word = k % p.per_word() * size_of(p.left);
        const std::uint64_t x = element(left + p.left_place(r, word) + in_word, p.left, 0),
                            y = element(right + p.right_place(word, c) + in_word, p.right, 1);
        const std::uint64_t* in[] = {&x, &y, &sum};
        if (fma) fma(in, &sum, 1);
        else sum = std::uint32_t(sum + x * y);
      }
      write_memory(to, type, sum);
    }
}

/// Elements between a row of a view and neighbours in shared memory, where zeros are behind those
/// that there are.
void Memory::copy_row(const Inst& inst, const Mask& active) {
  const CopyOperands at = copy_operands(inst.op);
  Array &shared = s_.array(inst.operands[at.shared]), &view = s_.array(inst.operands[at.view]);
  const auto number = [&](std::size_t operand, std::size_t lane) {
    return signed_value(s_.column(inst.operands[operand])[lane],
                        s_.f().type_of(inst.operands[operand]).scalar);
  };
  const std::int64_t all = inst.list[0], bytes = shared.elem_bytes;
  active.for_each([&](std::size_t lane) {
    if (number(at.count, lane) < 0) return;
    const std::int64_t first = number(at.shared + 1, lane),
                       given = std::min(number(at.count, lane), all);
    // The whole row has to be inside before any element moves: a fault leaves memory as it was.
    bool inside = first >= 0 && first + all <= shared.extents[0];
    std::int64_t element = 0, step = 1;
    if (s_.f().flat) {
      element = number(at.indices, lane);
      inside = inside && (given == 0 || (element >= view.first && element + given <= view.end));
    } else {
      for (unsigned d = 0; d < view.rank; ++d) {
        const std::int64_t i = number(at.indices + d, lane),
                           last = d + 1 == view.rank ? i + given : i + 1;
        inside = inside && (given == 0 || (i >= 0 && last <= view.extents[d]));
        element += i * view.strides[d];
      }
      step = view.strides[view.rank - 1];
    }
    if (!inside)
      return s_.fault(inst, [&] {
        return fmt::format("out of bounds: {} of {} elements of {} and {} at {}{}",
                           info(inst.op).name, given, view.label, shared.label, first,
                           s_.who(lane));
      });
    // To shared memory all elements are written, zeros after those given; back, only those given.
    for (std::int64_t i = 0; i < all; ++i) {
      std::byte *const here = shared.data + (first + i) * bytes, *const there =
                                                                     view.data +
                                                                     (element + i * step) * bytes;
      if (inst.op == Op::CopyBack) {
        if (i >= given) break;
        observe(inst, shared, here, unsigned(bytes), AccessKind::Read, lane);
        std::memcpy(there, here, std::size_t(bytes));
        observe(inst, view, there, unsigned(bytes), AccessKind::Write, lane);
        continue;
      }
      if (i < given) {
        std::memcpy(here, there, std::size_t(bytes));
        observe(inst, view, there, unsigned(bytes), AccessKind::Read, lane);
      } else {
        std::memset(here, 0, std::size_t(bytes));
      }
      observe(inst, shared, here, unsigned(bytes), AccessKind::Write, lane);
    }
  });
}

/// The block's threads take turns at the pieces of 16 bytes.
void Memory::copy_tile(const Inst& inst, const Mask& active) {
  const TileCopy t(inst);
  Array &shared = s_.array(inst.operands[TileCopy::shared]),
        &view = s_.array(inst.operands[TileCopy::view]);
  const std::int64_t bytes = shared.elem_bytes;
  const SharedTile tile = t.tile(unsigned(bytes));
  std::vector<std::size_t> lanes;
  active.for_each([&](std::size_t lane) { lanes.push_back(lane); });
  if (lanes.empty()) return;
  const auto number = [&](std::size_t operand, std::size_t lane) {
    return signed_value(s_.column(inst.operands[operand])[lane],
                        s_.f().type_of(inst.operands[operand]).scalar);
  };
  const auto outside = [&](std::size_t lane) {
    s_.fault(inst, [&] {
      return fmt::format("out of bounds: {} of {} x {} elements of {} to {} at {}{}",
                         info(inst.op).name, t.rows, t.columns, view.label, shared.label,
                         number(TileCopy::offset, lane), s_.who(lane));
    });
  };
  // Outside of the view along rows and columns are zeros; along other dimensions, which choose the
  // matrix, it is a fault.
  const unsigned row_dimension = view.rank - 2u, column_dimension = view.rank - 1u;
  for (std::int64_t r = 0; r < t.rows; ++r)
    for (std::int64_t c = 0; c < t.columns; ++c) {
      const std::size_t lane =
          lanes[std::size_t((r * t.columns + c) / tile.piece()) % lanes.size()];
      const std::int64_t at = number(TileCopy::offset, lane) + tile.place(r, c);
      std::int64_t element = 0;
      bool there = true, matrix = at >= 0 && at < shared.extents[0];
      for (unsigned d = 0; d < view.rank; ++d) {
        const std::int64_t i = number(TileCopy::indices + d, lane) + (d == row_dimension      ? r
                                                                      : d == column_dimension ? c
                                                                                              : 0);
        const bool inside = i >= 0 && i < view.extents[d];
        (d < row_dimension ? matrix : there) &= inside;
        element += i * view.strides[d];
      }
      if (!matrix) return outside(lane);
      std::byte* const here = shared.data + at * bytes;
      if (there) {
        const std::byte* const from = view.data + element * bytes;
        std::memcpy(here, from, std::size_t(bytes));
        observe(inst, view, from, unsigned(bytes), AccessKind::Read, lane);
      } else {
        std::memset(here, 0, std::size_t(bytes));
      }
      observe(inst, shared, here, unsigned(bytes), AccessKind::Write, lane);
    }
}

}  // namespace krait::ir::interpreter
