// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recordings of the workloads without a device, for the benches that look behind the public
// interface. A workload is a lambda, or the text of a kernel.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "block_kernels.h"
#include "host/jit.h"
#include "ir/text/text.h"
#include "kernels.h"
#include "passes/passes.h"
#include "trace/trace.h"

namespace bench {

struct Workload {
  const char* name;
  const kr::detail::signature* as;
  const void* lambda;
  kr::fp mode = kr::fp::native;
  const char* text = nullptr;
};

template <bool... Array, class Lambda>
Workload elementwise(const char* name, const Lambda& lambda, kr::fp mode = kr::fp::native) {
  using recording =
      kr::detail::elementwise_recording<Lambda, 1, std::tuple<kr::detail::input<float, Array>...>,
                                        std::tuple<float>>;
  return {name, &recording::as, &lambda, mode};
}
template <class Lambda, class Result, class... Params>
Workload whole_kernel(const char* name, const Lambda& lambda, Result (Lambda::*)(Params...) const) {
  return {name, &kr::detail::kernel_recording<Lambda, Params...>::as, &lambda};
}
template <class Lambda>
Workload whole_kernel(const char* name, const Lambda& lambda) {
  return whole_kernel(name, lambda, &Lambda::operator());
}

inline kr::host::Recorded parsed(const Workload& w) {
  kr::ir::ParseResult result = kr::ir::parse(w.text);
  if (!result.error.empty())
    throw kr::error(kr::error::kind_type::usage, (w.name + (": " + result.error)).c_str());
  kr::host::Recorded out;
  out.module = std::move(result.module), out.what = w.name;
  return out;
}

/// `name`: the workload's own unless given.
inline kr::host::Recorded record(const Workload& w, const char* name = nullptr) {
  if (w.text) return parsed(w);
  kr::detail::recording_options options;
  options.name = name ? name : w.name, options.fp = std::uint8_t(w.mode);
  void* recording = kr::detail::begin_recording(options);
  std::vector<kr::detail::node> nodes;
  for (unsigned i = 0; i < w.as->count; ++i) {
    const kr::detail::parameter_type& p = w.as->parameters[i];
    nodes.push_back(p.rank ? kr::detail::parameter_array(p.type, p.rank, p.writable, p.elem_bytes)
                           : kr::detail::parameter(p.type));
  }
  w.as->record(w.lambda, nodes.data());
  kr::host::Recorded out;
  out.module = std::move(kr::trace::take(kr::detail::finish_recording(recording))->module);
  kr::passes::prepare(out.module);
  out.what = options.name;
  return out;
}

inline std::vector<Workload> workloads() {
  return {elementwise<false, true, true>("saxpy", saxpy),
          elementwise<true, true>("exp_sin_log", transcendental),
          elementwise<true, true>("exp_sin_log_fast", transcendental, kr::fp::fast),
          elementwise<true, true, true>("black_scholes", black_scholes),
          elementwise<true>("ten_functions", ten_functions),
          whole_kernel("mandelbrot", mandelbrot),
          whole_kernel("nbody", nbody),
          whole_kernel("jacobi", jacobi),
          whole_kernel("sgemm", tiled_product),
          whole_kernel("transpose", transpose_tiles),
          whole_kernel("histogram", histogram_of_bytes),
          whole_kernel("block_sum", sum_by_trees),
          whole_kernel("reports", reports)};
}

}  // namespace bench
