// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/benchmark.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "krait/compilation.h"
#include "support/error.h"

namespace krait {
namespace {

/// Mean and spread of numbers that are not kept (Welford, 1962).
class Spread {
 public:
  void add(double x) {
    const double from_mean = x - mean_;
    mean_ += from_mean / double(++count_);
    squares_ += from_mean * (x - mean_);
    least_ = std::min(least_, x), most_ = std::max(most_, x);
  }
  run_times times() const { return {mean_, std::sqrt(squares_ / double(count_)), least_, most_}; }

 private:
  std::int64_t count_ = 0;
  double mean_ = 0, squares_ = 0, least_ = std::numeric_limits<double>::infinity(), most_ = 0;
};

}  // namespace

benchmark_result benchmark(detail::function_ref<void()> f, const benchmark_options& with,
                           device on) {
  if (with.warm_up < 0 || with.runs < 1 || !(with.seconds >= 0))
    support::fail_usage(
        "benchmark: {} runs to warm up, then {} for {} s: it needs at least one run, "
        "and no number may be negative",
        with.warm_up, with.runs, with.seconds);
  using clock = std::chrono::steady_clock;
  for (std::int64_t i = 0; i < with.warm_up; ++i) f();
  wait_for_compilations();
  event before(on), behind(on);
  Spread host, device_times;
  benchmark_result result{};
  const auto begin = clock::now();
  for (; result.runs < with.runs ||
         std::chrono::duration<double>(clock::now() - begin).count() < with.seconds;
       ++result.runs) {
    on.synchronize();
    before.record();
    const auto called = clock::now();
    f();
    host.add(std::chrono::duration<double, std::milli>(clock::now() - called).count());
    behind.record();
    device_times.add(behind.elapsed_ms_since(before));
  }
  result.host = host.times(), result.device = device_times.times();
  return result;
}

}  // namespace krait
