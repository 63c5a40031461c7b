// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random cases of algorithms, the forms that a device can run, and how often.
#pragma once

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <krait/algorithm/detail/form.h>

#include "api/expect.h"

namespace krait::test {

/// Another seed in each run, which is printed; KRAIT_SEED gives the same cases again.
inline unsigned seed() {
  static const unsigned of_run = [] {
    const char* const given = std::getenv("KRAIT_SEED");
    const unsigned s =
        given ? unsigned(std::strtoul(given, nullptr, 10)) : std::random_device()() % 1000000;
    std::printf("KRAIT_SEED=%u gives these cases again\n", s);
    return s;
  }();
  return of_run;
}
/// Random cases of a test: KRAIT_ALGORITHM_CASES, or few.
inline int cases() {
  const char* const given = std::getenv("KRAIT_ALGORITHM_CASES");
  return given ? std::atoi(given) : 6;
}
class Random {
 public:
  explicit Random(unsigned of_test) : engine_(seed() * 1000003u + of_test) {}
  std::int64_t below(std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n - 1)(engine_);
  }
  std::uint64_t bits() { return std::uniform_int_distribution<std::uint64_t>()(engine_); }
  /// Sizes of every magnitude up to `most`, and those around what a tile takes.
  std::int64_t size(std::int64_t most) {
    const std::int64_t shifted = std::int64_t{1} << below(18);
    return std::min(
        most, std::max<std::int64_t>(0, shifted + below(3) - 1 + (below(2) ? below(shifted) : 0)));
  }

 private:
  std::mt19937_64 engine_;
};

/// The forms that the default device can run: the CPU, which has warps of 32 and workers that wait,
/// all of them.
inline std::vector<detail::algorithm_device> forms() {
  using detail::algorithm_form;
  const detail::algorithm_device own = detail::algorithm_device_of(kr::device());
  const std::string id = kr::device().id();
  if (id == "cpu")
    return {{algorithm_form::chunks, own.workers},
            {algorithm_form::chunks, 5},
            {algorithm_form::warps, 512},
            {algorithm_form::blocks, 512},
            {algorithm_form::blocks, 3}};
  if (id == "interpreter") return {{algorithm_form::chunks, 3}};
  if (own.form == algorithm_form::warps)
    return {own, {algorithm_form::blocks, 512}, {algorithm_form::blocks, 3}};
  return {own, {algorithm_form::blocks, 3}};
}

}  // namespace krait::test
