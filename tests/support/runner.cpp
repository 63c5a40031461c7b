// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/runner.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <sstream>

#include "host/hidden.h"
#include "host/plugin.h"
#include "ir/abi.h"
#include "ir/shared_lengths.h"
#include "ir/text/text.h"
#include "krait/error.h"
#include "support/webgpu_device.h"

namespace krait::test {
namespace {

/// Of the modules that ran last: cases that differ in their launch alone are compiled once.
/// Launches take turns in what the code may know of them, so what was used last stays.
std::shared_ptr<runtime::Executable> executable_of(runtime::Device& device,
                                                   const support::Target& target,
                                                   const ir::Module& lowered) {
  struct Made {
    std::string text, target;
    runtime::Device* device;
    std::shared_ptr<runtime::Executable> code;
  };
  static auto* const last = new std::deque<Made>;  // leaked: drivers may be gone at exit
  std::string text = ir::print(lowered), made_for = support::print(target);
  const auto same = [&](const Made& m) {
    return m.device == &device && m.text == text && m.target == made_for;
  };
  if (const auto known = std::find_if(last->begin(), last->end(), same); known != last->end()) {
    std::rotate(known, known + 1, last->end());
    return last->back().code;
  }
  const host::Generated made =
      host::generate(text, target, "binary", "kernel " + lowered.kernel().name);
  if (last->size() == 8) last->pop_front();
  return last
      ->emplace_back(text, made_for, &device,
                     device.load(std::as_bytes(std::span(made.bytes)), lowered.kernel().name))
      .code;
}

/// Memory of a launch on the device, freed at the end.
struct DeviceMemory {
  runtime::Device& device;
  std::vector<std::uint64_t> addresses;
  ~DeviceMemory() {
    for (std::uint64_t a : addresses)
      if (a) device.free(a, {});
  }
};

/// With what passes added behind those of `arguments`: maps of tiles, which the interpreter takes
/// and does not read.
std::vector<ir::Argument> with_maps(const ir::Module& module, std::vector<Argument>& arguments) {
  static std::byte zeros[support::tile_map_bytes];
  std::vector<ir::Argument> raw = ir::raw_arguments(arguments);
  while (raw.size() < module.kernel().params().size()) raw.emplace_back().data = zeros;
  return raw;
}

}  // namespace

runtime::Device* find_device(const std::string& back_end, std::string& why) {
  static auto* const lists = new std::map<std::string, runtime::Found>;
  auto [at, fresh] = lists->try_emplace(back_end);
  if (fresh) {
    if (back_end == "cpu") at->second = runtime::cpu_devices();
    else if (back_end == "cuda") at->second = runtime::cuda_devices();
    else if (back_end == "vulkan") at->second = runtime::vulkan_devices(true);
    else if (back_end == "opencl") at->second = runtime::opencl_devices();
    else if (back_end == "webgpu") at->second = webgpu_devices();
  }
  if (at->second.devices.empty()) {
    why = "there is no " + back_end + " device";
    for (const std::string& s : at->second.skipped) why += "; " + s;
    return nullptr;
  }
  return at->second.devices.front().get();
}

support::Target target_of(const runtime::Device& device) {
  const char* effort = std::getenv("KRAIT_TEST_EFFORT");
  support::Target target = device.target();
  target.cpu.quick = effort && std::strcmp(effort, "quick") == 0;
  return target;
}

int warp_of(const support::Target& target) {
  if (target.kind == support::TargetKind::WebGpu && target.web.subgroup)
    return int(target.web.subgroup);
  return target.kind == support::TargetKind::Spirv && target.spirv.subgroup
             ? int(target.spirv.subgroup)
             : 32;
}

ir::FpMode exact_mode(const std::string& name) {
  for (const ir::FpMode mode : {ir::FpMode::Strict, ir::FpMode::Reproducible, ir::FpMode::Native})
    if (name == ir::name_of(mode)) return mode;
  throw error(error::kind_type::usage,
              ("the mode " + name + " is none of strict, reproducible and native").c_str());
}

std::string run_on(runtime::Device& device, const ir::Module& lowered, const ir::Launch& launch,
                   std::vector<Argument>& arguments) {
  return run_on(device, target_of(device), lowered, launch, arguments);
}

std::string run_on(runtime::Device& device, const support::Target& target,
                   const ir::Module& lowered, const ir::Launch& launch,
                   std::vector<Argument>& arguments) try {
  const auto executable = executable_of(device, target, lowered);
  DeviceMemory memory{device, {}};
  for (const Argument& a : arguments) {
    memory.addresses.push_back(a.bytes.empty() ? 0 : device.allocate(a.bytes.size(), {}));
    if (!a.bytes.empty())
      device.copy_to_device(memory.addresses.back(), a.bytes.data(), a.bytes.size(), {});
  }
  const ir::ArgumentLayout layout = ir::argument_layout(lowered.kernel());
  std::string wrong;
  const ir::SharedLengths lengths(lowered.kernel(), wrong);
  if (!wrong.empty()) return wrong;
  std::vector<std::byte> block(layout.size);
  const std::vector<ir::Argument> raw = with_maps(lowered, arguments);
  const ir::SharedLengths::Sizes sizes = lengths.at(launch, raw);
  if (!sizes.wrong.empty()) return sizes.wrong;
  using What = ir::ArgumentSlot::What;
  for (const ir::ArgumentSlot& s : layout.slots) {
    if (s.what == What::Bytes && s.param >= arguments.size()) {
      const support::TileMapOf which(layout.hidden[s.param - layout.given].index);
      const Argument& view = arguments[which.param];
      const auto of = host::tiled_array(
          which, memory.addresses[which.param], std::span(view.extents).first(view.rank),
          lowered.kernel().type_of(lowered.kernel().params()[which.param]).elem_bytes);
      std::memcpy(block.data() + s.offset, &of, sizeof of);
      continue;
    }
    if (s.what == What::Bytes) {
      std::memcpy(block.data() + s.offset, raw[s.param].data, s.bytes);
      continue;
    }
    const std::uint64_t bits = s.what == What::SharedLength ? std::uint64_t(sizes.lengths[s.param])
                               : s.what == What::Scalar     ? raw[s.param].bits
                               : s.what == What::Address    ? memory.addresses[s.param]
                               : s.what == What::Extent
                                   ? std::uint64_t(raw[s.param].extents[s.dimension])
                                   : std::uint64_t(raw[s.param].strides[s.dimension]);
    std::memcpy(block.data() + s.offset, &bits, s.bytes);
  }
  runtime::LaunchRequest request;
  request.grid = launch.grid, request.block = launch.block, request.dynamic_shared = sizes.total;
  std::copy(sizes.bytes.begin(), sizes.bytes.end(), request.shared_bytes.begin());
  request.args = block.data(), request.args_size = block.size();
  device.launch(*executable, request);
  device.synchronize();
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!arguments[i].bytes.empty())
      device.copy_to_host(arguments[i].bytes.data(), memory.addresses[i], arguments[i].bytes.size(),
                          {});
  return {};
} catch (const error& e) {
  return e.message();
}

