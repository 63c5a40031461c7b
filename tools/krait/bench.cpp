// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait bench: rows of the benchmark suite (tools/bench) on the devices of this machine, as a table
// with bars, and beside each the time of a plain loop of C++ on one thread.
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
#include "plain_loops.h"

namespace tool {
namespace {

namespace kr = krait;

struct Row {
  std::string name, unit;
  double ms = 0, rate = 0;  // thousand millions of the unit per second
};

constexpr std::int64_t elements = 1 << 22, side = 1 << 10, bodies = 1 << 12;

/// What a row works through, in its unit: the same for Krait and for the plain loop.
struct Work {
  const char* name;
  const char* unit;
  double amount;
};
constexpr double bytes = double(elements) * sizeof(float);
constexpr Work saxpy{"saxpy", "GB/s", 3 * bytes},
    transcendental{"exp, sin, log", "G elements/s", double(elements)},
    black_scholes{"Black-Scholes", "G elements/s", double(elements)},
    mandelbrot{"Mandelbrot, 100 steps", "G pixels/s", double(side* side)},
    nbody{"n-body", "G interactions/s", double(bodies) * double(bodies)},
    jacobi{"Jacobi", "GB/s", 2.0 * 4 * double(side* side) * sizeof(float)},
    sum{"sum", "GB/s", bytes};

/// The best time counts.
void add_row(std::vector<Row>& rows, const Work& work, double ms) {
  ms = std::max(ms, 1e-6);
  rows.push_back({work.name, work.unit, ms, work.amount / ms * 1e-6});
}

/// The rows as plain loops.
class Plain {
 public:
  Plain(double seconds, std::string only) : with_{1, 3, seconds}, only_(std::move(only)) {}

  std::vector<Row> run() {
    const PlainLoops& loops = plain_loops();
    std::vector<float> x(elements, 1.5f), y(elements, 0.5f), z(elements), t(elements, 0.7f);
    row(saxpy, [&] { loops.saxpy(2.0f, x.data(), y.data(), z.data(), elements); });
    row(transcendental, [&] { loops.transcendental(x.data(), y.data(), z.data(), elements); });
    row(black_scholes,
        [&] { loops.black_scholes(x.data(), y.data(), t.data(), z.data(), elements); });
    std::vector<int> picture(side * side);
    row(mandelbrot, [&] { loops.mandelbrot(picture.data(), int(side), 100); });
    row(nbody, [&] { loops.nbody(x.data(), y.data(), t.data(), z.data(), int(bodies)); });
    std::vector<float> from(4 * side * side, 1.0f), to(4 * side * side);
    row(jacobi, [&] { loops.jacobi(from.data(), to.data(), int(2 * side)); });
    volatile float total = 0;
    row(sum, [&] { total = loops.sum(x.data(), elements); });
    return std::move(rows_);
  }

 private:
  void row(const Work& work, const std::function<void()>& f) {
    if (std::string_view(work.name).find(only_) == std::string_view::npos) return;
    add_row(rows_, work, kr::benchmark(f, with_, kr::device::find("cpu")).host.min_ms);
  }

  kr::benchmark_options with_;
  std::string only_;
  std::vector<Row> rows_;
};

class Suite {
 public:
  Suite(kr::device on, double seconds, std::string only)
      : on_(on), with_{3, 5, seconds}, only_(std::move(only)) {}

