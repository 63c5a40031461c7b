// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plug-in as the library uses it: opened with dlopen, called by its C interface.
#pragma once

#include <optional>
#include <string>

#include "support/blobs/envelope.h"
#include "support/ptxas.h"

namespace krait::test {

struct Compiled {
  int status = 2;
  std::string data, log;
  std::optional<std::string> hints;  // none: the plug-in gave no such text
  support::Envelope envelope{};      // of a binary, without its code
};
/// Of a binary for PTX `data` is the PTX; for others it is as runtimes load it. Loads the plug-in
/// on first use; fails the test where that does not work.
Compiled compile(const std::string& kir, const std::string& target,
                 const std::string& emit = "binary", bool hints = false);

/// LLVM IR for the CPU instead of a kernel's body, as `emit`; LLVM's machine verifier reads its
/// code.
Compiled compile_raw(const std::string& kir, const std::string& target, const std::string& emit,
                     const std::string& code, const std::string& entry);

/// Compiles for every device that the tests cover and assembles each; fails the test on errors and,
/// unless `may_use_stack`, on local memory. Returns the PTX for sm_90.
std::string check_ptx(const std::string& kir, bool may_use_stack = false);

}  // namespace krait::test
