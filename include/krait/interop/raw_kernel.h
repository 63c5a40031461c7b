// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels written in the language of a device instead of recorded (docs/raw-kernels.md).
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include <krait/pack.h>

namespace krait {

/// The language of a raw kernel's text.
enum class raw_language : unsigned char {
  /// CUDA: a PTX module.
  ptx,
  /// Vulkan: a SPIR-V module as bytes, or as text for the assembler of SPIRV-Tools.
  spirv,
  /// Web pages (kr::web): a WGSL module.
  wgsl,
  /// The CPU: a module of LLVM 22 as text or bitcode.
  llvm_ir,
};

/// The language and entry of a text: `{.language = kr::raw_language::ptx, .entry = "saxpy"}`.
struct raw_options {
  /// The language of the text.
  raw_language language;
  /// The name of the kernel in the text.
  const char* entry;
};

/// One text of a kernel that has several, one per language.
struct raw_text {
  /// The text.
  std::string_view text;
  /// Its language and entry.
  raw_options with;
};

namespace detail {
/// Throws error{usage}. The texts are copied.
KRAIT_API kernel_state* make_raw_kernel(const raw_text* texts, std::size_t count,
                                        const signature& as, location where);
}  // namespace detail

/// Makes a kernel from PTX, SPIR-V, WGSL or LLVM IR; it is launched like other kernels.
/// Each device takes the text in its own language. The entry takes the items of the argument block
/// (docs/raw-kernels.md), which is checked at the first call for a device; memory accesses are not
/// checked. Throws error{usage} for an empty text, and for two of one language.
/// \code
/// auto twice = kr::raw_kernel<void(kr::view<float>)>(
///     ptx, {.language = kr::raw_language::ptx, .entry = "twice"});
/// \endcode
template <class Signature>
auto raw_kernel(std::initializer_list<raw_text> texts,
                detail::location where = detail::location::here()) {
  using given = detail::packed_kernel<Signature>;
  return detail::access::make<kernel_object<typename given::lambda>>(
      detail::make_raw_kernel(texts.begin(), texts.size(), given::as, where));
}
template <class Signature>
auto raw_kernel(std::string_view text, const raw_options& with,
                detail::location where = detail::location::here()) {
  return raw_kernel<Signature>({{text, with}}, where);
}
/// Makes a kernel from the words of a SPIR-V module.
template <class Signature>
auto raw_kernel(std::span<const std::uint32_t> words, const raw_options& with,
                detail::location where = detail::location::here()) {
  return raw_kernel<Signature>(
      {{{reinterpret_cast<const char*>(words.data()), words.size_bytes()}, with}}, where);
}

}  // namespace krait
