// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding a mistake: lines printed by kernels, a check that fails, an access out of bounds, and a data race that the interpreter
// finds. Every mistake is caught, and the program goes on.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

namespace {

/// Runs something that must fail, and shows the error; true if its message has `part`.
template <class Action>
bool fails_with(const char* part, const Action& action) {
  try {
    action();
    kr::synchronize();  // a GPU reports here
  } catch (const kr::error& e) {
    std::printf("%s\n", e.message());
    return std::strstr(e.message(), part) != nullptr;
  }
  std::printf("no error where \"%s\" was expected\n", part);
  return false;
}

bool print_and_check() {
  // [print]
  auto roots = kr::kernel([](kr::view<float> x) {
    auto i = kr::grid<1>();
    kr::print("thread {} has {:.2f}", i, x[i]);
    kr::check(x[i] >= 0, "x[{}] = {} has no root", i, x[i]);
    x[i] = kr::sqrt(x[i]);
  }, {.name = "roots"});
  // [/print]
  kr::array<float> x = kr::to_device(std::vector<float>{4, 9, 16, -25});
  if (!fails_with("x[3] = -25 has no root", [&] { roots.launch({1, 4}, x); })) return false;
  return std::vector<float>(x.to_host())[2] == 4;  // the other threads' work is done, and the array lives
}

bool out_of_bounds() {
  // [checked]
  auto blur = kr::kernel([](kr::view<const float> in, kr::view<float> out) {
    auto i = kr::grid<1>();
    out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
  }, {.name = "blur", .checked = true});
  // [/checked]
  const kr::array<float> in = kr::to_device(std::vector<float>(64, 1.0f));
  kr::array<float> out(64);
  return fails_with("out of bounds: load from parameter 1", [&] { blur.launch({1, 64}, in, out); });
}

bool data_race() {
  // [race]
  auto mirror = kr::kernel([](kr::view<int> x) {
    auto tile = kr::shared<int, 64>();
    auto t = kr::thread_idx().x;
    tile[t] = x[t];
    x[t] = tile[63 - t];  // kr::syncthreads() is missing
  }, {.name = "mirror"});
  kr::array<int> x({64}, kr::device::find("interpreter"));
  // [/race]
  x.copy_from(std::vector<int>(64, 7));
  return fails_with("data race", [&] { mirror.launch({1, 64}, x); });
}

}  // namespace

int main() try {
  std::vector<std::string> lines;
  kr::on_print([&](const char* line) { lines.emplace_back(line); });
  const bool good = print_and_check() && out_of_bounds() && data_race();
  kr::on_print(nullptr);
  for (const std::string& line : lines) std::printf("%s\n", line.c_str());
  return good && lines.size() == 4 ? 0 : 1;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
