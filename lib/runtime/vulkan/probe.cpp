// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks a driver how it rounds, because what it reports is not always so: is Fma fused, are division and square root correctly
// rounded, are subnormals kept? The kernels are probe_f32.kir and probe_f64.kir; their words (probe_words.inc) are what the code
// generator makes of them for a target that promises everything, and a test holds the two together.
#include <bit>
#include <cmath>
#include <limits>

#include "runtime/vulkan/device.h"

namespace krait::runtime::vulkan {
namespace {

#include "runtime/vulkan/probe_words.inc"

constexpr unsigned tuples = 64, results = 4;

/// Numbers in [1, 4) from a fixed sequence (SplitMix64, Steele et al. 2014), random in every digit of the type.
template <class T>
T number(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  z ^= z >> 31;
  if constexpr (sizeof(T) == 4) return std::bit_cast<float>(std::uint32_t(0x3f800000 + (z >> 40)));
  else return std::bit_cast<double>(0x3ff0000000000000 + (z >> 11));
}

struct Found {
  bool fused = true;       // Fma, on normal numbers
  bool fused_small = true;  // on subnormals too
  bool kept = true;        // subnormals, by addition
  bool divides = true, roots = true;
};

/// Tuples from here on are about subnormals: of sums, then of fused multiply-adds.
constexpr unsigned small_sums = 48, small_products = 56;

template <class T>
Found probe(Device& device, std::span<const std::uint32_t> blob) {
  T in[3][tuples], out[tuples * results];
  std::uint64_t state = 1;
  constexpr T least = std::numeric_limits<T>::denorm_min();
  for (unsigned i = 0; i < tuples; ++i) {
    const bool small = i >= small_sums;
    in[0][i] = small ? (i < small_products ? least * T(i) : T(1)) : number<T>(state);
    in[1][i] = small ? least * T(3 * i) : number<T>(state);
    // Near cancellation shows a product that was rounded.
    in[2][i] = small ? least * T(i * i) : i % 2 ? -(in[0][i] * in[1][i]) : number<T>(state);
  }
  std::uint64_t block[8];
  for (unsigned a = 0; a < 4; ++a) {
    const std::size_t bytes = a < 3 ? sizeof in[0] : sizeof out;
    block[a * 2] = device.allocate(bytes, {});
    block[a * 2 + 1] = bytes / sizeof(T);
    if (a < 3) device.copy_to_device(block[a * 2], in[a], bytes, {});
  }
  LaunchRequest request;
  request.block = {tuples, 1, 1};
  request.args = reinterpret_cast<const std::byte*>(block);
  request.args_size = sizeof block;
  const auto code = device.load(std::as_bytes(blob), "probe");
  device.launch(*code, request);
  device.copy_to_host(out, block[6], sizeof out, {});
  for (unsigned a = 0; a < 4; ++a) device.free(block[a * 2], {});

  Found f;
  for (unsigned i = 0; i < tuples; ++i) {
    const T* r = out + i * results;
    const bool fused = r[0] == std::fma(in[0][i], in[1][i], in[2][i]);
    if (i >= small_products) f.fused_small &= fused;
    else if (i >= small_sums) f.kept &= r[3] == in[0][i] + in[1][i];
    else f.fused &= fused, f.divides &= r[1] == in[0][i] / in[1][i], f.roots &= r[2] == std::sqrt(in[0][i]);
  }
  return f;
}

std::string features_of(const Found& f, const char* width) {
  std::string text;
  if (f.fused) text.append(f.fused_small ? ",fma" : ",nfma").append(width);
  if (f.divides) text.append(",div").append(width);
  if (f.roots) text.append(",sqrt").append(width);
  return text;
}

}  // namespace

std::string probe_numbers(Device& device, const Features& f) {
  Found singles = probe<float>(device, probe_f32_words);
  std::string text;
  if (!singles.kept) {
    // NVIDIA's driver denies the mode that keeps subnormals, and follows it.
    const Found with_mode = probe<float>(device, probe_f32_keep_words);
    if (with_mode.kept) {
      singles = with_mode;
      text += ",keep32";
    }
  }
  text += features_of(singles, "32");
  if (f.f64) text += features_of(probe<double>(device, probe_f64_words), "64");
  return text;
}

}  // namespace krait::runtime::vulkan
