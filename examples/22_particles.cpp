// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Particles as an array of structs, as C++ programs keep them: the kernel takes the struct as it is, with kr::vec members, an
// enumeration and settings by value. What the steps leave is compared with the same code on the host.
//   22_particles [particles [steps]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

using float3 = kr::vec<float, 3>;
enum class state : unsigned char { flying, resting };
struct particle {
  float3 position, velocity;
  float mass;
  state is;
  int bounces;
};
struct settings {
  float3 gravity;
  float dt, drag, floor;
};

int main(int argc, char** argv) try {
  auto step = kr::kernel(
      [](kr::view<particle> particles, kr::value<settings> with) {
        auto [gravity, dt, drag, floor] = with;
        for (auto i : kr::grid_stride(particles.size())) {
          kr::var p = particles[i];
          auto& [position, velocity, mass, is, bounces] = p;
          kr::if_(is == state::flying, [&] {
            velocity += dt * (gravity - (drag / mass) * velocity);
            position += dt * velocity;
            kr::if_(position.y < floor, [&] {
              position.y = 2 * floor - position.y;
              velocity.y = -0.5f * velocity.y;
              bounces += 1;
              kr::if_(kr::length(velocity) < 0.5f, [&] { is = state::resting; });
            });
            particles[i] = p;
          });
        }
      },
      {.name = "step", .fp = kr::fp::strict});

  const int count = argc > 1 ? std::atoi(argv[1]) : 10000, steps = argc > 2 ? std::atoi(argv[2]) : 300;
  std::vector<particle> particles(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const auto f = static_cast<float>(i);
    particles[static_cast<std::size_t>(i)] = {{f * 0.01f, 1 + f * 0.001f, 0}, {0, 0, f * 0.002f}, 1 + f * 0.0001f, state::flying, 0};
  }
  std::vector<particle> host = particles;
  const settings with{{0, -9.81f, 0}, 0.01f, 0.05f, 0};
  for (int s = 0; s < steps; ++s) step.forall(count)(particles, with);

  for (int s = 0; s < steps; ++s)
    for (particle& p : host) {
      if (p.is != state::flying) continue;
      p.velocity += with.dt * (with.gravity - (with.drag / p.mass) * p.velocity);
      p.position += with.dt * p.velocity;
      if (p.position.y >= with.floor) continue;
      p.position.y = 2 * with.floor - p.position.y;
      p.velocity.y = -0.5f * p.velocity.y;
      p.bounces += 1;
      if (kr::length(p.velocity) < 0.5f) p.is = state::resting;
    }
  int resting = 0, wrong = 0, bounces = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const particle &p = particles[i], &h = host[i];
    resting += p.is == state::resting, bounces += p.bounces;
    wrong += p.is != h.is || p.bounces != h.bounces || kr::any(p.position != h.position) || kr::any(p.velocity != h.velocity);
  }
  std::printf("%d of %d particles rest after %d bounces\n", resting, count, bounces);
  if (wrong) std::fprintf(stderr, "%d particles differ from the host's\n", wrong);
  return wrong || bounces == 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
