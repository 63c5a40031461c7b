// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs arguments, launches a module on a device or in the interpreter, and compares what it
// leaves. The host's kernel objects take no part: tests give a back end exactly the IR that they
// mean.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "ir/interp/interp.h"
#include "ir/ir.h"
#include "ir/text/kernel_file.h"
#include "runtime/backend.h"
#include "support/wanted.h"

namespace krait::test {

using Argument = ir::HostArgument;
using Kernel = ir::LaunchedKernel;

template <class T>
Argument scalar(T value) {
  Argument a;
  std::memcpy(&a.bits, &value, sizeof value);
  return a;
}
/// A contiguous array of these elements; of rank 1 unless extents are given.
template <class Elem>
Argument array(const std::vector<Elem>& values, const std::vector<std::int64_t>& extents = {}) {
  Argument a;
  a.rank = extents.empty() ? 1 : unsigned(extents.size());
  for (unsigned d = 0; d < a.rank; ++d)
    a.extents[d] = extents.empty() ? std::int64_t(values.size()) : extents[d];
  const auto* raw = reinterpret_cast<const std::byte*>(values.data());
  a.bytes.assign(raw, raw + values.size() * sizeof(Elem));
  return a;
}
/// Threads in a row.
inline ir::Launch line(std::int64_t blocks, std::int64_t threads) {
  return {{blocks, 1, 1}, {threads, 1, 1}};
}

/// The device of a back end by the name "cpu", "cuda", "vulkan", "opencl"; null, and why, when it
/// is not there. Lives as long as the process.
runtime::Device* find_device(const std::string& back_end, std::string& why);

/// Lanes of the warps of a device with this target.
int warp_of(const support::Target& target);

/// The mode by its name: strict, reproducible, or native, which computes all but mathematical
/// functions as reproducible does. Throws krait::error for any other.
ir::FpMode exact_mode(const std::string& name);

/// The device's target as the environment wants it (KRAIT_TEST_EFFORT=quick: the code of first
/// launches).
support::Target target_of(const runtime::Device& device);

/// Compiles for the target, launches, copies back. Empty, or what failed.
std::string run_on(runtime::Device& device, const support::Target& target,
                   const ir::Module& lowered, const ir::Launch& launch,
                   std::vector<Argument>& arguments);
/// For the device's own target.
std::string run_on(runtime::Device& device, const ir::Module& lowered, const ir::Launch& launch,
                   std::vector<Argument>& arguments);
/// The same on the interpreter.
std::string run_interpreted(const ir::Module& module, const ir::Launch& launch,
                            std::vector<Argument>& arguments);
ir::Outcome run_interpreted(const ir::Module& module, const ir::Launch& launch,
                            std::vector<Argument>& arguments, const ir::InterpretOptions& options);

/// Empty, or the first element that differs: bits, but any NaN equals any NaN.
std::string difference(const ir::Module& module, const std::vector<Argument>& expected,
                       const std::vector<Argument>& got);

}  // namespace krait::test