  std::vector<Row> run() {
    const std::int64_t n = elements;
    kr::array<float> x({n}, on_), y({n}, on_), z({n}, on_), t({n}, on_);
    x.fill(1.5f), y.fill(0.5f), t.fill(0.7f);
    auto saxpy_of = bench::make_saxpy(kr::fp::native);
    row(saxpy, [&] { saxpy_of.into(z)(2.0f, x, y); });
    auto transcendental_of = bench::make_transcendental(kr::fp::native);
    row(transcendental, [&] { transcendental_of.into(z)(x, y); });
    auto black_scholes_of = bench::make_black_scholes(kr::fp::native);
    row(black_scholes, [&] { black_scholes_of.into(z)(x, y, t); });
    kr::array<int, 2> picture({side, side}, on_);
    auto mandelbrot_of = bench::make_mandelbrot(kr::fp::native);
    row(mandelbrot, [&] { mandelbrot_of.launch({{side / 32, side / 8}, {32, 8}}, picture, 100); });
    kr::array<float> px({bodies}, on_), py({bodies}, on_), pz({bodies}, on_);
    px.fill(1.5f), py.fill(0.5f), pz.fill(0.7f);
    kr::array<float> force({bodies}, on_);
    auto nbody_of = bench::make_nbody(kr::fp::native);
    row(nbody, [&] { nbody_of.launch({bodies / 128, 128}, px, py, pz, force); });
    kr::array<float, 2> from({2 * side, 2 * side}, on_), to({2 * side, 2 * side}, on_);
    from.fill(1.0f);
    auto jacobi_of = bench::make_jacobi(kr::fp::native);
    row(jacobi, [&] { jacobi_of.launch({{2 * side / 32, 2 * side / 8}, {32, 8}}, from, to); });
    row(sum, [&] { kr::sum(x); });
    return std::move(rows_);
  }

 private:
  void row(const Work& work, const std::function<void()>& f) {
    if (std::string_view(work.name).find(only_) == std::string_view::npos) return;
    f();
    kr::wait_for_compilations();
    add_row(rows_, work, kr::benchmark(f, with_, on_).device.min_ms);
  }

  kr::device on_;
  kr::benchmark_options with_;
  std::string only_;
  std::vector<Row> rows_;
};

constexpr const char* plain = "plain loop";

/// Bars of one unit have one scale. The plain loops are the first of all.
void print(const std::vector<std::pair<std::string, std::vector<Row>>>& all) {
  constexpr double width = 30;
  const auto fastest = [&](const std::string& unit) {
    double best = 0;
    for (const auto& [device, rows] : all)
      for (const Row& r : rows)
        if (r.unit == unit) best = std::max(best, r.rate);
    return best;
  };
  fmt::print("{:<22} {:<10} {:>10} {:>9} {:<17} {:>8}  {}\n", "row", "device", "ms", "rate", "",
             "speed-up", "bars of one unit have one scale");
  for (const Row& first : all.front().second)
    for (const auto& [device, rows] : all)
      for (const Row& r : rows) {
        if (r.name != first.name) continue;
        std::string bar;
        for (int i = 0; i < std::max(1, int(std::lround(width * r.rate / fastest(r.unit)))); ++i)
          bar += "█";
        const std::string times = device == plain ? "" : fmt::format("{:.1f}", first.ms / r.ms);
        fmt::print("{:<22} {:<10} {:>10.3f} {:>9.3g} {:<17} {:>8}  {}\n", r.name, device, r.ms,
                   r.rate, r.unit, times, bar);
      }
  fmt::print(
      "{}: the same in C++, by {}, on one thread. The speed-up is its time divided by the "
      "device's.\n",
      plain, plain_loops().compiler);
}

}  // namespace

const PlainLoops& plain_loops() {
  const auto has = [](auto... supported) { return (supported && ...); };
  if (has(__builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512bw"),
          __builtin_cpu_supports("avx512cd"), __builtin_cpu_supports("avx512dq"),
          __builtin_cpu_supports("avx512vl")))
    return plain_v4;
  const bool v3 = has(__builtin_cpu_supports("avx2"), __builtin_cpu_supports("fma"),
                      __builtin_cpu_supports("bmi"), __builtin_cpu_supports("bmi2"));
  return v3 ? plain_v3 : plain_v1;
}

int bench(const BenchOptions& o) {
  std::vector<kr::device> devices;
  if (o.device.empty()) devices.assign(kr::devices().begin(), kr::devices().end());
  else devices.push_back(kr::device::find(o.device.c_str()));
  std::vector<std::pair<std::string, std::vector<Row>>> all;
  all.emplace_back(plain, Plain(o.seconds, o.only).run());
  if (all.front().second.empty())
    refuse(fmt::format("krait bench --only {}: no row has this in its name: krait bench lists them",
                       o.only));
  for (const kr::device& d : devices) all.emplace_back(d.id(), Suite(d, o.seconds, o.only).run());
  print(all);
  return 0;
}

}  // namespace tool
