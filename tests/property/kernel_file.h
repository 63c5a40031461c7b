// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random kernel as a file, so that it outlives changes of the generator: its recording as .kir text with the facts of the launch,
// and in comments before it where it comes from, the launch, and the bytes of its arguments.
#pragma once

#include <string>
#include <string_view>

#include "property/generator.h"

namespace krait::test {

/// The file's text. `origin` is the first line: what made the kernel.
std::string write_kernel(const RandomKernel& kernel, std::string_view origin);

/// The kernel of such a text. Throws krait::error, with the line, where it is not one.
RandomKernel read_kernel(std::string_view text);

}  // namespace krait::test
