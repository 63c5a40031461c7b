// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library without any function.
namespace {
[[maybe_unused]] constexpr int nothing = 0;
}
