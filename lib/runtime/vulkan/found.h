// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of this machine, with the reason for each that Krait cannot use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/backend.h"

namespace krait::runtime::vulkan {

struct Found {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<std::string> skipped;  // "name: what is missing"
};
/// `software`: also devices that are no GPU, such as lavapipe. Nothing is probed where no GPU's device node exists and software
/// was not asked for. `store` may be null.
Found find_devices(bool software, support::Store* store = nullptr);

}  // namespace krait::runtime::vulkan
