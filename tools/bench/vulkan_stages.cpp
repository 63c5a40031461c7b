// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it takes to make a kernel on a Vulkan device, stage by stage: medians of nine kernels that
// differ in their names, so that no driver's cache knows their words, and the first of the process
// beside them.
//   bench_vulkan_stages [KERNEL…]      (names of the workloads; all unless some are given)
// Kernels are launched on empty arrays.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "host/plugin.h"
#include "ir/abi.h"
#include "ir/text/text.h"
#include "krait/error.h"
#include "recorded.h"
#include "runtime/backend.h"

using namespace krait;

namespace {

enum Stage { Record, Passes, Boundary, Build, Validate, Load, Pipeline, First, Next, Stages };
constexpr const char* names[Stages] = {"record",   "passes",       "print and parse",
                                       "SPIR-V",   "validate",     "load",
                                       "pipeline", "first launch", "next launch"};
using Times = std::array<double, Stages>;

class Watch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

Times make(runtime::Device& device, const bench::Workload& w, int number) {
  Times t{};
  const std::string name = fmt::format("{}_{}", w.name, number);
  Watch watch;
  ir::Module m = bench::record(w, name.c_str()).module;
  t[Record] = watch.lap();
  m.kernel().facts = {true, true, true, true};
  if (const std::string refused = passes::run_pipeline(m, device.target()); !refused.empty())
    throw error(error::kind_type::usage, refused.c_str());
  t[Passes] = watch.lap();
  const host::Generated code =
      host::generate(ir::print(m), device.target(), "binary", "kernel " + m.kernel().name);
  t[Boundary] = watch.lap() - code.lower_ms - code.optimise_ms - code.emit_ms;
  t[Build] = code.lower_ms + code.emit_ms, t[Validate] = code.optimise_ms;
  const auto executable = device.load(std::as_bytes(std::span(code.bytes)), m.kernel().name);
  t[Load] = watch.lap();
  const std::vector<std::byte> arguments(ir::argument_layout(m.kernel()).size);
  runtime::LaunchRequest request;
  request.block = {128, 1, 1}, request.args = arguments.data(),
  request.args_size = arguments.size();
  device.launch(*executable, request);  // its first makes the pipeline
  t[Pipeline] = watch.lap();
  device.synchronize();
  t[First] = watch.lap();
  device.launch(*executable, request);
  device.synchronize();
  t[Next] = watch.lap();
  return t;
}

}  // namespace

int main(int argc, char** argv) try {
  const runtime::Found found = runtime::vulkan_devices(true);
  if (found.devices.empty()) {
    for (const std::string& s : found.skipped) fmt::print(stderr, "{}\n", s);
    return 1;
  }
  runtime::Device& device = *found.devices.front();
  fmt::print("{}, target \"{}\"\n\n| kernel |", device.name(), support::print(device.target()));
  for (const char* name : names) fmt::print(" {} |", name);
  fmt::print(" all, ms |\n");
  const std::vector<std::string_view> only(argv + 1, argv + argc);
  for (const bench::Workload& w : bench::workloads()) {
    if (!only.empty() && std::find(only.begin(), only.end(), w.name) == only.end()) continue;
    std::vector<Times> all;
    for (int n = 0; n < 10; ++n) all.push_back(make(device, w, n));
    const auto print = [&](const char* which, auto&& of) {
      double sum = 0;
      fmt::print("| {}{} |", w.name, which);
      for (int s = 0; s < Stages; ++s) fmt::print(" {:.2f} |", of(s)), sum += of(s);
      fmt::print(" {:.2f} |\n", sum);
    };
    print(", first", [&](int s) { return all[0][std::size_t(s)]; });
    print("", [&](int s) {
      std::vector<double> v;
      for (std::size_t n = 1; n < all.size(); ++n) v.push_back(all[n][std::size_t(s)]);
      std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
      return v[v.size() / 2];
    });
  }
} catch (const error& e) {
  fmt::print(stderr, "{}\n", e.message());
  return 1;
}
