// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait_opencl_probe: prints what OpenCL's drivers say of their devices, and what kernels show
// (found.h).
#include <unistd.h>

#include "runtime/opencl/device.h"
#include "runtime/opencl/discovery.h"

namespace {

int answer = 1;  // a copy of the standard output, into which drivers may write what they like

void tell(const std::string& line) {
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t bytes = write(answer, line.data() + at, line.size() - at);
    if (bytes <= 0) return;
    at += std::size_t(bytes);
  }
}

}  // namespace

int main() {
  using namespace krait::runtime::opencl;
  answer = dup(1), dup2(2, 1);
  for (Gpu& gpu : ask_here(tell).gpus) {
    const std::string name = gpu.name, platform = gpu.platform_name;
    tell("asking " + platform + "\n");
    try {
      OpenClDevice device(gpu, 0);
      gpu.told = device.target().spirv.features;
      tell(krait::runtime::opencl::write(gpu));
    } catch (const krait::error& e) {
      std::string why = "opencl: " + name + " (" + platform + "): " + e.message();
      for (char& c : why) c = c == '\n' ? ' ' : c;
      tell("skipped " + why + "\n");
    }
  }
  tell("done\n");
}
