// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a lowered module on a device without the driver's kernels, so that tests give a back end exactly the IR they mean.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/interp.h"
#include "ir/ir.h"
#include "runtime/backend.h"
#include "support/wanted.h"

namespace krait::test {

/// One argument with its memory on the host. `extents` of a view; all views are contiguous.
struct Argument {
  std::uint64_t bits = 0;
  std::vector<std::byte> bytes;
  std::array<std::int64_t, 4> extents{1, 1, 1, 1};
  unsigned rank = 0;  // 0: a scalar
};

template <class Elem>
Argument array_of(const std::vector<Elem>& values) {
  Argument a;
  a.rank = 1, a.extents[0] = std::int64_t(values.size());
  const auto* raw = reinterpret_cast<const std::byte*>(values.data());
  a.bytes.assign(raw, raw + values.size() * sizeof(Elem));
  return a;
}

/// The device of a back end by the name "cpu", "cuda", "vulkan"; null, and why, when it is not there. Lives as long as the process.
runtime::Device* find_device(const std::string& back_end, std::string& why);

/// Lanes of the device's warps.
int warp_of(const runtime::Device& device);

/// The mode by its name: strict, reproducible, or native, which computes all but mathematical functions as reproducible does. Throws
/// krait::error for any other.
ir::FpMode exact_mode(const std::string& name);

/// Compiles, launches, copies back. Empty, or what failed.
std::string run_on(runtime::Device& device, const ir::Module& lowered, const ir::Launch& launch,
                   std::vector<Argument>& arguments);
/// The same on the interpreter.
std::string run_interpreted(const ir::Module& module, const ir::Launch& launch, std::vector<Argument>& arguments);
ir::Outcome run_interpreted(const ir::Module& module, const ir::Launch& launch, std::vector<Argument>& arguments,
                            const ir::InterpretOptions& options);

/// Empty, or the first element that differs: bits, but any NaN equals any NaN.
std::string difference(const ir::Module& module, const std::vector<Argument>& expected, const std::vector<Argument>& got);

}  // namespace krait::test
