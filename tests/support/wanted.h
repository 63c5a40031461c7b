// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Back ends that may not be missing: where KRAIT_TEST_BACK_ENDS names one, its tests fail instead
// of being skipped.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace krait::test {

/// What CTest counts as skipped (SKIP_RETURN_CODE).
inline constexpr int skipped = 77;

/// "cpu", or KRAIT_TEST_BACK_ENDS' comma list of the back ends to compare with the interpreter. One
/// that is missing there is an error.
inline std::vector<std::string> wanted_back_ends() {
  const char* const list = std::getenv("KRAIT_TEST_BACK_ENDS");
  std::istringstream in(list && *list ? list : "cpu");
  std::vector<std::string> wanted;
  for (std::string one; std::getline(in, one, ',');) wanted.push_back(one);
  return wanted;
}

/// How a program ends whose back end is missing.
inline int missing(const std::string& back_end) {
  for (const std::string& wanted : wanted_back_ends())
    if (wanted == back_end) return 1;
  return skipped;
}

}  // namespace krait::test
