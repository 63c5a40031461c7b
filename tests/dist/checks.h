// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that ranks make, as processes or as threads of one.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>

#include <krait/dist.h>
#include <krait/krait.h>

#include "support/says.h"

namespace dist_test {

inline std::mutex mutex;
inline int failures = 0, checks = 0;

inline void expect(bool holds, const char* text, const char* file, int line,
                   const std::string& where) {
  const std::lock_guard lock(mutex);
  ++checks;
  if (!holds && ++failures < 20)
    std::fprintf(stderr, "%s:%d: %s: %s\n", file, line, text, where.c_str());
}
#define EXPECT(holds) dist_test::expect(holds, #holds, __FILE_NAME__, __LINE__, where)

template <class Function>
std::string error_of(const Function& f) {
  try {
    f();
  } catch (const krait::error& e) {
    return krait::test::without_place(e.message());
  }
  return "no error";
}

/// The whole array on each rank.
template <class Elem, int Rank>
krait::array<Elem, Rank> everywhere(const krait::dist::array<Elem, Rank>& a) {
  krait::dist::along words[Rank];
  for (auto& word : words) word = krait::dist::whole;
  return krait::dist::redistribute(a, words).owned().copy();
}

/// Runs all(ranks) on the launcher's ranks, or on so many threads, and then what needs none; gives
/// main's status.
template <class All>
int run(
    int argc, char** argv, const All& all, void (*alone)() = [] {}) {
  try {
    if (argc == 1) {
      if (const int status = krait::dist::run(all)) return status;
    } else {
      krait::dist::run(std::atoi(argv[1]), all);
      alone();
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  std::printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}

}  // namespace dist_test
