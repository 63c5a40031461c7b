// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel in text form with the arguments and the launch of the command line, for `krait run` and
// `krait export`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <krait/detail/text_kernel.h>
#include <krait/krait.h>

#include "commands.h"
#include "npy.h"

namespace tool {

struct Freed {
  void operator()(krait::detail::text_kernel* k) const { krait::detail::free_text_kernel(k); }
};

/// The arrays of the host that the arguments point to are its own.
struct Call {
  std::unique_ptr<krait::detail::text_kernel, Freed> kernel;
  std::vector<krait::detail::argument> arguments;
  std::vector<Array> arrays;  // per parameter; empty for numbers
  krait::detail::call_config config;

  const krait::detail::signature& signature() const {
    return krait::detail::signature_of(kernel.get());
  }
};

/// Reads the arguments, and checks them against the kernel. `command`, "krait run", stands in
/// messages. Throws krait::error.
Call read_call(const std::string& command, const std::string& text, const CallOptions& options,
               bool checked);

/// "parameter 3, an array of 1 dimension of type <f4".
std::string describe(const krait::detail::parameter_type& type, unsigned number);

}  // namespace tool
