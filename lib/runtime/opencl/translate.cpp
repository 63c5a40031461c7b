// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/opencl/translate.h"

#include <dlfcn.h>

#include "support/error.h"
#include "support/places.h"

namespace krait::runtime::opencl {

const Translator* Translator::open(std::string& why) {
  static std::string failure;
  static const Translator* const translator = []() -> const Translator* {
    void* library = nullptr;
    std::string tried;
    for (const std::string& path : support::places_of("libkrait_translator.so")) {
      if ((library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))) break;
      const char* said = dlerror();
      tried += (tried.empty() ? "" : "; ") + std::string(said ? said : path);
    }
    static Translator t;
    if (library) {
      t.translate_ = reinterpret_cast<krait_translate_fn>(dlsym(library, "krait_translate"));
      t.release_ =
          reinterpret_cast<krait_translate_release_fn>(dlsym(library, "krait_translate_release"));
      if (t.translate_ && t.release_) return &t;
      tried = "its exports do not match this library";
    }
    failure =
        "Krait's translator libkrait_translator.so, which is built where "
        "SPIRV-LLVM-Translator is installed, cannot be loaded: " +
        tried;
    return nullptr;
  }();
  why = failure;
  return translator;
}

std::string Translator::run(std::span<const std::uint32_t> words, bool text,
                            const std::string& kernel_name) const {
  char* out = nullptr;
  std::size_t size = 0;
  const int status = translate_(words.data(), words.size(), text, &out, &size);
  if (!out) support::fail_device("kernel {}: out of memory", kernel_name);
  std::string result;
  try {
    result.assign(out, size);
  } catch (...) {
    release_(out);
    throw;
  }
  release_(out);
  if (status)
    support::fail(error::kind_type::internal, "kernel {}: SPIRV-LLVM-Translator: {}", kernel_name,
                  result);
  return result;
}

}  // namespace krait::runtime::opencl
