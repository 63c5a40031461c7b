// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kr::vec: host layout, operators and functions against the same lambda on plain values, elements
// of views, mutable components.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "expect.h"

using krait::test::expect_usage;

namespace {

template <class Type, int Size>
using vec = kr::vec<Type, Size>;
using float2 = vec<float, 2>;
using float3 = vec<float, 3>;
using float4 = vec<float, 4>;

static_assert(sizeof(float2) == 8 && alignof(float2) == 8);
static_assert(sizeof(float3) == 12 && alignof(float3) == 4);
static_assert(sizeof(float4) == 16 && alignof(float4) == 16);
static_assert(sizeof(vec<double, 4>) == 32 && alignof(vec<double, 4>) == 16 &&
              alignof(vec<double, 2>) == 16);
static_assert(sizeof(vec<kr::f16, 3>) == 6 && sizeof(vec<std::uint8_t, 4>) == 4 &&
              alignof(vec<std::uint8_t, 4>) == 4);
static_assert(offsetof(float4, w) == 12);

template <class Type, int Size>
bool equal(const vec<Type, Size>& x, const vec<Type, Size>& y) {
  for (int i = 0; i < Size; ++i)
    if (!(x[i] == y[i])) return false;
  return true;
}

/// The lambda on arrays of vectors, run in a kernel and, element by element, on the host.
template <class Lambda, class Left, class Right>
void expect_oracle(const char* what, const Lambda& lambda, const std::vector<Left>& x,
                   const std::vector<Right>& y) {
  const auto function = kr::vectorize(lambda, {.fp = kr::fp::strict});
  const auto got = function(x, y);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_TRUE(equal(got[i], lambda(x[i], y[i]))) << what << ", element " << i;
}

const std::vector<float3> some{
    {1, 2, 3}, {-0.5f, 0.25f, 8}, {1e-3f, -7, 0}, {100, 200, -300}, {0.1f, 0.2f, 0.3f}};
const std::vector<float3> others{
    {3, -2, 1}, {4, 4, 4}, {0.5f, 1.5f, 2.5f}, {-1, -2, -3}, {7, 8, 9}};

TEST(Vec, ArithmeticIsThatOfTheComponents) {
  expect_oracle(
      "+", [](auto x, auto y) { return x + y; }, some, others);
  expect_oracle(
      "- *", [](auto x, auto y) { return 2.0f * x - y * 0.5f; }, some, others);
  expect_oracle(
      "/", [](auto x, auto y) { return x / y; }, some, others);
  expect_oracle(
      "unary", [](auto x, auto y) { return -x + +y; }, some, others);
  expect_oracle(
      "mixed types",
      [](auto x, auto y) {
        return x * kr::vec{1, 2, 3} + y;
      },
      some, others);
  // On the host they are C++'s: sums do not overflow.
  const std::vector<vec<int, 2>> a{{7, -7}, {1, 1 << 28}}, b{{3, 2}, {5, 31}};
  expect_oracle(
      "integers", [](auto x, auto y) { return ((x % y) ^ (x << 1)) + (~x | (y & 6)) - (x >> 2); },
      a, b);
}

TEST(Vec, ComparisonsGiveVectorsOfBool) {
  const auto function = kr::vectorize(
      [](auto x, auto y) { return std::tuple(x < y, kr::all(x < y), kr::any(x < y)); });
  const auto [less, all, any] = function(some, others);
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_TRUE(equal(less[i], some[i] < others[i]));
    EXPECT_EQ(bool(all[i]),
              some[i].x < others[i].x && some[i].y < others[i].y && some[i].z < others[i].z);
    EXPECT_EQ(bool(any[i]),
              some[i].x < others[i].x || some[i].y < others[i].y || some[i].z < others[i].z);
  }
  expect_oracle(
      "select", [](auto x, auto y) { return kr::select(x < y, x, y); }, some, others);
  expect_oracle(
      "not", [](auto x, auto y) { return kr::select(!(x == y), x + 1, y); }, some, others);
}

TEST(Vec, FunctionsWorkComponentByComponent) {
  expect_oracle(
      "min max clamp",
      [](auto x, auto y) { return kr::clamp(kr::min(x, y), -1.0f, kr::max(y, 0.5f)); }, some,
      others);
  expect_oracle(
      "sqrt abs", [](auto x, auto y) { return kr::sqrt(kr::abs(x)) + kr::floor(y); }, some, others);
  expect_oracle(
      "exp sin", [](auto x, auto y) { return kr::exp(-kr::abs(x)) + kr::sin(y); }, some, others);
  expect_oracle(
      "mix", [](auto x, auto y) { return kr::mix(x, y, 0.25f) + kr::mix(x, y, y); }, some, others);
  expect_oracle(
      "cast", [](auto x, auto y) { return kr::cast<int>(x) + kr::cast<int>(y); }, some, others);
}

