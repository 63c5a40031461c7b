// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait_opencl_probe: prints what OpenCL's drivers say of their devices, and what kernels show (found.h).
#include <cstdio>

#include "runtime/opencl/device.h"
#include "runtime/opencl/found.h"

int main() {
  using namespace krait::runtime::opencl;
  const auto tell = [](const std::string& line) {
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);  // before a driver ends the process
  };
  for (Gpu& gpu : ask_here(tell).gpus) {
    const std::string name = gpu.name, platform = gpu.platform_name;
    tell("asking " + platform + "\n");
    try {
      OpenClDevice device(gpu, 0);
      gpu.told = device.target().spirv.features;
      tell(write(gpu));
    } catch (const krait::error& e) {
      std::string why = e.message();
      for (char& c : why) c = c == '\n' ? ' ' : c;
      tell("skipped opencl: " + name + " (" + platform + "): " + why + "\n");
    }
  }
  tell("done\n");
}
