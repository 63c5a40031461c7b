// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/tile_registers.h"

#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace krait::runtime::cpu {

#if defined(__x86_64__)

namespace {
// of arch_prctl (asm/prctl.h of Linux 5.16), and the component of the registers' contents
constexpr int get_supported = 0x1021, request_permission = 0x1023;
constexpr unsigned long contents = 18;
}  // namespace

bool has_tile_registers() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned pairs = 1u << 22, tile = 1u << 24, bytes = 1u << 25,
                     all = pairs | tile | bytes;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & all) != all) return false;
  unsigned long supported = 0;
  return syscall(SYS_arch_prctl, get_supported, &supported) == 0 && (supported >> contents & 1);
}

std::uint32_t may_use_tile_registers() {
  static const bool allowed = syscall(SYS_arch_prctl, request_permission, contents) == 0;
  return allowed;
}

#else

bool has_tile_registers() { return false; }
std::uint32_t may_use_tile_registers() { return 0; }

#endif

}  // namespace krait::runtime::cpu
