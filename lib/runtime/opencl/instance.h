// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an OpenCL device offers of what Krait's code generator uses.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/opencl/api.h"
#include "support/store.h"
#include "support/target.h"

namespace krait::runtime::opencl {

/// What the addresses of arrays are. Kernels are the same in all three forms.
enum class Memory : std::uint8_t {
  Buffers,  // numbers of ours, for cl_mem
  Shared,   // shared virtual memory
  Host,     // the same, and kernels take all of the host's memory, which is the device's
};
constexpr std::string_view memory_words[] = {"buffers", "svm", "system"};

struct Gpu {
  const Api* cl = nullptr;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;  // null: this process has not loaded the drivers
  std::string name, platform_name;
  std::string full_name() const { return name + " (" + platform_name + ")"; }
  // among platforms by name, and its platform's devices
  unsigned platform_number = 0, device_number = 0;
  // of platform, device and driver: what binaries are kept by
  std::string version;
  bool takes_il = false;  // SPIR-V; else the bitcode of cl_khr_spir
  // takes the build option that f32 divisions and roots do
  bool rounds_correctly = false;
  Memory memory_form = Memory::Buffers;
  bool fine_grained = false;  // its shared memory
  std::size_t work_item_sizes[3]{}, work_group_size = 0;
  cl_ulong memory = 0, largest_allocation = 0, local_memory = 0;
  support::FeatureSet told;         // to the code generator
  bool probed = false;              // `told` has what probes find
  support::Store* store = nullptr;  // for what the driver makes of programs; null: nothing is kept
};

}  // namespace krait::runtime::opencl
