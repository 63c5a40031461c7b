// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/target.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "driver/devices.h"
#include "support/error.h"

namespace krait {
namespace {

/// Features that GPUs of the last ten years have; subgroup size and limits at their minimum.
constexpr const char* common_vulkan = "spirv features=i64,f64,i16,i8,f16,a64,sa64,vmm,warp,rte16,rte32,rte64,div32,sqrt32,div64,sqrt64,whole64 subgroup=32 push=128";

std::string ptx(int sm) {
  if (sm < 75 || sm > 121) support::fail_usage("kernels compile for compute capability 7.5 to 12.1, sm_{} was asked for", sm);
  const int isa = sm >= 121 || sm == 103 ? 88 : sm >= 120 ? 87 : sm >= 100 ? 86 : 80;
  return fmt::format("ptx sm={} isa={}", sm, isa);
}

std::string whole(const std::string& t) {
  if (t.starts_with("sm_")) return ptx(std::atoi(t.c_str() + 3));
  if (t == "cpu") return driver::Devices::get().cpu().target;
  if (t == "vulkan" || t == "spirv") return common_vulkan;
  if (t.starts_with("cpu ") || t.starts_with("ptx ") || t.starts_with("spirv ")) return t;
  support::fail_usage("\"{}\" is no target: sm_75 … sm_121, cpu, vulkan, or a whole target as `krait devices` prints it", t);
}

}  // namespace

target::target(const char* description) {
  const std::string t = whole(description ? description : "");
  text_ = text(t.data(), t.size());
}

target target::sm(int capability) { return target(ptx(capability).c_str()); }

}  // namespace krait
