// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel objects of what was recorded elsewhere: kernels of packs, and in text form.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "host/pack.h"
#include "krait/detail/call.h"

namespace krait::host {

/// What a kernel takes from its calls.
std::vector<detail::parameter_type> parameters_of(const ir::Function& kernel);
/// A kernel with these parameters and no operation.
ir::Module module_of(std::string_view name, const detail::signature& as);
/// Throws error{usage} that lists those that there are.
std::shared_ptr<const PackedKernel> find_kernel(const std::shared_ptr<const Pack>& pack,
                                                std::string_view name);
/// `as` has its parameters, and lives as long as the kernel object.
detail::kernel_state* make_kernel(std::shared_ptr<const PackedKernel> packed,
                                  const detail::signature& as);

}  // namespace krait::host
