// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are written in a device's own language instead of recorded (docs/raw-kernels.md).
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include <krait/pack.h>

namespace krait {

/// What the text of a raw kernel is written in.
enum class raw_language : unsigned char {
  ptx,      ///< CUDA: a module of PTX
  spirv,    ///< Vulkan: the words of a module as bytes, or its text for the assembler of SPIRV-Tools
  wgsl,     ///< web pages (kr::web): a module of WGSL
  llvm_ir,  ///< the CPU: a module of LLVM 22 as text or bitcode
};

/// How a text is to be read: `{.language = kr::raw_language::ptx, .entry = "saxpy"}`.
struct raw_options {
  raw_language language;
  const char* entry;  ///< the kernel's name in the text
};

/// One text of a kernel that has several, in the language of each device that it runs on.
struct raw_text {
  std::string_view text;
  raw_options with;
};

namespace detail {
/// Throws error{usage}. The texts are copied.
KRAIT_API kernel_state* make_raw_kernel(const raw_text* texts, std::size_t count, const signature& as, location where);
}  // namespace detail

/// A kernel that is launched as others are, whose code is given: a device takes the text in its own language.
///   auto saxpy = kr::raw_kernel<void(float, kr::view<const float>, kr::view<float>)>(
///       ptx, {.language = kr::raw_language::ptx, .entry = "saxpy"});
///   saxpy.launch({30, 128}, 2.0f, x, y);
/// The entry takes the items of the argument block (docs/raw-kernels.md), which is checked at the first call for a device. What the
/// code accesses is not. Throws error{usage} for an empty text, and for two of one language.
template <class Signature>
auto raw_kernel(std::initializer_list<raw_text> texts, detail::location where = detail::location::here()) {
  using given = detail::packed_kernel<Signature>;
  return kernel_object<typename given::lambda>(detail::make_raw_kernel(texts.begin(), texts.size(), given::as, where));
}
template <class Signature>
auto raw_kernel(std::string_view text, const raw_options& with, detail::location where = detail::location::here()) {
  return raw_kernel<Signature>({{text, with}}, where);
}
/// The words of a SPIR-V module.
template <class Signature>
auto raw_kernel(std::span<const std::uint32_t> words, const raw_options& with,
                detail::location where = detail::location::here()) {
  return raw_kernel<Signature>({{{reinterpret_cast<const char*>(words.data()), words.size_bytes()}, with}}, where);
}

}  // namespace krait
