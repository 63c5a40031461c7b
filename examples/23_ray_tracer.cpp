// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spheres on a floor, with shadows and mirrors: vectors, an array of structs, a camera by value. Functions on vectors are generic,
// so that the host computes some pixels with the same code.
//   23_ray_tracer [out.png]
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <krait/files.h>
#include <krait/krait.h>
#include <krait/span.h>
namespace kr = krait;

using float3 = kr::vec<float, 3>;
struct sphere { float3 centre; float radius; float3 colour; float mirror; };
struct camera { float3 eye, corner, right, down; };

constexpr float far_away = 1e20f;

// [hit]
/// Distance along a ray to a sphere, or far_away.
constexpr auto hit = [](auto origin, auto direction, auto centre, auto radius) {
  auto to = centre - origin;
  auto along = kr::dot(to, direction);
  auto depth = radius * radius - (kr::dot(to, to) - along * along);
  auto near = along - kr::sqrt(kr::max(depth, 0.0f));
  return near + (far_away - near) * kr::cast<float>(!(depth > 0 && near > 1e-3f));
};
// [/hit]
constexpr auto sky = [](auto direction) { return kr::mix(float3{1, 1, 1}, float3{0.4f, 0.6f, 1}, kr::clamp(direction.y, 0.0f, 1.0f)); };

int main(int argc, char** argv) try {
  constexpr int width = 640, height = 400;
  const std::vector<sphere> scene{{{0, 1, 0}, 1, {1, 0.3f, 0.2f}, 0.3f},   {{2.2f, 0.7f, 0.5f}, 0.7f, {0.2f, 0.5f, 1}, 0.2f},
                                  {{-2, 0.8f, -0.4f}, 0.8f, {0.9f, 0.9f, 0.9f}, 0.8f}, {{0, -1000, 0}, 1000, {0.6f, 0.6f, 0.5f}, 0.1f}};
  const camera view{{0, 1.6f, 5}, {-1.6f, 2.4f, 3.5f}, {3.2f / width, 0, 0}, {0, -2.0f / height, 0}};

  auto render = kr::kernel(
      [](kr::view<float3, 2> out, kr::view<const sphere> spheres, kr::value<camera> from) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y >= out.extent(0) || x >= out.extent(1), [&] { kr::return_(); });
        auto [eye, corner, right, down] = from;
        const auto light = kr::normalize(float3{-1, 2, 1.5f});
        kr::var origin = eye;
        kr::var direction = kr::normalize(corner + right * kr::cast<float>(x) + down * kr::cast<float>(y) - eye);
        kr::var colour = float3{0, 0, 0};
        kr::var weight = 1.0f;
        for (auto bounce : kr::range(4)) {
          kr::var nearest = far_away;
          kr::var which = 0;
          for (auto i : kr::range(spheres.size())) {
            auto [centre, radius, own, mirror] = spheres[i];
            auto distance = hit(origin, direction, centre, radius);
            kr::if_(distance < nearest, [&] { nearest = distance, which = i; });
          }
          kr::if_(nearest >= far_away, [&] {
            colour += weight * sky(direction);
            kr::break_();
          });
          auto [centre, radius, own, mirror] = spheres[which];
          auto point = origin + nearest * direction;
          auto normal = (point - centre) / radius;
          kr::var lit = kr::max(kr::dot(normal, light), 0.0f);
          for (auto i : kr::range(spheres.size())) {
            auto other = spheres[i];
            kr::if_(hit(point, light, other[&sphere::centre], other[&sphere::radius]) < far_away, [&] { lit = 0; });
          }
          colour += weight * (1 - mirror) * own * (0.2f + 0.8f * lit);
          weight *= mirror;
          origin = point;
          direction -= 2 * kr::dot(direction, normal) * normal;
          kr::if_(bounce == 3, [&] { colour += weight * sky(direction); });
        }
        out(y, x) = kr::clamp(colour, 0.0f, 1.0f);
      },
      {.name = "render"});

  kr::array<float3, 2> pixels(height, width);
  render.launch({{(width + 15) / 16, (height + 7) / 8}, {16, 8}}, pixels, kr::to_device(scene), view);
  const auto got = pixels.to_host();

  // The host looks along some rays itself: what meets nothing is sky, what meets a sphere is not.
  int sky_pixels = 0, wrong = 0;
  for (int y = 0; y < height; y += 7)
    for (int x = 0; x < width; x += 7) {
      const float3 direction = kr::normalize(view.corner + view.right * float(x) + view.down * float(y) - view.eye);
      float nearest = far_away;
      for (const sphere& s : scene) nearest = std::min(nearest, hit(view.eye, direction, s.centre, s.radius));
      const float3 pixel = got[static_cast<std::size_t>(y * width + x)], expected = sky(direction);
      const bool is_sky = kr::all(kr::abs(pixel - expected) < 1e-4f);
      sky_pixels += nearest >= far_away;
      wrong += is_sky != (nearest >= far_away);
    }
  std::printf("%d of the rays that the host followed too meet the sky\n", sky_pixels);
  if (wrong > 2 || sky_pixels == 0) return std::fprintf(stderr, "%d pixels are wrong\n", wrong), 1;

  std::vector<std::uint8_t> rgb(std::size_t{width} * height * 3);
  for (std::size_t i = 0; i < got.size(); ++i)
    for (int c = 0; c < 3; ++c) rgb[3 * i + std::size_t(c)] = static_cast<std::uint8_t>(std::sqrt(got[i][c]) * 255);
  if (argc > 1) kr::save_png(argv[1], kr::wrap(rgb.data(), {height, width, 3})), std::printf("wrote %s\n", argv[1]);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
