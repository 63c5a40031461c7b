// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program of page_test.py. A kernel of Krait's own is compiled first, then two of the
// program's. The lines of this file have what a page may get wrong: </script>, "quotes", tabs,
// ümlauts, and lines that no pane is wide enough for.
#include <vector>

#include <krait/algorithm/reduce.h>
#include <krait/krait.h>
namespace kr = krait;

/* A comment over
   several lines, with a // inside. */
static const char* const raw = R"(a raw "string"
that goes on <b>&amp;</b>)";

// clang-format off
int main() {
  std::vector<float> host(1000, 1.0f);
  kr::array<float> x = kr::to_device(host), y = kr::to_device(host);
  const float total = kr::sum(x);

  auto blend = kr::kernel(
      [](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
        for (auto i : kr::grid_stride(y.size())) {
          auto scaled = a * x[i];  // a line of its own, with a comment that is so long that it does not fit into any of the panes of a window that is 1,280 pixels wide
					auto root = kr::sqrt(scaled + 1.0f);
          kr::if_(root > 1.5f, [&] { y[i] = root - scaled; });
        }
      },
      {.name = "blend"});
  blend.launch({8, 128}, 2.0f, x, y);

  auto square = kr::kernel([](kr::view<float> y) { for (auto i : kr::grid_stride(y.size())) y[i] = y[i] * y[i]; }, {.name = "square"});
  square.launch({8, 128}, y);
  return total == 1000.0f && y.to_host()[0] != 0.0f && raw[0] == 'a' ? 0 : 1;
}
