// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vulkan as loaded by volk at run time: nothing links against a loader. Only this folder includes
// it.
#pragma once

#include <volk.h>

#include <string>

#include "support/error.h"

namespace krait::runtime::vulkan {

std::string name_of(VkResult result);

/// Throws krait::error of kind device that names the call and the result.
inline void check(VkResult result, const char* call) {
  if (result < 0) support::fail_device("Vulkan: {} failed: {}", call, name_of(result));
}

}  // namespace krait::runtime::vulkan
