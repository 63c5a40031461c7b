// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public side: kernel objects with example calls, which the CPU computes.
#include <algorithm>
#include <cstring>

#include <fmt/ranges.h>

#include "host/overlap.h"
#include "host/kernel_state.h"
#include "devices/layout.h"
#include "devices/memory.h"
#include "ship/web/site.h"
#include "krait/web.h"
#include "support/error.h"

namespace krait::detail {

struct web_kernel_state {
  host::web::Kernel kernel;
};

}  // namespace krait::detail

namespace krait::host::web {
namespace {

using detail::argument;
using detail::call_config;

/// The elements of an array, wherever they lie, dense in C order.
ir::HostArgument dense(const argument& a, std::uint32_t elem_bytes) {
  ir::HostArgument out;
  out.rank = a.rank;
  std::int64_t count = 1;
  for (unsigned d = 0; d < a.rank; ++d) count *= out.extents[d] = a.extents[d];
  out.bytes.resize(std::size_t(count) * elem_bytes);
  if (count == 0) return out;
  const Reach reach = reach_of(a.extents, a.strides, a.rank, elem_bytes);
  std::vector<std::byte> copied;
  const std::byte* first = static_cast<const std::byte*>(a.data);
  if (a.kind == argument::device_array) {
    copied.resize(std::size_t(reach.end - reach.begin));
    wait_for(*a.memory);
    const std::uint64_t from = a.memory->address + a.offset + std::uint64_t(reach.begin);
    a.memory->device->device->copy_to_host(copied.data(), from, copied.size(), order_of(*a.memory));
    a.memory->device->device->synchronize(order_of(*a.memory));
    first = copied.data() - reach.begin;
  }
  std::array<std::int64_t, ir::max_rank> at{};
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t offset = 0;
    for (unsigned d = 0; d < a.rank; ++d) offset += at[d] * a.strides[d];
    std::memcpy(&out.bytes[std::size_t(n) * elem_bytes], first + offset * elem_bytes, elem_bytes);
    for (unsigned d = a.rank; d-- > 0 && ++at[d] == a.extents[d];) at[d] = 0;
  }
  return out;
}

/// The same call on the CPU, on arrays of its own.
std::vector<ir::HostArgument> expected(detail::kernel_state& state, const void* lambda,
                                       const detail::signature& as, const argument* arguments,
                                       const std::vector<ir::HostArgument>& given,
                                       call_config config) {
  std::vector<ir::HostArgument> results = given;
  std::vector<argument> own(arguments, arguments + as.count);
  for (unsigned p = 0; p < as.count; ++p) {
    if (!as.parameters[p].rank) continue;
    own[p].kind = argument::host, own[p].data = results[p].bytes.data();
    detail::set_strides(own[p]);
  }
  DeviceHandle& chosen = Devices::get().default_device();
  config.on = nullptr, config.device = chosen.target.kind == support::TargetKind::Interpreter
                                           ? &chosen
                                           : &Devices::get().cpu();
  detail::call(&state, lambda, as, own.data(), config);
  return results;
}

constexpr std::int64_t threads_of_a_block = 64;

ir::Launch launch_of(const call_config& c) {
  if (c.form == call_config::grid_block)
    return {{c.grid.x, c.grid.y, c.grid.z}, {c.block.x, c.block.y, c.block.z}};
  return {{(c.count + threads_of_a_block - 1) / threads_of_a_block, 1, 1},
          {threads_of_a_block, 1, 1}};
}

/// The array whose elements are a launch's threads; rather one that is written.
int covered(const call_config& c, const Specialisation& spec,
            const std::vector<ir::HostArgument>& given) {
  int found = -1;
  if (c.form == call_config::grid_block) return found;
  for (const unsigned p : spec.arrays) {
    if (std::int64_t(given[p].bytes.size() / spec.parameters[p].elem_bytes) != c.count) continue;
    if (found < 0 || (spec.writes[p] && !spec.writes[std::size_t(found)])) found = int(p);
  }
  return found;
}

}  // namespace
}  // namespace krait::host::web

