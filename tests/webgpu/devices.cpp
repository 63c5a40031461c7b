// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library like Krait's own but for one thing: the device of Dawn for Node stands in the place of
// OpenCL's. Programs that are started with it run on WebGPU: KRAIT_DEVICE names the driver.
#include "support/webgpu_device.h"

namespace krait::runtime {

Found opencl_devices(support::Store*, bool) { return test::webgpu_devices(); }

}  // namespace krait::runtime
