// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs do with Krait whose environment somebody else may have chosen: program WHAT…
//   run: a kernel; solve: LAPACK; report: NVIDIA's assembler, if it is installed; devices: the default device and what is not used;
//   clear: forgets the environment; chdir FOLDER: before all that follows.
#include <krait/algorithm/linalg.h>
#include <krait/krait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace kr = krait;

namespace {

bool runs() {
  const auto scale = kr::kernel(
      [](kr::value<float> a, kr::view<float> x) {
        for (auto i : kr::grid_stride(x.size())) x[i] = a * x[i];
      },
      {.name = "scale"});
  std::vector<float> x(1000, 1.0f);
  scale.launch({4, 64}, 2.0f, x);
  return x[5] == 2.0f;
}

bool solves() {
  const kr::array<double> a = kr::to_device(std::vector<double>{4, 1, 1, 3});
  const kr::array<double> b = kr::to_device(std::vector<double>{5, 4});
  const std::vector<double> x = kr::solve(a.reshape(2, 2), b).to_host();
  return std::abs(x[0] - 1) < 1e-9 && std::abs(x[1] - 1) < 1e-9;
}

void report() {
  constexpr std::string_view nothing = "kir 1\nkernel @nothing fp(native) () {\n  return\n}\n";
  std::printf("%s",
              kr::detail::inspect_text(nothing.data(), nothing.size(), "stats", "sm_90").data());
}

}  // namespace

int main(int count, char** words) try {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "clear") clearenv();
    else if (word == "chdir" && ++i < count) {
      if (chdir(words[i])) return std::perror(words[i]), 2;
    } else if (word == "run" && !runs()) return std::puts("a wrong result"), 1;
    else if (word == "solve" && !solves()) return std::puts("a wrong solution"), 1;
    else if (word == "report") report();
    else if (word == "devices")
      std::printf("default %s\n%s\n", kr::device().id(), kr::skipped_devices().data());
  }
  return 0;
} catch (const std::exception& e) {
  std::printf("error: %s\n", e.what());
  return 1;
}
