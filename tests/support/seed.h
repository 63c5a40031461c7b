// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeds of random tests: other ones in each run, so that every run tests something new.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace krait::test {

/// Where a test's seeds begin: KRAIT_SEED, or a number that is drawn and printed.
inline std::uint32_t first_seed() {
  static const std::uint32_t first = [] {
    const char* const given = std::getenv("KRAIT_SEED");
    const auto seed = given && *given ? std::uint32_t(std::strtoul(given, nullptr, 10))
                                      : std::random_device()() >> 1;
    std::printf("seeds begin at %u; KRAIT_SEED=%u gives them again\n", seed, seed);
    return seed;
  }();
  return first;
}

}  // namespace krait::test
