// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The boundary of the code-generation plug-in: one C function, final .kir text and a target in,
// bytes and a log out. The plug-in holds LLVM and SPIRV-Tools, is loaded at the first cache miss
// and shares no type and no memory with the library.
//
// Targets are texts (support/target.h). What to emit:
//   "binary"  what the runtime loads: an envelope (support/blobs/envelope.h) with machine code, PTX,
//             SPIR-V words or WGSL
//   "llvm"    LLVM IR as text (cpu, ptx)
//   "asm"     assembly (cpu), PTX (ptx), SPIR-V disassembly (spirv), WGSL (wgsl)
#pragma once

#include <cstddef>

extern "C" {

struct krait_codegen_request {
  const char* kir;
  std::size_t kir_size;
  const char* target;
  const char* emit;
  int hints;  // not 0: tell what makes the kernel slow on the target
  // Code in the target's own language instead of the kernel's body, which is empty (codegen/raw.h);
  // null: there is none.
  const char* raw = nullptr;
  std::size_t raw_size = 0;
  const char* entry = nullptr;  // its kernel's name there
  // For tests, not 0: LLVM's machine verifier reads CPU code and PTX behind each of LLVM's passes,
  // and what it finds is status 2.
  int verify = 0;
};

struct krait_codegen_reply {
  // 0: data holds the result; 1: the kernel cannot be compiled for the target; 2: a defect of ours;
  // 3: the host is short of memory or threads; 4: LLVM failed in this copy of the plug-in, which
  // compiles no more: another one may
  int status;
  char* data;
  std::size_t size;
  char* log;  // message of other statuses than 0, warnings otherwise; never null
  // where asked for, a line each: kind, line and file of the source, and text, with tabs between;
  // else null
  char* hints;
  double parse_ms, lower_ms, optimise_ms, emit_ms;
};

/// Never throws, never ends the process. The reply is released by krait_codegen_release.
using krait_codegen_fn = void (*)(const krait_codegen_request*, krait_codegen_reply*);
using krait_codegen_release_fn = void (*)(krait_codegen_reply*);
/// Identifies the build of the plug-in; part of the cache key. The first that is called after
/// loading. Null: no memory.
using krait_codegen_build_id_fn = const char* (*)();

}  // extern "C": the plug-in exports krait_codegen, krait_codegen_release, krait_codegen_build_id
