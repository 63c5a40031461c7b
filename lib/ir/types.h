// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of IR values: scalars (krait/types.def), mutable slots, and arrays in one of the memory
// spaces.
#pragma once

#include <cstdint>
#include <string_view>

namespace krait::ir {

enum class Scalar : std::uint8_t {
  Void,
#define KRAIT_SCALAR(Name, ...) Name,
#include "krait/types.def"
};

enum class ScalarClass : std::uint8_t { Void, Bool, Signed, Unsigned, Float };
enum class Top : std::uint8_t { Special, Numbers };

/// A row of types.def.
struct ScalarInfo {
  std::string_view name;
  unsigned bits, exponent, fraction;
  Top top;
  ScalarClass kind;
  Scalar computed, storage;
};

inline constexpr ScalarInfo scalar_table[] = {
    {"void", 0, 0, 0, Top::Special, ScalarClass::Void, Scalar::Void, Scalar::Void},
#define KRAIT_SCALAR(Name, dsl, text, bits, exponent, fraction, top, kind, computed, storage) \
  {text, bits, exponent, fraction, Top::top, ScalarClass::kind, Scalar::computed, Scalar::storage},
#include "krait/types.def"
};
/// Every type but Void.
inline constexpr Scalar all_scalars[] = {
#define KRAIT_SCALAR(Name, ...) Scalar::Name,
#include "krait/types.def"
};
constexpr const ScalarInfo& info(Scalar s) { return scalar_table[unsigned(s)]; }

/// Where a value of this type lives. Value: a plain scalar. Slot: a mutable local. The others are
/// arrays. Argument: an aggregate that lies in the argument block, as bytes that are only read; the
/// index of a load counts bytes. Cluster: shared memory of a block that the thread names, which may
/// be its own.
enum class Space : std::uint8_t { Value, Slot, Global, Shared, Cluster, Local, Argument };

/// Dimensions of an array at most.
inline constexpr unsigned max_rank = 6;

/// A value's type. For arrays `scalar` is the element's type; `elem_bytes` differs from its size
/// only for aggregates, whose members are reached by the byte offset of load and store (then
/// `scalar` is Void and the access names its own type).
struct Type {
  Scalar scalar = Scalar::Void;
  Space space = Space::Value;
  std::uint8_t rank = 0;         // arrays: 1..max_rank
  bool writable = true;          // Global: false for view<const T>; Argument: false
  std::uint32_t elem_bytes = 0;  // arrays: distance of neighbouring elements in bytes

  friend bool operator==(const Type&, const Type&) = default;
  bool is_value() const { return space == Space::Value; }
  bool is_slot() const { return space == Space::Slot; }
  bool is_array() const { return space >= Space::Global; }
  /// Bytes from an index to the next.
  std::uint32_t index_bytes() const { return space == Space::Argument ? 1 : elem_bytes; }
};

constexpr bool is_signed_int(Scalar s) { return info(s).kind == ScalarClass::Signed; }
constexpr bool is_unsigned_int(Scalar s) { return info(s).kind == ScalarClass::Unsigned; }
constexpr bool is_int(Scalar s) { return is_signed_int(s) || is_unsigned_int(s); }
constexpr bool is_float(Scalar s) { return info(s).kind == ScalarClass::Float; }

/// Width in bits as a value: 1 for bool.
constexpr unsigned bits_of(Scalar s) { return info(s).bits; }
/// Size in memory; bool is one byte that holds 0 or 1.
constexpr unsigned size_of(Scalar s) { return (bits_of(s) + 7) / 8; }
constexpr std::string_view name_of(Scalar s) { return info(s).name; }
constexpr bool has_infinity(Scalar s) { return is_float(s) && info(s).top == Top::Special; }
/// The bits of a float's largest finite number: those of infinity or NaN are the next ones.
constexpr std::uint64_t largest_finite(Scalar s) {
  const std::uint64_t sign = std::uint64_t(1) << (bits_of(s) - 1), fraction = std::uint64_t(1)
                                                                              << info(s).fraction;
  return has_infinity(s) ? sign - fraction - 1 : sign - 2;
}
constexpr bool is_nan(Scalar s, std::uint64_t bits) {
  const std::uint64_t sign = std::uint64_t(1) << (bits_of(s) - 1);
  return is_float(s) && (bits & (sign - 1)) > largest_finite(s) + has_infinity(s);
}
/// The bits of the NaN that operations give.
constexpr std::uint64_t canonical_nan(Scalar s) {
  return largest_finite(s) + 1 + (has_infinity(s) ? std::uint64_t(1) << (info(s).fraction - 1) : 0);
}

/// The integer of a class that has the size of s.
constexpr Scalar integer_like(Scalar s, ScalarClass kind) {
  for (const Scalar t : all_scalars)
    if (info(t).kind == kind && size_of(t) == size_of(s)) return t;
  return Scalar::Void;
}
/// The unsigned integer that holds the bits of s.
constexpr Scalar bits_type(Scalar s) { return integer_like(s, ScalarClass::Unsigned); }
constexpr Scalar to_unsigned(Scalar s) {
  return is_signed_int(s) ? integer_like(s, ScalarClass::Unsigned) : s;
}
constexpr Scalar to_signed(Scalar s) {
  return is_unsigned_int(s) ? integer_like(s, ScalarClass::Signed) : s;
}

constexpr Type value_type(Scalar s) { return {s, Space::Value, 0, true, 0}; }
constexpr Type slot_type(Scalar s) { return {s, Space::Slot, 0, true, 0}; }
constexpr Type array_type(Scalar s, Space space, unsigned rank, bool writable = true,
                          unsigned elem_bytes = 0) {
  return {s, space, std::uint8_t(rank), writable, elem_bytes ? elem_bytes : size_of(s)};
}
constexpr Type argument_type(std::uint32_t bytes) {
  return {Scalar::Void, Space::Argument, 1, false, bytes};
}

}  // namespace krait::ir
