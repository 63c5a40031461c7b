// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WebGPU for tests: a device whose kernels Dawn for Node runs, in a process of its own
// (tests/webgpu/serve.mjs). The library has no such device, as it writes web pages and does not run
// them. Memory lies in this process, and travels with each launch.
#pragma once

#include "runtime/backend.h"

namespace krait::test {

/// The device, or why it cannot be had.
runtime::Found webgpu_devices();

/// Seconds that the device may take to load or launch, until another process takes its place and
/// the call fails with `webgpu_gave_up`. Without that it may take any time.
void set_webgpu_patience(double seconds);
inline constexpr const char* webgpu_gave_up = "WebGPU's driver takes too long: it is given up";

}  // namespace krait::test
