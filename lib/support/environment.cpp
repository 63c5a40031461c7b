// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/environment.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstring>

namespace krait::support {

bool has_raised_privileges() noexcept { return getauxval(AT_SECURE) != 0; }

const char* why_no_drivers() noexcept {
  if (!has_raised_privileges() || !environ || !*environ) return nullptr;
  return "the process has raised privileges, and drivers load libraries that its user's variables "
         "name: call clearenv() before Krait's first use";
}

Hinting hinting() {
  static const Hinting wanted = [] {
    const char* v = environment_text("KRAIT_HINTS");
    if (!v) return Hinting::Recording;
    return std::strcmp(v, "0") == 0 ? Hinting::None : Hinting::All;
  }();
  return wanted;
}

// clearenv() leaves no list at all.
char** environment_of_children() noexcept {
  static char* none[] = {nullptr};
  return has_raised_privileges() || !environ ? none : environ;
}

}  // namespace krait::support
