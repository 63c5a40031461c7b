// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has to hold for a kernel. The recording is the oracle (support/meaning.h): every pass, with the facts of the launch and
// without them, every pipeline up to the accesses that the GPU code generators combine, and the back end must give what the
// interpreter makes of it.
#pragma once

#include <string>

#include "property/generator.h"
#include "runtime/backend.h"

namespace krait::test {

struct CheckOptions {
  std::string back_end;  // the device's, for messages
  bool passes = true;    // else the back end alone
  bool print = false;    // shows the final IR
  bool races = false;    // refuses kernels whose result depends on the order of threads
};

/// Empty, or what is wrong with the kernel. Views are dense, aligned and apart; the kernel's own facts say what the back end may use.
std::string check(const RandomKernel& kernel, runtime::Device& device, const CheckOptions& options);

}  // namespace krait::test
