// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code generator in which LLVM fails at the first kernel that a copy of it compiles, and which
// compiles no more then. That a copy's first kernel is its first shows that each has objects of its
// own.
#include <cstdlib>
#include <cstring>

#include "codegen/codegen.h"

namespace {

bool failed = false;

char* copy(const char* text) {
  return std::strcpy(static_cast<char*>(std::malloc(std::strlen(text) + 1)), text);
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) void krait_codegen(const krait_codegen_request*,
                                                          krait_codegen_reply* reply) {
  *reply = {};
  reply->status = failed ? 4 : 2;
  reply->log = copy(failed ? "spent" : "LLVM: made up");
  failed = true;
}
__attribute__((visibility("default"))) void krait_codegen_release(krait_codegen_reply* reply) {
  std::free(reply->log);
}
__attribute__((visibility("default"))) const char* krait_codegen_build_id() { return ""; }
}
