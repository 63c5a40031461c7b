// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/caching.md, run (tests/unit/docs_snippets.cpp holds the page to it).
#include <krait/krait.h>

#include <cstdio>
#include <vector>

namespace kr = krait;

int main() {
  auto saxpy = kr::kernel([](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
  });
  auto scale = kr::kernel([](kr::value<float> a, kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = a * y[i];
  });
  auto fill = kr::kernel([](kr::value<float> a, kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = a;
  });
  // [ahead]
  saxpy.compile();                            // now, for the default device
  kr::compilation c = scale.compile_async();  // in the background; the lambda is recorded now
  kr::compile_all(saxpy, scale, fill);        // in parallel, on all cores
  // [/ahead]
  c.wait();
  const std::uint64_t compiled = kr::stats().compiled() + kr::stats().from_disk();
  kr::array<float> y({1000});
  fill.launch({4, 256}, 2.0f, y);
  scale.launch({4, 256}, 3.0f, y);
  saxpy.launch({4, 256}, 0.5f, kr::to_device(std::vector<float>(1000, 8.0f)), y);
  // [stats]
  for (const kr::kernel_stats& k : kr::stats())
    std::printf("%s on %s: %s, %.2f ms, %llu launches\n", k.name, k.device, k.from_disk ? "from disk" : "compiled",
                k.record_ms + k.passes_ms + k.codegen_ms + k.load_ms, static_cast<unsigned long long>(k.launches));
  // [/stats]
  const bool compiled_ahead = kr::stats().compiled() + kr::stats().from_disk() == compiled;
  return y.to_host()[999] != 10.0f || !compiled_ahead;
}
