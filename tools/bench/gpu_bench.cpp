// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPU table: Krait beside hand-written CUDA C++ (libpeer_cuda.so in the library path or beside
// this program), in interleaved rounds, by the device's own clock.
//   bench_gpu [cuda|vulkan|cpu] [--quick] [--json FILE]
// --quick takes small sizes and few rounds, to try the suite out on any device.
#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "cuda_peer.h"
#include "gpu_measure.h"
#include "kernels.h"
#include "measure.h"

using namespace bench;

namespace {

const CudaPeer* load_peer() {
  void* library = dlopen("libpeer_cuda.so", RTLD_NOW | RTLD_LOCAL);
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libpeer_cuda.so";
  if (!library) library = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::printf("not measured, CUDA C++: %s\n", dlerror()), nullptr;
  return static_cast<const CudaPeer*>(dlsym(library, "krait_cuda_peer"));
}

}  // namespace

int main(int argc, char** argv) try {
  const char *back_end = "cuda", *json = nullptr;
  Sizes sizes;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--quick")) sizes = Sizes::quick();
    else if (!std::strcmp(argv[i], "--json") && i + 1 < argc) json = argv[++i];
    else back_end = argv[i];
  }
  std::vector<Row> rows;
  const kr::device gpu = kr::device::find(back_end);
  std::printf("%s (%s), target \"%s\"\n", gpu.name(), gpu.id(), gpu.target());
  const bool cuda = std::strcmp(back_end, "cuda") == 0;
  const CudaPeer* peer = cuda ? load_peer() : nullptr;
  const int rounds = sizes.rounds;
  const std::string ours = cuda                                ? "Krait"
                           : std::strcmp(back_end, "cpu") == 0 ? "Krait CPU"
                                                               : "Krait Vulkan";
  const std::string power = " 2^" + std::to_string(sizes.log_n);

  const long n = 1L << sizes.log_n;
  kr::array<float> x(kr::shape<1>(n), gpu), y(kr::shape<1>(n), gpu), z(kr::shape<1>(n), gpu),
      c(kr::shape<1>(n), gpu), p(kr::shape<1>(n), gpu);
  auto fill = kr::kernel(
      [](kr::view<float> to, kr::value<unsigned> seed, kr::value<float> scale,
         kr::value<float> low) {
        for (auto i : kr::grid_stride(to.size())) {
          kr::var h = kr::cast<unsigned>(i) * 2654435761u ^ seed;
          h = h ^ h >> 16;
          h = h * 0x85ebca6bu;
          h = h ^ h >> 13;
          to[i] = kr::cast<float>(h >> 8) * (1.0f / 16777216.0f) * scale + low;
        }
      },
      {.name = "fill"});
  const auto refill = [&](kr::array<float>& a, unsigned seed, float scale, float low) {
    fill.launch({4096, 256}, a, seed, scale, low);
  };
  refill(x, 1, 1.f, 0.1f), refill(y, 2, 1.f, 0.1f), refill(z, 3, 1.f, 0.f);
  gpu.synchronize();
  const auto raw = [](const auto& a) { return reinterpret_cast<float*>(a.address()); };
  const auto with_peer = [&](const std::function<void()>& run) {
    std::vector<Candidate> v;
    if (peer) v.push_back({"CUDA C++", run, 0, {}});
    return v;
  };
  constexpr kr::fp modes[] = {kr::fp::native, kr::fp::reproducible, kr::fp::fast};
  const std::string names[] = {ours + " native", ours + " reproducible", ours + " fast"};

  {
    GpuRow row{"copy" + power, 8.0 * double(n), {}};
    if (peer)
      row.candidates.push_back({"cudaMemcpyAsync", [&] { peer->copy(raw(x), raw(z), n); }, 0, {}});
    auto f = make_copy();
    row.candidates.push_back({ours + " vectorize", [&] { f.into(z)(x); }, 0, {}});
    rows.push_back(measure_on(gpu, row, rounds));
  }

  {
    GpuRow row{"saxpy" + power, 12.0 * double(n),
               with_peer([&] { peer->saxpy_float4(2.f, raw(x), raw(y), raw(z), n); })};
    if (peer)
      row.candidates.push_back(
          {"CUDA C++ one a thread", [&] { peer->saxpy(2.f, raw(x), raw(y), raw(z), n); }, 0, {}});
    auto f = make_saxpy(kr::fp::native);
    row.candidates.push_back({ours + " vectorize", [&] { f.into(z)(2.f, x, y); }, 0, {}});
    auto k = kr::kernel([](kr::value<float> a, kr::view<const float> u, kr::view<const float> v,
                           kr::view<float> w) {
      for (auto i : kr::grid_stride(w.size())) w[i] = a * u[i] + v[i];
    });
    row.candidates.push_back(
        {ours + " grid-stride kernel", [&] { k.forall(n / 4)(2.f, x, y, z); }, 0, {}});
    rows.push_back(measure_on(gpu, row, rounds));
  }
  {
    refill(x, 1, 90.f, 10.f), refill(y, 2, 90.f, 10.f), refill(z, 3, 2.f, 0.1f);
    GpuRow row{"Black-Scholes" + power, 20.0 * double(n),
               with_peer([&] { peer->black_scholes(raw(x), raw(y), raw(z), raw(c), raw(p), n); })};
    for (int m = 0; m < 3; ++m)
      row.candidates.push_back(
          {names[m],
           [&, f = std::make_shared<decltype(make_black_scholes_both(modes[m]))>(
                   make_black_scholes_both(modes[m]))] { f->into(c, p)(x, y, z); },
           0,
           {}});
    rows.push_back(measure_on(gpu, row, rounds));
  }
  {
    const int w = sizes.mandelbrot;
    kr::array<int, 2> counts(kr::shape<2>(w, w), gpu);
    GpuRow row{"mandelbrot " + std::to_string(w) + "^2, 256", 0, with_peer([&] {
                 peer->mandelbrot(reinterpret_cast<int*>(counts.address()), w, w, 256);
               })};
    for (int m = 0; m < 3; ++m)
      row.candidates.push_back({names[m],
                                [&, f = std::make_shared<decltype(make_mandelbrot(modes[m]))>(
                                        make_mandelbrot(modes[m]))] {
                                  f->launch({{w / 32, w / 8}, {32, 8}}, counts, 256);
                                },
                                0,
                                {}});
    rows.push_back(measure_on(gpu, row, rounds));
  }
  {
    const int bodies = sizes.bodies;
    kr::array<float> bx(kr::shape<1>(bodies), gpu), by(kr::shape<1>(bodies), gpu),
        bz(kr::shape<1>(bodies), gpu), force(kr::shape<1>(bodies), gpu);
    refill(bx, 1, 1.f, 0.f), refill(by, 2, 1.f, 0.f), refill(bz, 3, 1.f, 0.f);
    GpuRow row{"n-body " + std::to_string(bodies) + ", untiled", 0,
               with_peer([&] { peer->nbody(raw(bx), raw(by), raw(bz), raw(force), bodies); })};
    for (int m = 0; m < 3; ++m)
      row.candidates.push_back(
          {names[m],
           [&, f = std::make_shared<decltype(make_nbody(modes[m]))>(make_nbody(modes[m]))] {
             f->launch({bodies / 256, 256}, bx, by, bz, force);
           },
           0,
           {}});
    rows.push_back(measure_on(gpu, row, rounds));
  }
  {
    const int w = sizes.jacobi;
    kr::array<float, 2> in = kr::array<float, 2>::wrap(x.address(), {w, w}, gpu),
                        out = kr::array<float, 2>::wrap(z.address(), {w, w}, gpu);
    GpuRow row{"Jacobi " + std::to_string(w) + "^2", 8.0 * w * w,
               with_peer([&] { peer->jacobi(raw(x), raw(z), w); })};
    for (int m = 0; m < 3; ++m)
      row.candidates.push_back(
          {names[m],
           [&, f = std::make_shared<decltype(make_jacobi(modes[m]))>(make_jacobi(modes[m]))] {
             f->launch({{w / 32, w / 8}, {32, 8}}, in, out);
           },
           0,
           {}});
    rows.push_back(measure_on(gpu, row, rounds));
  }
  measure_blocks(gpu, peer, sizes, ours, rows);
  print_configuration();
  if (json) write_json(json, rows, gpu.name());
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
