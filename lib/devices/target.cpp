// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/target.h"

#include <string>

#include <fmt/core.h>

#include "devices/devices.h"

namespace krait {

target::target(const char* description) {
  const std::string canonical = support::print(host::read_target(description ? description : ""));
  text_ = text(canonical.data(), canonical.size());
}

target target::sm(int capability) { return target(fmt::format("sm_{}", capability).c_str()); }

}  // namespace krait