TEST(Vec, Geometry) {
  expect_oracle(
      "dot",
      [](auto x, auto y) { return kr::make_vec(kr::dot(x, y), kr::length(x), kr::distance(x, y)); },
      some, others);
  expect_oracle(
      "cross", [](auto x, auto y) { return kr::cross(x, y); }, some, others);
  expect_oracle(
      "normalize", [](auto x, auto y) { return kr::normalize(x) * kr::length(y); }, some, others);
  EXPECT_TRUE(equal(kr::cross(float3{1, 0, 0}, float3{0, 1, 0}), float3{0, 0, 1}));
  EXPECT_EQ(kr::dot(float4{1, 2, 3, 4}, float4{5, 6, 7, 8}), 70.0f);
  EXPECT_EQ(kr::length(float2{3, 4}), 5.0f);
}

TEST(Vec, Swizzles) {
  expect_oracle(
      "zyx", [](auto x, auto y) { return kr::swizzle<"zyx">(x) + kr::swizzle<"bbr">(y); }, some,
      others);
  expect_oracle(
      "four", [](auto x, auto y) { return kr::swizzle<"xyzx">(x) * kr::swizzle<"y">(y); }, some,
      others);
  EXPECT_EQ(kr::swizzle<"w">(float4{1, 2, 3, 4}), 4.0f);
}

TEST(Vec, ComponentsOfVarsAndElementsAreAssigned) {
  auto kernel = kr::kernel([](kr::view<float4> out, kr::view<const float3> in) {
    for (auto i : kr::grid_stride(out.size())) {
      kr::var v = in[i];
      v.y = 2 * v.x;
      v += float3{1, 1, 1};
      v *= 2.0;  // a double: computed as one, and converted back
      kr::var copy = v;
      copy.z = -1;
      out[i] = kr::make_vec(v.x, v.y, v.z, copy.z);
      out[i].w += 10;
      out[i].x++;
      out[i] += kr::vec{0, 1, 0, 0};
    }
  });
  std::vector<float4> out(some.size());
  kernel.forall(std::int64_t(out.size()))(out, some);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float3 v{(some[i].x + 1) * 2, (2 * some[i].x + 1) * 2, (some[i].z + 1) * 2};
    EXPECT_TRUE(equal(out[i], float4{v.x + 1, v.y + 1, v.z, 9})) << i;
  }
}

TEST(Vec, CopiesOfVarsAreLocalsOfTheirOwn) {
  auto kernel = kr::kernel([](kr::view<float3> out) {
    kr::var a = float3{1, 2, 3};
    kr::var b = a;
    a = kr::swizzle<"zxy">(a);  // all components are read before one is written
    b.x = 7;
    kr::swap(a, b);
    kr::if_(out.size() > 0, [&] { a.y = 9; });
    out[0] = a, out[1] = b;
    kr::swap(out[2], out[3]);
  });
  std::vector<float3> out{{}, {}, {1, 1, 1}, {2, 2, 2}};
  kernel.launch({1, 1}, out);
  EXPECT_TRUE(equal(out[0], float3{7, 9, 3}) && equal(out[1], float3{3, 1, 2}));
  EXPECT_TRUE(equal(out[2], float3{2, 2, 2}) && equal(out[3], float3{1, 1, 1}));
}

TEST(Vec, IndicesMayBeTraced) {
  auto kernel = kr::kernel([](kr::view<float> out, kr::view<const float3> in, kr::view<float3> to) {
    for (auto i : kr::grid_stride(out.size())) {
      out[i] = in[i / 3][i % 3];
      kr::var v = in[i / 3];
      v[1] = 5;
      to[i] = v;
      to[i][2] = 6;
    }
  });
  std::vector<float> out(15);
  std::vector<float3> to(15);
  kernel.forall(15)(out, some, to);
  for (int i = 0; i < 15; ++i) {
    EXPECT_EQ(out[std::size_t(i)], some[std::size_t(i / 3)][i % 3]);
    EXPECT_TRUE(equal(to[std::size_t(i)], float3{some[std::size_t(i / 3)].x, 5, 6}));
  }
  expect_usage({"an index is out of bounds of a fixed-size array or vector", "vec_test.cpp"}, [&] {
    kr::kernel([](kr::view<float3> v) { v[0].x = kr::value<float3>(v[1])[3]; }).launch({1, 1}, to);
  });
}

TEST(Vec, StructuredBindingsNameComponents) {
  auto kernel = kr::kernel([](kr::view<const float3> in, kr::view<float2> out) {
    for (auto i : kr::grid_stride(out.size())) {
      auto [x, y, z] = in[i];
      kr::var pair = kr::make_vec(x, y);
      auto& [first, second] = pair;
      first += z, second = 3;
      out[i] = pair;
    }
  });
  std::vector<float2> out(some.size());
  kernel.forall(std::int64_t(out.size()))(some, out);
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_TRUE(equal(out[i], float2{some[i].x + some[i].z, 3}));
}

