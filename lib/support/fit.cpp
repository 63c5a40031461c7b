// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/fit.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace krait::support {
namespace {

/// Words for what drivers get wrong: code without the cure does not run there, code with it runs
/// anywhere.
constexpr Feature cures[] = {
#define VULKAN_QUIRK(driver, Cure, versions, probe, symptom) Feature::Cure,
#define VULKAN_LIMIT(driver, limit, most, versions, probe, symptom)
#define VULKAN_FRAGMENTS(driver, device, versions, probe, symptom)
#define OPENCL_QUIRK(Cure, platform, versions, probe, symptom) Feature::Cure,
#define QUIRK(driver, cure, versions, probe, symptom)
#include "support/quirks.def"
};
bool is_cure(Feature f) {
  return std::find(std::begin(cures), std::end(cures), f) != std::end(cures);
}

constexpr Feature all_features[] = {
#define FEATURE(Name, word, common, meaning) Feature::Name,
#include "support/features.def"
};

bool runs(const FeatureSet& code, const FeatureSet& device) {
  return std::all_of(std::begin(all_features), std::end(all_features), [&](Feature f) {
    return is_cure(f) ? code.has(f) || !device.has(f) : device.has(f) || !code.has(f);
  });
}

/// A device of one level with some features of the next has not all that the next has.
bool runs(const CpuTarget& code, const CpuTarget& device) {
  constexpr std::string_view level = "x86-64-v";  // and a digit
  if (code.cpu != device.cpu &&
      (!code.cpu.starts_with(level) || !device.cpu.starts_with(level) || code.cpu > device.cpu))
    return false;
  std::string_view rest = code.features;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    if (word.front() == '+' && !device.adds(word)) return false;
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return true;
}

bool runs(const PtxTarget& code, const PtxTarget& device) {
  if (code.specific) return device.specific && code.sm == device.sm && code.isa <= device.isa;
  return code.sm <= device.sm && code.isa <= device.isa;
}

unsigned count(const FeatureSet& set) {
  return unsigned(std::count_if(std::begin(all_features), std::end(all_features),
                                [&](Feature f) { return set.has(f); }));
}

}  // namespace

bool runs(const Target& code, const Target& device) {
  if (code.kind != device.kind) return false;
  switch (code.kind) {
    case TargetKind::Interpreter: return false;  // it has no code
    case TargetKind::Cpu: return runs(code.cpu, device.cpu);
    case TargetKind::Ptx: return runs(code.ptx, device.ptx);
    case TargetKind::Spirv: {
      const SpirvTarget &c = code.spirv, &d = device.spirv;
      return runs(c.features, d.features) && (c.subgroup == 0 || c.subgroup == d.subgroup) &&
             c.push <= d.push;
    }
    case TargetKind::OpenCl: return runs(code.spirv.features, device.spirv.features);
    case TargetKind::WebGpu: return print(code) == print(device);
  }
  return false;
}

Target for_all_drivers(const Target& target) {
  Target careful = target;
  for (const Feature f : cures) careful.spirv.features.set(f);
  careful.spirv.features.set(Feature::Whole64, false);  // Mesa's llvmpipe
  return careful;
}

bool is_better(const Target& a, const Target& b) {
  switch (a.kind) {
    case TargetKind::Cpu:
      return std::pair(a.cpu.level(), a.cpu.features.size()) >
             std::pair(b.cpu.level(), b.cpu.features.size());
    case TargetKind::Ptx:
      return std::pair(a.ptx.sm, a.ptx.specific) > std::pair(b.ptx.sm, b.ptx.specific);
    case TargetKind::Spirv:
    case TargetKind::OpenCl: return count(a.spirv.features) > count(b.spirv.features);
    case TargetKind::Interpreter:
    case TargetKind::WebGpu: return false;
  }
  return false;
}

}  // namespace krait::support
