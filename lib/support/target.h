// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code is made for, and its text: what users say and `krait devices` shows, what the
// code-generation plug-in is told, and part of the key of compiled code. Equal targets have equal
// texts.
//   "cpu x86-64 lanes=16 parts=2 cpu=x86-64-v4 tune=znver4"
//        lanes × parts threads run as one gang, without parts= as many as the generator chooses; a
//        processor's name and whose tuning, by LLVM's names. features=+avx2,… adds instructions;
//        effort=quick: code that is soon made, for a first launch; debug=on: the same code with
//        what debuggers read
//   "ptx sm=90 isa=80"
//        sm=90a: with the instructions that this device alone has. "sm_90" alone: with the PTX
//        version that its drivers have
//   "spirv features=i64,f64,… subgroup=32 push=128"
//        words of features.def; lanes of a subgroup where that is fixed, else 0; bytes of push
//        constants. "vulkan" alone: what nearly all devices have
//   "spirv-cl features=i64,f64,…"
//        the dialect of OpenCL; words of features.def. "opencl" alone: what nearly all devices have
//   "wgsl features=warp,f16,… subgroup=32 buffers=8 shared=16384 threads=256"
//        words of features.def; lanes of a subgroup where that is fixed, else 0; what a kernel may
//        have: arrays among its arguments, bytes of shared memory, threads of a block.
//        f64=double-single: doubles are pairs of f32. "webgpu" alone: what every browser gives
//   "interpreter"
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "support/cpu_blob.h"

namespace krait::support {

enum class TargetKind : std::uint8_t {
#define TARGET(Name, word, warp, most_lanes, aligned, blocks, tiers, stages, usual) Name,
#include "support/targets.def"
};
/// A row of targets.def, which explains the columns.
struct TargetInfo {
  std::string_view word;
  unsigned warp, most_lanes;
  bool aligned, blocks, tiers;
  std::string_view stages, usual;
};
const TargetInfo& info(TargetKind kind);
std::span<const TargetInfo> all_targets();  // by TargetKind

struct CpuTarget {
  unsigned lanes = 1, parts = 0;  // 0: the generator chooses
  std::string cpu = "x86-64-v2", tune = "x86-64-v2";
  std::string features;  // "+avx2,+fma": beyond those of the cpu
  bool quick = false;
  bool debug = false;

  CpuLevel level() const;
  /// Whether `features` has the word.
  bool adds(std::string_view feature) const;
  /// Products of matrices of bytes and of bf16 (AMX), of which programs ask the system.
  bool has_tile_registers() const;
  bool operator==(const CpuTarget&) const = default;
};

struct PtxTarget {
  unsigned sm = 90;
  bool specific = false;  // sm_90a
  unsigned isa = 80;

  /// As NVIDIA's tools take it: "sm_90a".
  std::string name() const;
  bool operator==(const PtxTarget&) const = default;
};

enum class Feature : std::uint8_t {
#define FEATURE(Name, word, common, meaning) Name,
#include "support/features.def"
};
std::string_view word_of(Feature feature);

class FeatureSet {
 public:
  bool has(Feature f) const { return words_ >> unsigned(f) & 1; }
  void set(Feature f, bool has = true) { words_ = (words_ & ~bit(f)) | (has ? bit(f) : 0); }
  bool operator==(const FeatureSet&) const = default;

 private:
  static std::uint64_t bit(Feature f) { return std::uint64_t(1) << unsigned(f); }
  std::uint64_t words_ = 0;
};
FeatureSet common_features();

struct SpirvTarget {
  FeatureSet features;
  unsigned subgroup = 0, push = 128;

  bool operator==(const SpirvTarget&) const = default;
};

struct WebGpuTarget {
  FeatureSet features;
  // the limits that WebGPU guarantees
  unsigned subgroup = 0, buffers = 8, shared = 16'384, threads = 256;
  bool doubles = false;  // computed as pairs of f32

  bool operator==(const WebGpuTarget&) const = default;
};

struct Target {
  TargetKind kind = TargetKind::Cpu;
  CpuTarget cpu{};  // of these four the kind's own counts
  PtxTarget ptx{};
  SpirvTarget spirv{};  // of Vulkan; of OpenCL its features
  WebGpuTarget web{};

  /// Converts floats of 8 bits (PTX ISA, cvt).
  bool has_float8() const { return kind == TargetKind::Ptx && ptx.sm >= 89 && ptx.isa >= 81; }
  /// Products of matrices by subgroups of Vulkan.
  bool has_matrices() const {
    return kind == TargetKind::Spirv && spirv.features.has(Feature::Coop) &&
           spirv.features.has(Feature::Vmm) && spirv.features.has(Feature::F16) &&
           spirv.subgroup == 32;
  }
  /// Its fma of f32 takes subnormal numbers for zero.
  bool flushes_fma() const {
    return kind == TargetKind::Spirv && spirv.features.has(Feature::Nfma32);
  }
};

std::string print(const Target& target);

struct ParsedTarget {
  Target target;
  std::string error;  // empty, or the word that was not understood and what was expected
};
ParsedTarget parse_target(std::string_view text);

// ---- PTX: the tables of ptx.def -----------------------------------------------------------------

/// The newest compute capability that is not after the device's, whose PTX it runs; 0: it is older
/// than all.
unsigned known_sm(unsigned capability);
/// The first PTX version with the device; with `specific`, with the instructions that it alone has;
/// 0: there is none.
unsigned isa_needed(unsigned sm, bool specific = false);
/// The last PTX version that the driver of a CUDA version reads, such as 12040; 0: it is older than
/// all.
unsigned isa_of_driver(unsigned cuda);
/// For the device, or the newest one before it that its PTX version knows.
PtxTarget writable(const PtxTarget& target);

// ---- faults of drivers --------------------------------------------------------------------------

/// A row of quirks.def, which explains the columns.
struct Quirk {
  std::string_view driver, cure, versions, probe, symptom;
};
std::span<const Quirk> quirks();

}  // namespace krait::support
