// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libkrait_translator.so, a plug-in around SPIRV-LLVM-Translator and the LLVM that it was built
// with: C, because its LLVM is another than the code generator's. Loaded where an OpenCL driver
// takes LLVM bitcode (cl_khr_spir) and no SPIR-V.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// Translates a module for OpenCL 1.2 into bitcode, or with `text` into LLVM IR. 0: `out` has the
/// `size` bytes of the result; else the message, which ends with NUL. Null where memory is short.
using krait_translate_fn = int (*)(const std::uint32_t* words, std::size_t count, int text,
                                   char** out, std::size_t* size);
using krait_translate_release_fn = void (*)(char* out);
}
