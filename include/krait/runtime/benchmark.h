// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the time of a function on the host and on a device.
//   const kr::benchmark_result took = kr::benchmark([&] { saxpy.launch({g, b}, 2.0f, x, y); });
//   std::printf("%.3f ms, host %.3f ms\n", took.device.mean_ms, took.host.mean_ms);
#pragma once

#include <krait/detail/function_ref.h>
#include <krait/device.h>

namespace krait {
/// How often kr::benchmark runs a function: until both `runs` and `seconds` are reached.
struct benchmark_options {
  /// Runs before the measured ones; compilations in the background end after them.
  std::int64_t warm_up = 3;
  /// The least number of measured runs.
  std::int64_t runs = 10;
  /// The least measured time in seconds.
  double seconds = 0.1;
};
/// Statistics of the runs in milliseconds.
struct run_times {
  /// The mean.
  double mean_ms;
  /// The standard deviation.
  double std_ms;
  /// The minimum.
  double min_ms;
  /// The maximum.
  double max_ms;
};
/// The result of kr::benchmark, over all runs except the warm-up.
struct benchmark_result {
  /// The number of measured runs.
  std::int64_t runs;
  /// Time until the call returned; on GPUs its work may not be done by then.
  run_times host;
  /// Time between events before and after its work in the device's default stream.
  run_times device;
};

/// Measures a function on the host and on a device; the device is idle before each run.
/// Throws error{usage} for no runs and for negative or NaN options, and the function's exceptions.
/// \code
/// kr::benchmark_result took = kr::benchmark([&] { scale.launch({64, 256}, x); });
/// std::printf("%.3f ms\n", took.device.mean_ms);
/// \endcode
KRAIT_API benchmark_result benchmark(detail::function_ref<void()> f,
                                     const benchmark_options& with = {}, device on = device());

}  // namespace krait
