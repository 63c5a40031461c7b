// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has to hold for a kernel. The recording is the oracle (support/meaning.h): every pass, with
// the facts of the launch and without them, every pipeline up to the accesses that the GPU code
// generators combine, and the back end must give what the interpreter makes of it. A kernel whose
// accesses are flat is final: no pass runs.
#pragma once

#include <optional>
#include <string>

#include "support/runner.h"

namespace krait::test {

struct CheckOptions {
  // with the text form and every pass; else the back end alone
  bool passes = true;
  bool print = false;  // shows the final IR
  // refuses kernels whose result depends on the order of threads
  bool races = false;
  std::optional<support::Target> target{};  // else the device's own
};

/// Empty, or what is wrong with the kernel. Views are dense, aligned and apart; the kernel's own
/// facts say what the back end may use. Without a device passes and interpreter are checked.
std::string check(const Kernel& kernel, runtime::Device* device, const CheckOptions& options = {});

/// Whether that says what WebGPU lacks, as its generator does.
bool webgpu_lacks(const std::string& wrong);

/// What a launch of the kernel lets code know: the kernel's own facts where it states some; else
/// little, and all there is.
std::vector<ir::Facts> facts_of(const Kernel& kernel);

}  // namespace krait::test
