// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/howto.md, run (tests/unit/docs_snippets.cpp holds the page to it).
#include <krait/algorithm/loops.h>
#include <krait/algorithm/reduce.h>
#include <krait/benchmark.h>
#include <krait/krait.h>
#include <krait/label.h>
#include <krait/span.h>
#include <krait/trace_file.h>
#include <krait/tune.h>
#include <krait/web.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace kr = krait;

namespace {

int failures = 0;

void expect(bool holds, int line) {
  if (!holds) std::printf("howto_snippets.cpp:%d does not hold\n", line), ++failures;
}

void reduce() {
  kr::array<float, 2> a({4, 1000});
  a.fill(2.0f);
  // [reduce]
  const float total = kr::sum(a);                      // one number; waits for it
  auto largest = kr::max(a * a, kr::axis(1));          // an array of 4 elements, which stays on the device
  auto norm = kr::reduce(a.size(), 0.0f, [](auto x, auto y) { return x + y; },
                         [](auto i, auto from) { return from(i / 1000, i % 1000) * from(i / 1000, i % 1000); }, a);
  // [/reduce]
  expect(total == 8000 && norm == 16000 && largest.to_host()[3] == 4, __LINE__);
  // [block-sum]
  auto block_sums = kr::kernel<kr::dims{8}, kr::dims{256}>([](kr::view<const float> x, kr::view<float> sums) {
    auto part = kr::shared<float, 256>();
    auto t = kr::thread_idx().x;
    kr::var sum = 0.0f;
    for (auto i : kr::grid_stride(x.size())) sum += x[i];
    part[t] = sum;
    kr::syncthreads();
    for (int half = 128; half > 0; half /= 2) {        // a C++ loop: eight steps in the kernel
      kr::if_(t < half, [&] { part[t] += part[t + half]; });
      kr::syncthreads();                               // outside the if_: every thread must reach it
    }
    kr::if_(t == 0, [&] { sums[kr::block_idx().x] = part[0]; });
  });
  // [/block-sum]
  kr::array<float> x(5000), sums(8);
  x.fill(1.0f);
  block_sums(x, sums);
  expect(kr::sum(sums) == 5000, __LINE__);
}

void tile() {
  // [tile]
  constexpr int side = 16;
  auto transpose = kr::kernel([](kr::view<const float, 2> in, kr::view<float, 2> out) {
    auto tile = kr::shared<float, side, side + 1>();   // one more column: no two threads of a column use the same bank
    auto [tx, ty, tz] = kr::thread_idx();
    auto x = kr::block_idx().x * side, y = kr::block_idx().y * side;
    kr::if_(y + ty < in.extent(0) && x + tx < in.extent(1), [&] { tile(ty, tx) = in(y + ty, x + tx); });
    kr::syncthreads();
    kr::if_(x + ty < out.extent(0) && y + tx < out.extent(1), [&] { out(x + ty, y + tx) = tile(tx, ty); });
  });
  kr::array<float, 2> from({100, 60}), to({60, 100});
  from.fill(3.0f);
  transpose.launch({{4, 7}, {side, side}}, from, to);
  // [/tile]
  expect(kr::sum(to) == 18000, __LINE__);
}

void share() {
  // [share]
  std::vector<float> theirs(12, 1.0f);
  auto a = kr::wrap(theirs, {3, 4});                   // on the CPU, without a copy
  a *= 2.0f;
  kr::synchronize();                                   // before others read the memory
  const float first = theirs[0];                       // 2
  // [/share]
  expect(first == 2, __LINE__);
}

void profile() {
  auto saxpy = kr::kernel([](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
  });
  kr::array<float> x(1 << 16), y(1 << 16);
  x.fill(1.0f), y.fill(1.0f);
  // [profile]
  const kr::benchmark_result took = kr::benchmark([&] { saxpy.launch({64, 256}, 2.0f, x, y); });
  const double bytes = 3.0 * 4 * double(y.size());     // two loads and a store of each element
  std::printf("%.1f GB/s, %.1f us of the host per call\n", bytes / took.device.min_ms / 1e6, took.host.min_ms * 1e3);
  // [/profile]
  expect(took.runs >= 10, __LINE__);
  {
    // [trace]
    kr::trace_file trace("steps.json");                  // until the end of its scope
    for (int step = 0; step < 3; ++step) saxpy.launch({64, 256}, 2.0f, x, y);
    // [/trace]
  }
  expect(std::filesystem::remove("steps.json"), __LINE__);
  // [label]
  for (int step = 0; step < 3; ++step) {
    const kr::label here("step");                      // krait/label.h: until the end of its scope
    saxpy.launch({64, 256}, 2.0f, x, y);
  }
  kr::mark("done");
  // [/label]
  // [tune]
  const auto run = [&](const kr::candidate& c) { saxpy.launch({(y.size() - 1) / c["block"] + 1, c["block"]}, 2.0f, x, y); };
  const kr::tuned best = kr::tune("saxpy", {{"block", {64, 128, 256, 512}}}, run, {.search = true}, y);
  std::printf("%s: %.3f ms\n", best.choice.str().c_str(), best.ms);
  // [/tune]
  expect(best.choice["block"] > 0, __LINE__);
}

void debug() {
  kr::array<float> x(64);
  x.fill(1.0f);
  std::string message;
  // [debug]
  auto shift = kr::kernel([](kr::view<float> v) {
    auto i = kr::grid<1>();
    v[i] = v[i + 1];                                   // the last thread reads one element too far
  }, {.name = "shift", .checked = true});
  try {
    shift.launch({1, 64}, x);
    kr::synchronize();
  } catch (const kr::error& e) {
    message = e.message();                             // file, line, the index, the array's extents, block and thread
  }
  // [/debug]
  expect(message.find("out of bounds: load from parameter 1 at (64), extents (64)") != message.npos, __LINE__);
}

void mode() {
  // [mode]
  auto decay = kr::vectorize([](auto t) { return kr::exp(-t); }, {.fp = kr::fp::reproducible});
  // [/mode]
  expect(decay(0.0f) == 1, __LINE__);
}

void devices() {
  std::vector<float> host(1000, 1.0f);
  auto twice = kr::vectorize([](auto v) { return 2 * v; });
  // [devices]
  std::vector<kr::array<float>> parts;
  const kr::device_list all = kr::devices();           // the CPU is last; GPUs of the same kind are "cuda:0", "cuda:1", …
  const std::size_t each = host.size() / all.size();
  for (const kr::device& d : all) {
    kr::array<float> part({each}, d);
    part.copy_from(std::vector<float>(host.begin(), host.begin() + each));
    parts.push_back(twice(part));                      // runs on the device of the array; the loop continues at once
  }
  kr::synchronize();                                   // all devices
  // [/devices]
  for (auto& part : parts) expect(part.to_host()[0] == 2, __LINE__);
}

void browser() {
  const std::string site = (std::filesystem::temp_directory_path() / "krait-howto-site").string();
  const char* const folder = site.c_str();
  std::vector<float> x(100, 1.0f), y(100, 2.0f);
  // [browser]
  auto axpy = kr::vectorize([](auto a, auto from, auto to) { return a * from + to; }, {.name = "axpy"});
  kr::export_web(folder, kr::web(axpy, 2.0f, x, y).names({"a", "x", "y"}));
  // [/browser]
  expect(std::filesystem::exists(site + "/axpy.mjs"), __LINE__);
  std::filesystem::remove_all(site);
}

}  // namespace

int main() try {
  reduce(), tile(), share(), profile(), debug(), mode(), devices(), browser();
  return failures;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
