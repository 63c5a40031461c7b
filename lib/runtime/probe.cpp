// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks a driver how it rounds, because what it reports is not always so: is Fma fused, are division
// and square root correctly rounded, are subnormals kept, are large numbers' whole parts found, do
// instructions order zeros and lose NaN? The kernels are probe_*.kir; their words (probe_words.inc
// of each back end) are what the code generator makes of them for a target that promises
// everything, and a test holds the two together.
#include "runtime/probe.h"

#include <bit>
#include <cmath>
#include <limits>

namespace krait::runtime {
namespace {

/// Three arrays of T in, `results` numbers out for each of their elements.
template <class T, unsigned Count>
void run(Device& device, std::span<const std::uint32_t> blob, const T (&in)[3][Count],
         std::span<T> out) {
  std::uint64_t block[8];
  for (unsigned a = 0; a < 4; ++a) {
    const std::size_t bytes = a < 3 ? sizeof in[0] : out.size_bytes();
    block[a * 2] = device.allocate(bytes, {});
    block[a * 2 + 1] = bytes / sizeof(T);
    if (a < 3) device.copy_to_device(block[a * 2], in[a], bytes, {});
  }
  LaunchRequest request;
  request.block = {Count, 1, 1};
  request.args = reinterpret_cast<const std::byte*>(block);
  request.args_size = sizeof block;
  const auto code = device.load(std::as_bytes(blob), "probe");
  device.launch(*code, request);
  device.copy_to_host(out.data(), block[6], out.size_bytes(), {});
  for (unsigned a = 0; a < 4; ++a) device.free(block[a * 2], {});
}

/// Numbers in [1, 4) from a fixed sequence (SplitMix64, Steele et al. 2014), random in every digit
/// of the type.
template <class T>
T number(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  z ^= z >> 31;
  if constexpr (sizeof(T) == 4) return std::bit_cast<float>(std::uint32_t(0x3f800000 + (z >> 40)));
  else return std::bit_cast<double>(0x3ff0000000000000 + (z >> 11));
}

struct Numbers {
  bool fused = true;        // Fma, on normal numbers
  bool fused_small = true;  // on subnormals too
  bool kept = true;         // subnormals, by addition
  bool divides = true, roots = true;
  bool inverse_roots = true;  // of f32: within 2 ULP, with the poles and of subnormals
  bool wholes = true;         // of f64: floor, ceil, trunc and rint, beyond 2^24 too
};

constexpr unsigned tuples = 64;
/// Tuples from here on are about subnormals: of sums, then of fused multiply-adds.
constexpr unsigned small_sums = 48, small_products = 56;

bool is_inverse_root(float r, float x) {
  if (!(x > 0))
    return x == 0 ? r == std::copysign(std::numeric_limits<float>::infinity(), x) : std::isnan(r);
  const double exact = 1 / std::sqrt(double(x));
  const auto ulp = double(std::nextafter(float(exact), 2 * float(exact)) - float(exact));
  return exact == 0 ? r == 0 : std::abs(double(r) - exact) <= 2 * ulp;
}

/// Exact, as are the sums.
double sum_of_wholes(double x) {
  return std::floor(x) + std::ceil(x) + std::trunc(x) + std::nearbyint(x);
}

template <class T>
Numbers probe(Device& device, std::span<const std::uint32_t> blob) {
  constexpr unsigned results = 5;
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
  constexpr T infinity = std::numeric_limits<T>::infinity(),
              special[] = {T(0), -T(0), infinity, -infinity};
  for (unsigned k = 0; k < 4; ++k) in[2][k * 2] = special[k];
  run(device, blob, in, std::span<T>(out));

  Numbers f;
  for (unsigned i = 0; i < tuples; ++i) {
    const T* r = out + i * results;
    const bool fused = r[0] == std::fma(in[0][i], in[1][i], in[2][i]);
    if (i >= small_products) f.fused_small &= fused;
    else if (i >= small_sums) f.kept &= r[3] == in[0][i] + in[1][i];
    else
      f.fused &= fused, f.divides &= r[1] == in[0][i] / in[1][i],
          f.roots &= r[2] == std::sqrt(in[0][i]);
    if constexpr (sizeof(T) == 4) f.inverse_roots &= is_inverse_root(r[4], in[2][i]);
    else f.wholes &= r[4] == sum_of_wholes(in[0][i] * 0x1p33);
  }
  return f;
}

/// minimumNumber and maximumNumber of IEEE 754-2019: a NaN loses, -0 is below +0.
float lesser(float x, float y) {
  if (std::isnan(y) || x < y) return x;
  return x == y && std::signbit(x) ? x : y;
}
float greater(float x, float y) { return -lesser(-x, -y); }
bool is_same(float x, float y) {
  return std::isnan(x) ? std::isnan(y)
                       : std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
}

struct Quick {
  bool orders = true;  // NMin and NMax
  bool powers = true;  // Exp2 errs by 2 ULP at most on [0, 3)
};

Quick probe_quick(Device& device, std::span<const std::uint32_t> blob) {
  constexpr float least = std::numeric_limits<float>::denorm_min(),
                  infinity = std::numeric_limits<float>::infinity(),
                  numbers[] = {0,          -0.0f,       least,
                               -3 * least, 0x1.8p-130f, std::numeric_limits<float>::quiet_NaN(),
                               infinity,   -1.5f};
  static_assert(tuples == std::size(numbers) * std::size(numbers));
  constexpr unsigned results = 4;
  float in[3][tuples], out[tuples * results];
  std::uint64_t state = 2;
  for (unsigned i = 0; i < tuples; ++i)
    in[0][i] = numbers[i / 8], in[1][i] = numbers[i % 8], in[2][i] = number<float>(state) - 1;
  run(device, blob, in, std::span<float>(out));
  Quick q;
  for (unsigned i = 0; i < tuples; ++i) {
    const float x = in[0][i], y = in[1][i], *r = out + i * results;
    q.orders &= is_same(r[0], lesser(x, y)) && is_same(r[1], greater(x, y)) &&
                is_same(r[2], lesser(greater(x, 0), 1));
    const double exact = std::exp2(double(in[2][i]));
    const auto nearest = float(exact);
    q.powers &=
        std::abs(double(r[3]) - exact) <= 2 * double(std::nextafter(nearest, infinity) - nearest);
  }
  return q;
}

/// x, y, z and x y + z, as bits. Eight near cancellation, twelve that come out wrong when f32
/// rounds in between, twelve with subnormal numbers.
constexpr std::uint16_t half_tuples[32][4] = {
    {0x3e97, 0x3d34, 0xc049, 0x0eb0}, {0x3f28, 0x3c62, 0xbfd7, 0x0d40},
    {0x3c94, 0x3cc0, 0xbd70, 0x8c00}, {0x3eec, 0x3c76, 0xbfb8, 0x0a40},
    {0x3db7, 0x3c4c, 0xbe24, 0x8eb0}, {0x3cb0, 0x3f78, 0xc060, 0x1100},
    {0x3f58, 0x3c8f, 0xc02f, 0x1050}, {0x3dec, 0x3cb9, 0xbefe, 0x8740},
    {0x3c63, 0x3d3b, 0x02f1, 0x3dbd}, {0x3cb8, 0x3df8, 0x83ff, 0x3f0b},
    {0x3cde, 0x3f0c, 0x8681, 0x4049}, {0x3e42, 0x3f2f, 0x81df, 0x419f},
    {0x3c0a, 0x3d6a, 0x8241, 0x3d77}, {0x3e7f, 0x3c74, 0x073f, 0x3f3b},
    {0x3d84, 0x3c26, 0x0681, 0x3db9}, {0x3c40, 0x3caa, 0x87ff, 0x3cf5},
    {0x3f51, 0x3e84, 0x03be, 0x41f5}, {0x3f74, 0x3f01, 0x0861, 0x4287},
    {0x3e3b, 0x3f56, 0x8a8f, 0x41b7}, {0x3e42, 0x3ce2, 0x8441, 0x3fa3},
    {0x025b, 0x3e28, 0x83c7, 0x8027}, {0x032a, 0x3d65, 0x83c3, 0x0081},
    {0x0038, 0x3c38, 0x82b3, 0x8278}, {0x023f, 0x3e23, 0x83b9, 0x8047},
    {0x0130, 0x3d84, 0x838d, 0x81ea}, {0x00e9, 0x3c04, 0x81b1, 0x80c7},
    {0x0279, 0x3c16, 0x8258, 0x002f}, {0x023a, 0x3f07, 0x8300, 0x00e9},
    {0x23a4, 0x11b1, 0x01e7, 0x0295}, {0x208c, 0x107d, 0x001f, 0x0071},
    {0x2180, 0x12a5, 0x011a, 0x01ac}, {0x218c, 0x11be, 0x0075, 0x00f4},
};

bool fuses_halves(Device& device, std::span<const std::uint32_t> blob) {
  constexpr unsigned count = std::size(half_tuples);
  std::uint16_t in[3][count], out[count];
  for (unsigned i = 0; i < count; ++i)
    for (unsigned k = 0; k < 3; ++k) in[k][i] = half_tuples[i][k];
  run(device, blob, in, std::span<std::uint16_t>(out));
  for (unsigned i = 0; i < count; ++i)
    if (out[i] != half_tuples[i][3]) return false;
  return true;
}

}  // namespace

void probe_numbers(Device& device, const ProbeCode& code, support::FeatureSet& told) {
  using enum support::Feature;
  Numbers singles = probe<float>(device, code.f32);
  if (!singles.kept && !code.f32_keep.empty()) {
    // A driver denies the mode that keeps subnormals, and follows it (support/quirks.def).
    const Numbers with_mode = probe<float>(device, code.f32_keep);
    if (with_mode.kept) singles = with_mode, told.set(Keep32);
  }
  told.set(Fma32, singles.fused && singles.fused_small),
      told.set(Nfma32, singles.fused && !singles.fused_small);
  told.set(Div32, singles.divides), told.set(Sqrt32, singles.roots),
      told.set(Rsqrt32, singles.inverse_roots);
  const std::span<const std::uint32_t> quick = told.has(Keep32) ? code.quick_keep : code.quick;
  if (!quick.empty()) {
    const Quick q = probe_quick(device, quick);
    told.set(Order32, q.orders), told.set(Power32, q.powers && singles.fused);
  }
  if (told.has(F64)) {
    const Numbers doubles = probe<double>(device, code.f64);
    told.set(Fma64, doubles.fused && doubles.fused_small), told.set(Div64, doubles.divides),
        told.set(Sqrt64, doubles.roots);
    told.set(Whole64, doubles.wholes);
  }
  told.set(Fma16, told.has(F16) && fuses_halves(device, code.f16));
}

}  // namespace krait::runtime
