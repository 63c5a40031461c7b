// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plug-in libkrait_translator.so, which makes LLVM bitcode of SPIR-V.
#pragma once

#include <span>
#include <string>

#include "support/translator.h"

namespace krait::runtime::opencl {

class Translator {
 public:
  /// Null, and why.
  static const Translator* open(std::string& why);
  /// Bitcode, or LLVM IR. Throws krait::error.
  std::string run(std::span<const std::uint32_t> words, bool text,
                  const std::string& kernel_name) const;

 private:
  krait_translate_fn translate_ = nullptr;
  krait_translate_release_fn release_ = nullptr;
};

}  // namespace krait::runtime::opencl
