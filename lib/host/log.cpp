// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begins the log when the library is loaded, before there is anything to tell.
#include "support/environment.h"
#include "support/log.h"

#include <cstdio>

namespace {

[[maybe_unused]] const bool begun = [] {
  const char* const wish = krait::support::environment_text("KRAIT_LOG");
  if (!wish) return false;
  const std::string wrong = krait::support::begin_log(wish);
  if (!wrong.empty()) std::fprintf(stderr, "krait: warning: %s\n", wrong.c_str());
  return wrong.empty();
}();

}  // namespace
