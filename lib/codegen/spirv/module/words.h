// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a SPIR-V module is made of: words, instructions as their length and opcode, and ids.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

namespace krait::codegen::spirv {

using Id = std::uint32_t;
using Words = std::vector<std::uint32_t>;

/// What takes the module: Vulkan (SPIR-V 1.5) or OpenCL (1.0, which all its drivers and translators
/// read).
enum class Dialect : std::uint8_t { Shader, Kernel };

/// The ids of a module.
class Ids {
 public:
  Id next() { return next_++; }
  /// Above all that were given.
  Id bound() const { return next_; }

 private:
  Id next_ = 1;
};

/// A string as SPIR-V packs it: NUL-terminated, padded to words.
Words literal_string(std::string_view text);

inline std::span<const std::uint32_t> list(std::initializer_list<std::uint32_t> a) {
  return {a.begin(), a.size()};
}

/// An instruction at the end of a section.
void append(Words& out, spv::Op op, std::span<const std::uint32_t> a,
            std::span<const std::uint32_t> b = {});
inline void append(Words& out, spv::Op op, std::initializer_list<std::uint32_t> a,
                   std::span<const std::uint32_t> b = {}) {
  append(out, op, list(a), b);
}

}  // namespace krait::codegen::spirv