namespace krait::detail {

using namespace krait::host;

web_kernel_state* make_web_kernel(kernel_state* state, const void* lambda, const signature& as,
                                  const argument* arguments, const call_config& config) {
  if (!state) support::fail_usage("a moved-from kernel object is exported");
  Specialisation& spec = specialise(*state, lambda, as);
  auto made = std::make_unique<web_kernel_state>();
  web::Kernel& k = made->kernel;
  k.recorded = spec.recorded, k.recorded.hints.clear();
  if (spec.recorded.raw) k.facts = {};
  k.name = state->name;
  web::Example e;
  e.launch = web::launch_of(config);
  for (unsigned p = 0; p < as.count; ++p) {
    const parameter_type& type = as.parameters[p];
    ir::HostArgument& a = e.given.emplace_back();
    if (type.rank) a = web::dense(arguments[p], type.elem_bytes);
    else if (type.elem_bytes)
      a.bytes.assign(static_cast<std::byte*>(arguments[p].data),
                     static_cast<std::byte*>(arguments[p].data) + type.elem_bytes);
    else a.bits = arguments[p].bits;
  }
  e.expected = web::expected(*state, lambda, as, arguments, e.given, config);
  k.covered = web::covered(config, spec, e.given);
  const ir::FpMode fp = k.recorded.module.kernel().fp;
  if (fp == ir::FpMode::Native || fp == ir::FpMode::Fast) k.within = {1e-4, 1e-5, 0};
  k.examples.push_back(std::move(e));
  return made.release();
}

web_kernel_state* make_web_function(kernel_state* state, const void* lambda, const signature& as,
                                    const argument* arguments, unsigned outputs) {
  if (!state) support::fail_usage("a moved-from element-wise function is exported");
  std::vector<argument> flat(arguments, arguments + as.count);
  std::vector<std::vector<std::byte>> memory(as.count);
  std::vector<std::int64_t> extents;  // of all arrays
  call_config config;
  config.form = call_config::elements, config.count = 1;
  const auto become = [&](unsigned p, std::vector<std::byte> bytes) {
    memory[p] = std::move(bytes);
    flat[p] = {};
    flat[p].kind = argument::host, flat[p].data = memory[p].data(), flat[p].rank = 1,
    flat[p].extents[0] = config.count;
    set_strides(flat[p]);
  };
  for (unsigned p = 0; p < as.count - outputs; ++p) {
    const argument& a = arguments[p];
    if (a.rank == 0) continue;
    const std::vector<std::int64_t> own(a.extents, a.extents + a.rank);
    if (extents.empty())
      for (const std::int64_t n : extents = own) config.count *= n;
    if (own != extents)
      support::fail_usage(
          "{}: its arrays have the shapes {} and {}, but on a web page the arrays of an "
          "element-wise function must have one shape",
          function_of(state), shape_text(extents.data(), int(extents.size())),
          shape_text(own.data(), int(own.size())));
    become(p, web::dense(a, as.parameters[p].elem_bytes).bytes);
  }
  for (unsigned p = as.count - outputs; p < as.count; ++p)
    become(p, std::vector<std::byte>(std::size_t(config.count) * as.parameters[p].elem_bytes));
  web_kernel_state* const made = make_web_kernel(state, lambda, as, flat.data(), config);
  made->kernel.results = outputs;
  return made;
}

void free_web_kernel(web_kernel_state* kernel) noexcept { delete kernel; }

void set_web_names(web_kernel_state* kernel, const char* const* names, std::size_t count) {
  web::Kernel& k = kernel->kernel;
  const std::size_t takes = k.examples.front().given.size() - k.results;
  if (count != takes)
    support::fail_usage("{}: {} names are given for {} parameters", k.recorded.what, count, takes);
  k.names.assign(names, names + count);
}

void set_web_image(web_kernel_state* kernel, std::int64_t width, std::int64_t height) {
  web::Kernel& k = kernel->kernel;
  const auto holds = [&](const ir::HostArgument& a) {
    std::int64_t count = a.rank > 0;
    for (unsigned d = 0; d < a.rank; ++d) count *= a.extents[d];
    return count == width * height;
  };
  const auto& given = k.examples.front().given;
  if (width < 1 || height < 1 || std::none_of(given.begin(), given.end(), holds))
    support::fail_usage("{}: no array has the {} x {} elements of the image", k.recorded.what,
                        width, height);
  k.image = {width, height};
}

void set_web_bound(web_kernel_state* kernel, double relative, double absolute, double except) {
  kernel->kernel.within = {relative, absolute, except};
}

void set_web_target(web_kernel_state* kernel, const char* target) {
  kernel->kernel.target = target;
}

void export_web(const char* folder, const web_kernel_state* const* kernels, std::size_t count) {
  std::vector<web::Kernel> all;
  for (std::size_t n = 0; n < count; ++n) all.push_back(kernels[n]->kernel);
  web::write_site(folder, all);
}

void export_kernel_files(const char* folder, const web_kernel_file* files, std::size_t count,
                         const char* target) {
  std::vector<web::Kernel> all;
  for (std::size_t n = 0; n < count; ++n) {
    all.push_back(web::read_kernel(files[n].path, {files[n].text, files[n].size}));
    all.back().target = target;
  }
  web::write_site(folder, all);
}

}  // namespace krait::detail
