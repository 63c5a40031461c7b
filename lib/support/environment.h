// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place that reads variables of the environment (tools/layers.py holds that). In a process
// with raised privileges (setuid, setgid, file capabilities) whoever starts it chooses the
// variables, and must choose neither its code nor its files.
#pragma once

#include <cstdlib>

namespace krait::support {

/// The variable's value; null where it is not set, and in a process with raised privileges.
/// docs/environment.md lists the names.
inline const char* environment(const char* name) noexcept { return secure_getenv(name); }

/// The same; null where it is empty, too.
inline const char* environment_text(const char* name) noexcept {
  const char* const value = environment(name);
  return value && *value ? value : nullptr;
}

/// Of a switch: whether it is set to anything but nothing and "0".
inline bool environment_asks(const char* name) noexcept {
  const char* const value = environment_text(name);
  return value && (value[0] != '0' || value[1] != '\0');
}

/// Which hints KRAIT_HINTS asks for (host/hints.h), read once.
enum class Hinting { None, Recording, All };
Hinting hinting();

/// Whether the kernel started the process with more rights than its user has.
bool has_raised_privileges() noexcept;

/// Why no driver of a GPU may be loaded, or null. Drivers read variables by themselves: OpenCL's
/// loader takes OCL_ICD_VENDORS, PoCL the code in its cache below HOME, and NVIDIA's CUDA driver
/// loads CUDA_INJECTION64_PATH in a setuid program, too. No list of such variables could be
/// complete, so there must be none at all.
const char* why_no_drivers() noexcept;

/// The environment of programs that the library starts: this process's own, or an empty one where
/// that is not to be trusted. Ends with null.
char** environment_of_children() noexcept;

}  // namespace krait::support