std::string run_interpreted(const ir::Module& module, const ir::Launch& launch,
                            std::vector<Argument>& arguments) {
  const std::vector<ir::Argument> raw = with_maps(module, arguments);
  return ir::interpret(module, launch, raw);
}

ir::Outcome run_interpreted(const ir::Module& module, const ir::Launch& launch,
                            std::vector<Argument>& arguments, const ir::InterpretOptions& options) {
  const std::vector<ir::Argument> raw = with_maps(module, arguments);
  return ir::run(module, launch, raw, options);
}

std::string difference(const ir::Module& module, const std::vector<Argument>& expected,
                       const std::vector<Argument>& got) {
  const ir::Function& f = module.kernel();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const ir::Type& t = f.type_of(f.params()[i]);
    const std::size_t size = t.is_array() ? t.elem_bytes : 1;
    for (std::size_t at = 0; at + size <= expected[i].bytes.size(); at += size) {
      if (std::memcmp(&expected[i].bytes[at], &got[i].bytes[at], size) == 0) continue;
      std::uint64_t want = 0, have = 0;
      std::memcpy(&want, &expected[i].bytes[at], std::min<std::size_t>(size, 8)),
          std::memcpy(&have, &got[i].bytes[at], std::min<std::size_t>(size, 8));
      if (is_nan(t.scalar, want) && is_nan(t.scalar, have)) continue;
      std::ostringstream text;
      text << "argument " << i << " (" << ir::name_of(t.scalar) << ") element " << at / size
           << std::hex << ": expected bits " << want << ", got " << have;
      return text.str();
    }
  }
  return {};
}

}  // namespace krait::test
