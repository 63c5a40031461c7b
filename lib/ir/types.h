// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of IR values: scalars, mutable slots, and arrays in one of the memory spaces.
#pragma once

#include <cstdint>
#include <string_view>

namespace krait::ir {

enum class Scalar : std::uint8_t { Void, Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64 };

/// Where a value of this type lives. Value: a plain scalar. Slot: a mutable local. The others are arrays. Argument: an aggregate
/// that lies in the argument block, as bytes that are only read; the index of a load counts bytes.
enum class Space : std::uint8_t { Value, Slot, Global, Shared, Local, Argument };

/// A value's type. For arrays `scalar` is the element's type; `elem_bytes` differs from its size only for aggregates, whose
/// members are reached by the byte offset of load and store (then `scalar` is Void and the access names its own type).
struct Type {
  Scalar scalar = Scalar::Void;
  Space space = Space::Value;
  std::uint8_t rank = 0;       // arrays: 1..4
  bool writable = true;        // Global: false for view<const T>; Argument: false
  std::uint32_t elem_bytes = 0;  // arrays: distance of neighbouring elements in bytes

  friend bool operator==(const Type&, const Type&) = default;
  bool is_value() const { return space == Space::Value; }
  bool is_slot() const { return space == Space::Slot; }
  bool is_array() const { return space >= Space::Global; }
  /// Bytes from an index to the next.
  std::uint32_t index_bytes() const { return space == Space::Argument ? 1 : elem_bytes; }
};

constexpr bool is_signed_int(Scalar s) { return s >= Scalar::I8 && s <= Scalar::I64; }
constexpr bool is_unsigned_int(Scalar s) { return s >= Scalar::U8 && s <= Scalar::U64; }
constexpr bool is_int(Scalar s) { return s >= Scalar::I8 && s <= Scalar::U64; }
constexpr bool is_float(Scalar s) { return s >= Scalar::F16; }

/// Size in memory; bool is one byte that holds 0 or 1.
constexpr unsigned size_of(Scalar s) {
  switch (s) {
    case Scalar::Void: return 0;
    case Scalar::Bool: case Scalar::I8: case Scalar::U8: return 1;
    case Scalar::I16: case Scalar::U16: case Scalar::F16: return 2;
    case Scalar::I32: case Scalar::U32: case Scalar::F32: return 4;
    case Scalar::I64: case Scalar::U64: case Scalar::F64: return 8;
  }
  return 0;
}
/// Width in bits as a value: 1 for bool.
constexpr unsigned bits_of(Scalar s) { return s == Scalar::Bool ? 1 : size_of(s) * 8; }

constexpr Scalar to_unsigned(Scalar s) {
  return is_signed_int(s) ? Scalar(unsigned(s) + (unsigned(Scalar::U8) - unsigned(Scalar::I8))) : s;
}
constexpr Scalar to_signed(Scalar s) {
  return is_unsigned_int(s) ? Scalar(unsigned(s) - (unsigned(Scalar::U8) - unsigned(Scalar::I8))) : s;
}

constexpr std::string_view name_of(Scalar s) {
  constexpr std::string_view names[] = {"void", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"};
  return names[unsigned(s)];
}

constexpr Type value_type(Scalar s) { return {s, Space::Value, 0, true, 0}; }
constexpr Type slot_type(Scalar s) { return {s, Space::Slot, 0, true, 0}; }
constexpr Type array_type(Scalar s, Space space, unsigned rank, bool writable = true, unsigned elem_bytes = 0) {
  return {s, space, std::uint8_t(rank), writable, elem_bytes ? elem_bytes : size_of(s)};
}
constexpr Type argument_type(std::uint32_t bytes) { return {Scalar::Void, Space::Argument, 1, false, bytes}; }

}  // namespace krait::ir