TEST(Vec, ArgumentsByValueAndResults) {
  const auto scale = kr::vectorize([](auto v, auto by) { return v * by; });
  const float3 one = scale(float3{1, 2, 3}, 2.0f);
  EXPECT_TRUE(equal(one, float3{2, 4, 6}));
  const std::vector<float3> all = scale(some, float3{1, 10, 100});
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_TRUE(equal(all[i], some[i] * float3{1, 10, 100}));
  std::vector<vec<double, 3>> wide(some.size());
  scale.into(wide)(some, 0.5);
  EXPECT_EQ(wide[1].z, 4.0);

  kr::array<float3> device = kr::to_device(some);
  kr::array<float3> doubled = scale(device, 2.0f);
  const std::vector<float3> back = doubled.to_host();
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_TRUE(equal(back[i], 2.0f * some[i]));

  auto kernel = kr::kernel([](auto out, auto shift) { out[kr::grid()] += shift; });
  std::vector<vec<std::int8_t, 4>> bytes{{1, 2, 3, 4}};
  kernel.launch({1, 1}, bytes, vec<std::int8_t, 4>{10, -10, 127, 0});
  EXPECT_TRUE(equal(bytes[0], vec<std::int8_t, 4>{11, -8, -126, 4}));
}

TEST(Vec, SharedAndLocalArrays) {
  auto kernel = kr::kernel([](kr::view<float3> out, kr::view<const float3> in) {
    auto tile = kr::shared<float3, 32>();
    auto own = kr::local<vec<kr::f16, 3>, 2>();
    const auto t = kr::thread_idx().x;
    tile[t] = in[t];
    own[1] = in[t];
    own[t & 1].y = 4;
    kr::syncthreads();
    out[t] = tile[31 - t] + own[1];
  });
  std::vector<float3> in(32), out(32);
  for (int i = 0; i < 32; ++i) in[std::size_t(i)] = {float(i), float(2 * i), float(3 * i)};
  kernel.launch({1, 32}, out, in);
  for (int i = 0; i < 32; ++i) {
    const float3 mirrored = in[std::size_t(31 - i)], mine = in[std::size_t(i)];
    EXPECT_TRUE(equal(out[std::size_t(i)], mirrored + float3{mine.x, i & 1 ? 4 : mine.y, mine.z}))
        << i;
  }
}

/// Elements in place under a guard, of counts that no vector divides, and stores of some components
/// alone.
template <class Pixel>
void expect_pixels() {
  using number = decltype(Pixel{}.x);
  auto turned = kr::kernel([](kr::view<Pixel> pixels, kr::value<int> count) {
    const auto i = kr::grid();
    kr::if_(i < count, [&] {
      kr::var<Pixel> q = pixels[i];
      const auto x = kr::cast<number>(q.x + 0), y = kr::cast<number>(q.y + 0);
      q.x = y, q.y = kr::cast<number>(x + y);
      pixels[i] = q;
    });
  });
  auto marked =
      kr::kernel([](kr::view<Pixel> pixels, kr::view<const Pixel> from, kr::value<int> count) {
        const auto i = kr::grid();
        kr::if_(i < count, [&] {
          pixels[i].y = from[i].x;
          pixels[i].x = from[i].y;
          pixels[i].y = kr::cast<number>(pixels[i].y + pixels[i].x);
        });
      });
  for (const int size : {1, 5, 16, 33, 64, 1000}) {
    std::vector<Pixel> pixels(std::size_t(size) + 3), from(pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      pixels[i].x = number(7 * i + 1), pixels[i].y = number(201 + 3 * i);
      from[i].x = number(5 * i + 250), from[i].y = number(i);
    }
    const std::vector<Pixel> before = pixels;
    turned.launch({(size + 31) / 32, 32}, pixels, size);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      Pixel wanted = before[i];
      if (i < std::size_t(size))
        wanted.x = before[i].y, wanted.y = number(before[i].x + before[i].y);
      ASSERT_TRUE(equal(pixels[i], wanted)) << i << " of " << size;
    }
    pixels = before;
    marked.launch({(size + 31) / 32, 32}, pixels, from, size);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      Pixel wanted = before[i];
      if (i < std::size_t(size)) wanted.x = from[i].y, wanted.y = number(from[i].x + from[i].y);
      ASSERT_TRUE(equal(pixels[i], wanted)) << i << " of " << size;
    }
  }
}
TEST(Vec, ElementsAsRows) {
  expect_pixels<vec<std::uint8_t, 2>>();
  expect_pixels<vec<std::uint8_t, 3>>();
  expect_pixels<vec<std::uint8_t, 4>>();
  expect_pixels<vec<std::int16_t, 3>>();
  expect_pixels<vec<std::int16_t, 4>>();
  expect_pixels<vec<int, 2>>();
  expect_pixels<float3>();
  expect_pixels<float4>();
  expect_pixels<vec<double, 2>>();
  expect_pixels<vec<double, 3>>();
}

}  // namespace
