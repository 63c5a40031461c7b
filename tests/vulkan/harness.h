// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel on a Vulkan device and in the interpreter, and compares every array bit by bit (any NaN equals any NaN).
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/interp.h"
#include "ir/ir.h"
#include "runtime/backend.h"

namespace krait::test {

/// One argument: a scalar's bits, or an array with its elements.
struct KernelArgument {
  std::uint64_t bits = 0;
  std::vector<std::byte> data;
  std::array<std::int64_t, 4> extents{}, strides{};
};

template <class T>
KernelArgument scalar(T value) {
  KernelArgument a;
  std::memcpy(&a.bits, &value, sizeof value);
  return a;
}
/// A contiguous array of these elements; of rank 1 unless extents are given.
template <class T>
KernelArgument array(const std::vector<T>& elements, std::vector<std::int64_t> extents = {}) {
  KernelArgument a;
  a.data.resize(elements.size() * sizeof(T));
  std::memcpy(a.data.data(), elements.data(), a.data.size());
  if (extents.empty()) extents = {std::int64_t(elements.size())};
  std::int64_t stride = 1;
  for (std::size_t d = extents.size(); d-- > 0; stride *= extents[d]) a.extents[d] = extents[d], a.strides[d] = stride;
  return a;
}

/// The device of the tests (lavapipe where no GPU is there), or null: then `why_no_device` says why, and tests are skipped.
runtime::Device* device();
std::string why_no_device();

/// Compiles for the device, or for `target`; fails the test where that is not possible.
std::string compile(const ir::Module& module, std::string_view target = {});
ir::Module parse_kernel(std::string_view text);

/// Arrays after the launch on the device.
std::vector<KernelArgument> run_on_device(const ir::Module& module, const ir::Launch& launch,
                                          std::vector<KernelArgument> arguments, std::string_view target = {});
/// Launches in both and compares. With `target` the device runs what is made for another one.
void expect_as_interpreted(const ir::Module& module, ir::Launch launch, const std::vector<KernelArgument>& arguments,
                           std::string_view target = {});
/// The same of a recording: the device runs what the passes make of it, the interpreter what was recorded.
void expect_as_recorded(const ir::Module& recorded, const ir::Launch& launch, const std::vector<KernelArgument>& arguments);

}  // namespace krait::test
