// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/hints.md, run (tests/unit/docs_snippets.cpp holds the page to it): the first kernel of a pair gets a hint, the second none.
#include <krait/krait.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace kr = krait;

int main() {
  // [columns]
  auto columns = kr::kernel([](kr::view<const float, 2> in, kr::view<float, 2> out) {
    auto [x, y] = kr::grid<2>();
    kr::if_(x < out.extent(0) && y < out.extent(1), [&] { out(x, y) = 2 * in(x, y); });
  });
  // [/columns]
  // [rows]
  auto rows = kr::kernel([](kr::view<const float, 2> in, kr::view<float, 2> out) {
    auto [x, y] = kr::grid<2>();
    kr::if_(y < out.extent(0) && x < out.extent(1), [&] { out(y, x) = 2 * in(y, x); });
  });
  // [/rows]
  // [ask]
  rows.compile();                                        // hints are about the recorded kernel
  const kr::text here = rows.hints();                    // for the default device
  const kr::text there = rows.hints(kr::target::sm(90));  // for a GPU that this machine need not have
  if (here.size() == 0) std::puts("nothing to say");
  // [/ask]
  // [captured]
  const int width = 640;  // a plain number: a constant of the kernel
  auto known = kr::kernel([=](kr::view<const int> at, kr::view<int> row) {
    for (auto i : kr::grid_stride(row.size())) row[i] = at[i] / width;
  });
  auto unknown = kr::kernel([](kr::value<int> by, kr::view<const int> at, kr::view<int> row) {
    for (auto i : kr::grid_stride(row.size())) row[i] = at[i] / by;  // hint: integer division
  });
  // [/captured]
  columns.compile(), known.compile(), unknown.compile();
  const auto says = [](const kr::text& text, const char* what) { return std::strstr(text.data(), what) != nullptr; };
  const kr::target avx2("cpu x86-64 lanes=8 parts=2 cpu=x86-64-v3");
  bool right = here.size() == 0 && there.size() == 0;
  right = right && says(columns.hints(avx2), "scatter: the index is multiplied by a size") && says(columns.hints(kr::target::sm(90)), "uncoalesced access");
  return !(right && known.hints(avx2).size() == 0 && says(unknown.hints(avx2), "integer division"));
}
