// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrong calls on whole arrays: each error names its line, where the program has debug information.
// calls.py builds and runs it. An argument: without debug information, errors name no line.
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/sort.h>
#include <krait/span.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace kr = krait;

static int failures = 0;
static bool known = true;

template <class Call>
static void expect_line(const Call& call, unsigned line) {
  std::string file;
  unsigned told = 0;
  std::string message;
  try {
    call();
    std::printf("line %u: no error\n", line), ++failures;
    return;
  } catch (const kr::error& e) {
    file = e.file(), told = e.line(), message = e.message();
  }
  const bool here = file.ends_with("calls.cpp") && told == line &&
                    message.starts_with(file + ":" + std::to_string(line) + ": ");
  if (known ? here : file.empty() && told == 0) return;
  std::printf("line %u: %s\n", line, message.c_str()), ++failures;
}
#define EXPECT_LINE(...) expect_line([&] { __VA_ARGS__; }, __LINE__)

/// Of the user's own: its line is told, not that of its caller.
static void helper(const kr::array<float, 2>& a) { EXPECT_LINE(a.reshape(5, 5)); }

int main(int count, char**) {
  known = count == 1;
  auto a = kr::zeros<float>({3, 4});
  auto x = kr::zeros<float>(5), y = kr::zeros<float>(4);
  EXPECT_LINE(a(7, kr::all));
  EXPECT_LINE(a.reshape(5, -1));
  EXPECT_LINE(a.permute(0, 0));
  EXPECT_LINE(a.copy_from(std::vector<float>(3)));
  EXPECT_LINE(x.copy_from(y));
  EXPECT_LINE(kr::array<float> sum = x + y);
  EXPECT_LINE(x += y);
  EXPECT_LINE(x(kr::range(0, 3)) = y);
  EXPECT_LINE(x(kr::to_device({9})) = 1.0f);
  EXPECT_LINE(kr::eval(a(kr::all, kr::to_device({9}))));
  EXPECT_LINE(kr::sum(a, kr::axis(2)));
  EXPECT_LINE(kr::sort(a, kr::axis(5)));
  EXPECT_LINE(kr::take(x, kr::to_device({9})));
  EXPECT_LINE(kr::zeros<float>({-1, 2}));
  EXPECT_LINE(kr::device::find("no such device"));
  EXPECT_LINE(a.to_host()(3, 0));
  auto turned = a.transpose();
  EXPECT_LINE(kr::to_span(turned));
  auto f = kr::vectorize([](auto p, auto q) { return p + q; });
  EXPECT_LINE(f(x, y));
  helper(a);
  // Through the standard library.
  const std::function<void(int)> through = [&](int i) { EXPECT_LINE(x(i)); };
  const int bad[] = {7};
  std::for_each(bad, bad + 1, through);
  // In the second line of a call.
  try {
    kr::array<float> sum = x  //
                           + y;
  } catch (const kr::error& e) {
    if (known && e.line() != __LINE__ - 3 && e.line() != __LINE__ - 2)
      std::printf("line %d: %s\n", __LINE__, e.message()), ++failures;
  }
  return failures != 0;
}
