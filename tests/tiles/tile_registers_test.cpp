// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile registers of AMX belong to the process: it is asked for at the first product that takes
// them, and not before; a refusal changes no result.
#include <krait/tile.h>

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string_view>

#include <krait/krait.h>

namespace kr = krait;

namespace {

/// Bits of the components that the process may use, of arch_prctl; 0: an older system.
unsigned long permitted() {
  constexpr int get_permission = 0x1022;
  unsigned long mask = 0;
  return syscall(SYS_arch_prctl, get_permission, &mask) == 0 ? mask : 0;
}
bool may_use_tiles() {
  constexpr unsigned long contents = 18;
  return permitted() >> contents & 1;
}

bool fail(const char* what) { return std::printf("FAILED: %s\n", what), false; }

/// Rows of ones below 0 times columns of twos, in a kernel.
bool multiplies() {
  constexpr int side = 32, depth = 64;
  const auto multiply = kr::kernel(
      [](kr::view<const std::int8_t, 2> x, kr::view<const std::int8_t, 2> y,
         kr::view<std::int32_t, 2> z) {
        const auto left = kr::staged(kr::load<side, depth>(x, {0, 0}));
        const auto right = kr::staged(kr::load<depth, side>(y, {0, 0}));
        kr::store(z, {0, 0}, kr::mma(left, right, kr::tile<std::int32_t, side, side>(1)));
      },
      {.block = 64});
  kr::array<std::int8_t, 2> x({side, depth}), y({depth, side});
  kr::array<std::int32_t, 2> z({side, side});
  x = std::int8_t(-1), y = std::int8_t(2);
  multiply.launch({1, 64}, x, y, z);
  for (const std::int32_t sum : z.to_host())
    if (sum != 1 - 2 * depth) return fail("a sum is wrong");
  return true;
}

}  // namespace

int main(int, char** argv) try {
  const std::string_view expected = argv[1] ? argv[1] : "given";
  static char small_stack[8192];
  if (expected == "refused") {
    const stack_t own{small_stack, 0, sizeof small_stack};
    // Where this is too small for AVX-512 already, the system says so here.
    if (sigaltstack(&own, nullptr) != 0) return std::puts("SKIPPED: no small stack"), 77;
  }
  const bool has = std::strstr(kr::device().target(), "+amx-tile") != nullptr;
  const kr::array<float> x = kr::ones<float>({100}), y = x + x;
  if (y.to_host()[99] != 2) return fail("a sum"), 1;
  if (may_use_tiles()) return fail("asked for without need"), 1;
  if (!multiplies()) return 1;
  if (!has)
    return std::puts("SKIPPED: the processor or the system has no tile registers (AMX)"), 77;
  if (may_use_tiles() != (expected == "given"))
    return fail(expected == "given" ? "not asked for" : "given all the same"), 1;
  std::puts("PASSED");
} catch (const kr::error& e) {
  std::puts(e.what());
  return 1;
}
