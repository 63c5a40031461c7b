// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver does with numbers, found once for a device and version of its driver: building
// the kernels may take a second.
#include "runtime/probe.h"

#include <algorithm>

#include "runtime/opencl/device.h"

namespace krait::runtime::opencl {
namespace {

#include "runtime/opencl/probe_words.inc"

using enum support::Feature;
constexpr support::Feature probed[] = {Fma32, Nfma32, Div32,  Sqrt32,  Rsqrt32,
                                       Fma64, Div64,  Sqrt64, Whole64, Fma16};

/// A letter for each of them.
std::string letters(const support::FeatureSet& told) {
  std::string text;
  for (const support::Feature f : probed) text += told.has(f) ? 'y' : 'n';
  return text;
}
bool read(const std::string& text, support::FeatureSet& told) {
  if (text.size() != std::size(probed) || text.find_first_not_of("yn") != std::string::npos)
    return false;
  for (std::size_t k = 0; k < text.size(); ++k) told.set(probed[k], text[k] == 'y');
  return true;
}

}  // namespace

void probe_numbers(Device& device, const Gpu& gpu, support::FeatureSet& told) {
  const std::string key = fmt::format("what OpenCL does with numbers\ndevice {}\n", gpu.version);
  std::string source;
  for (const std::span<const std::uint32_t> words :
       {std::span<const std::uint32_t>(probe_f16_words),
        std::span<const std::uint32_t>(probe_f32_words),
        std::span<const std::uint32_t>(probe_f64_words)})
    source.append(reinterpret_cast<const char*>(words.data()), words.size_bytes());
  if (gpu.store)
    if (const auto kept = gpu.store->find(key, source); kept && read(*kept, told)) return;
  runtime::probe_numbers(device, {probe_f16_words, probe_f32_words, probe_f64_words}, told);
  if (gpu.store) gpu.store->keep("probe", key, source, letters(told));
}

}  // namespace krait::runtime::opencl
