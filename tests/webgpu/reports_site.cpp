// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page of kernels that print and check, for reports.mjs: reports_site FOLDER
#include <cstdint>
#include <cstdio>
#include <vector>

#include <krait/krait.h>
#include <krait/web.h>
namespace kr = krait;

int main(int argc, char** argv) try {
  if (argc != 2) return std::printf("reports_site: expected a folder\n"), 2;
  const auto speaks = kr::kernel(
      [](kr::view<const float> x, kr::view<int> y) {
        kr::value<std::int64_t> i = kr::grid();
        kr::print("{{{}}}: {} is {}, {} {} {} {}", i, x[i], x[i] > 0.0f, kr::cast<kr::f16>(x[i]),
                  kr::cast<kr::bf16>(x[i]), kr::cast<std::int8_t>(y[i]),
                  kr::cast<std::uint64_t>(y[i]));
      },
      {.name = "speaks"});
  const auto guarded = kr::kernel(
      [](kr::view<const int> at, kr::view<float> y) {
        kr::value<std::int64_t> i = kr::grid();
        y[at[i]] = 1.0f;
        kr::check(at[i] != 3, "three, said thread {}", i);
      },
      {.name = "guarded", .checked = true});
  std::vector<float> x{1.5f}, one(8);
  std::vector<int> y{-1}, at{0, 1, 2, 4};
  kr::export_web(argv[1], kr::web(speaks[{1, 1}], x, y).names({"x", "y"}),
                 kr::web(guarded[{1, 4}], at, one).names({"at", "y"}));
  return 0;
} catch (const kr::error& e) {
  return std::printf("%s\n", e.message()), 1;
}
