// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measuring what a function takes on the host and on a device.
//   const kr::benchmark_result took = kr::benchmark([&] { saxpy.launch({g, b}, 2.0f, x, y); });
//   std::printf("%.3f ms, host %.3f ms\n", took.device.mean_ms, took.host.mean_ms);
#pragma once

#include <krait/detail/function_ref.h>
#include <krait/device.h>

namespace krait {
/// How often benchmark() runs a function: both of `runs` and `seconds` have to be reached.
struct benchmark_options {
  std::int64_t warm_up = 3;  ///< runs before, which are not measured; compilations in the background end after them
  std::int64_t runs = 10;    ///< at least so many are measured,
  double seconds = 0.1;      ///< for at least so long
};
/// Milliseconds of a run.
struct run_times {
  double mean_ms, std_ms, min_ms, max_ms;
};
struct benchmark_result {  ///< What benchmark() measured, over all runs but those of the warm-up.
  std::int64_t runs;
  run_times host;    ///< until the call came back, which on GPUs is before its work is done
  run_times device;  ///< between events before and behind what it put into the device's default stream
};

/// Runs a function again and again; the device is idle before each run. Throws error{usage} unless there is at least one run and no number is negative or NaN, and
/// what the function throws.
KRAIT_API benchmark_result benchmark(detail::function_ref<void()> f, const benchmark_options& with = {}, device on = device());

}  // namespace krait
