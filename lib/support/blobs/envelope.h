// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for one target as it travels: made by a code generator, kept by the cache, loaded by a
// runtime. In front of the code stands what a launcher must know of it, so that nobody reads that
// out of the code: what holds for all targets, then the target's own facts (cpu_blob.h,
// blobs/spirv.h), then the code itself: an image, PTX, SPIR-V words, for the interpreter IR as
// text. Little-endian.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/hidden.h"
#include "support/target.h"

namespace krait::support {

/// An item of the argument block (ir/abi.h).
struct ArgumentSlot {
  enum class What : std::uint8_t { Scalar, Bytes, Address, Extent, Stride, SharedLength } what;
  std::uint8_t dimension;  // of an extent or stride
  std::uint16_t param;     // index of the parameter, or of the shared array
  std::uint32_t bytes;     // 1, 2, 4 or 8; of an aggregate any number
  std::uint32_t offset;    // from the start of the block
  friend bool operator==(const ArgumentSlot&, const ArgumentSlot&) = default;
};

struct ArgumentLayout {
  std::vector<ArgumentSlot> slots;
  std::uint32_t size = 0;      // a multiple of 8
  std::uint32_t given = 0;     // parameters of the call
  std::vector<Hidden> hidden;  // the parameters behind those, which the library binds
  /// Offset of one item.
  std::uint32_t find(ArgumentSlot::What what, unsigned param, unsigned dimension = 0) const;
  unsigned count(ArgumentSlot::What what) const;
  friend bool operator==(const ArgumentLayout&, const ArgumentLayout&) = default;
};
/// Empty, or the first item in which code takes other arguments than it is given.
std::string difference(const ArgumentLayout& taken, const ArgumentLayout& given);

struct Envelope {
  /// Of the format: raised with every change to it, or to a target's own facts.
  static constexpr std::uint32_t version = 4;

  TargetKind kind{};
  // that a thread handles at once: so many threads fewer cover an array
  std::uint32_t elements = 1;
  std::uint32_t registers = 0;  // of a thread at most, if that spills nothing: a wish; 0: none
  std::uint64_t fixed_shared =
      // bytes of shared memory of fixed size; PTX: only those in the segment that the launch asks
      // for
      0;
  std::array<std::uint32_t, 3> block{};  // a fixed block size, or 0
  ArgumentLayout arguments;
  // of shared arrays that are sized at launch: ir::SharedLengths
  std::vector<std::uint64_t> lengths;
  std::string entry;  // the entry point's name, where code has names
  std::string own;    // the target's own facts
  std::string_view code;

  template <class Facts>
  void set_own(const Facts& facts) {
    static_assert(std::is_trivially_copyable_v<Facts>);
    own.assign(reinterpret_cast<const char*>(&facts), sizeof facts);
  }
  /// False where they are of another size.
  template <class Facts>
  bool get_own(Facts& facts) const {
    static_assert(std::is_trivially_copyable_v<Facts>);
    if (own.size() != sizeof facts) return false;
    std::memcpy(static_cast<void*>(&facts), own.data(), sizeof facts);
    return true;
  }
};

/// Equal envelopes give equal bytes.
std::string seal(const Envelope& envelope);
/// What `seal` gave; the code stays in `bytes`. Empty, or what is wrong with them and what was
/// expected: "its code …".
std::string open(std::string_view bytes, TargetKind expected, Envelope& out);
/// The same; throws error{device} that begins with "kernel NAME: ".
Envelope open_or_fail(std::span<const std::byte> bytes, TargetKind expected,
                      std::string_view kernel_name);

}  // namespace krait::support
