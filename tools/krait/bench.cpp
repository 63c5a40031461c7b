// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait bench: rows of the benchmark suite (tools/bench) on the devices of this machine, as a table with bars.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <krait/algorithm/reduce.h>
#include <krait/benchmark.h>
#include <krait/krait.h>

#include "../bench/kernels.h"
#include "commands.h"
#include "npy.h"

namespace tool {
namespace {

namespace kr = krait;

struct Row {
  std::string name, unit;
  double ms = 0, rate = 0;  // thousand millions of the unit per second
};

class Suite {
 public:
  Suite(kr::device on, double seconds, std::string only) : on_(on), with_{3, 5, seconds}, only_(std::move(only)) {}

  std::vector<Row> run() {
    const std::int64_t n = 1 << 22;
    kr::array<float> x({n}, on_), y({n}, on_), z({n}, on_), t({n}, on_);
    x.fill(1.5f), y.fill(0.5f), t.fill(0.7f);
    const double bytes = double(n) * sizeof(float);
    auto saxpy = bench::make_saxpy(kr::fp::native);
    row("saxpy", "GB/s", 3 * bytes, [&] { saxpy.into(z)(2.0f, x, y); });
    auto transcendental = bench::make_transcendental(kr::fp::native);
    row("exp, sin, log", "G elements/s", double(n), [&] { transcendental.into(z)(x, y); });
    auto black_scholes = bench::make_black_scholes(kr::fp::native);
    row("Black-Scholes", "G elements/s", double(n), [&] { black_scholes.into(z)(x, y, t); });
    const std::int64_t side = 1 << 10;
    kr::array<int, 2> picture({side, side}, on_);
    auto mandelbrot = bench::make_mandelbrot(kr::fp::native);
    row("Mandelbrot, 100 steps", "G pixels/s", double(side * side), [&] {
      mandelbrot.launch({{side / 32, side / 8}, {32, 8}}, picture, 100);
    });
    const std::int64_t bodies = 1 << 12;
    kr::array<float> px({bodies}, on_), py({bodies}, on_), pz({bodies}, on_);
    px.fill(1.5f), py.fill(0.5f), pz.fill(0.7f);
    kr::array<float> force({bodies}, on_);
    auto nbody = bench::make_nbody(kr::fp::native);
    row("n-body", "G interactions/s", double(bodies) * double(bodies), [&] {
      nbody.launch({bodies / 128, 128}, px, py, pz, force);
    });
    kr::array<float, 2> from({2 * side, 2 * side}, on_), to({2 * side, 2 * side}, on_);
    from.fill(1.0f);
    auto jacobi = bench::make_jacobi(kr::fp::native);
    row("Jacobi", "GB/s", 2.0 * 4 * double(side * side) * sizeof(float), [&] {
      jacobi.launch({{2 * side / 32, 2 * side / 8}, {32, 8}}, from, to);
    });
    row("sum", "GB/s", bytes, [&] { kr::sum(x); });
    return std::move(rows_);
  }

 private:
  void row(const char* name, const char* unit, double work, const std::function<void()>& f) {
    if (std::string_view(name).find(only_) == std::string_view::npos) return;
    f();
    kr::wait_for_compilations();
    const kr::benchmark_result took = kr::benchmark(f, with_, on_);
    const double ms = std::max(took.device.min_ms, 1e-6);
    rows_.push_back({name, unit, ms, work / ms * 1e-6});
  }

  kr::device on_;
  kr::benchmark_options with_;
  std::string only_;
  std::vector<Row> rows_;
};

/// Bars of one unit have one scale.
void print(const std::vector<std::pair<std::string, std::vector<Row>>>& all) {
  constexpr double width = 40;
  const auto fastest = [&](const std::string& unit) {
    double best = 0;
    for (const auto& [device, rows] : all)
      for (const Row& r : rows)
        if (r.unit == unit) best = std::max(best, r.rate);
    return best;
  };
  std::vector<std::string> names;
  for (const auto& [device, rows] : all)
    for (const Row& r : rows)
      if (std::find(names.begin(), names.end(), r.name) == names.end()) names.push_back(r.name);
  fmt::print("{:<22} {:<10} {:>10} {:>9} {:<17} {}\n", "row", "device", "ms", "rate", "", "bars of one unit have one scale");
  for (const std::string& name : names)
    for (const auto& [device, rows] : all)
      for (const Row& r : rows) {
        if (r.name != name) continue;
        std::string bar;
        for (int i = 0; i < std::max(1, int(std::lround(width * r.rate / fastest(r.unit)))); ++i) bar += "█";
        fmt::print("{:<22} {:<10} {:>10.3f} {:>9.3g} {:<17} {}\n", name, device, r.ms, r.rate, r.unit, bar);
      }
}

}  // namespace

int bench(const BenchOptions& o) {
  std::vector<kr::device> devices;
  if (o.device.empty()) devices.assign(kr::devices().begin(), kr::devices().end());
  else devices.push_back(kr::device::find(o.device.c_str()));
  std::vector<std::pair<std::string, std::vector<Row>>> all;
  bool any = false;
  for (const kr::device& d : devices) {
    all.emplace_back(d.id(), Suite(d, o.seconds, o.only).run());
    any = any || !all.back().second.empty();
  }
  if (!any) refuse(fmt::format("krait bench --only {}: no row has this in its name: krait bench lists them", o.only));
  print(all);
  return 0;
}

}  // namespace tool
