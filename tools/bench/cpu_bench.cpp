// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU table: Krait in each fp mode beside the peers found in ../lib (libpeer_*.so), in
// interleaved rounds.
//   bench_cpu [--quick] [--cpu-time] [--json FILE] [--only TEXT]     TEXT: a part of the workloads' names
// --cpu-time counts what all threads compute instead of the time that passes: the better measure on
// a machine that is shared. The base of the ratios is the first peer, g++ -Ofast -march=native
// -fopenmp: above 1, Krait or that peer is faster than it.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "cpu_measure.h"
#include "kernels.h"

using namespace bench;

namespace {

std::vector<const Peer*> load_peers(const std::filesystem::path& folder) {
  std::vector<const Peer*> peers;
  for (const char* name :
       {"libpeer_gcc_fast.so", "libpeer_gcc.so", "libpeer_clang_fast.so", "libpeer_halide.so"}) {
    void* library = dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      std::printf("not measured: %s\n", dlerror());
      continue;
    }
    peers.push_back(static_cast<const Peer*>(dlsym(library, "krait_peer")));
  }
  return peers;
}

constexpr kr::fp modes[] = {kr::fp::native, kr::fp::reproducible, kr::fp::fast};
constexpr const char* mode_names[] = {"Krait native", "Krait reproducible", "Krait fast"};

/// A candidate a mode; `make(mode)` is the kernel object, `run(object)` a call.
std::vector<Candidate> in_all_modes(auto make, auto run) {
  std::vector<Candidate> all;
  for (int m = 0; m < 3; ++m)
    all.push_back(
        {mode_names[m],
         [run, f = std::make_shared<decltype(make(modes[m]))>(make(modes[m]))] { run(*f); },
         0,
         {}});
  return all;
}

}  // namespace

int main(int argc, char** argv) try {
  // Clang's OpenMP threads spin for 200 ms after a loop by default, in the time of the candidate
  // that comes next.
  setenv("OMP_WAIT_POLICY", "passive", 1);
  bool quick = false;
  Clock clock = Clock::Wall;
  std::string json, only;
  for (int i = 1; i < argc; ++i) {
    quick = quick || !std::strcmp(argv[i], "--quick");
    if (!std::strcmp(argv[i], "--cpu-time")) clock = Clock::Processor;
    if (!std::strcmp(argv[i], "--json") && i + 1 < argc) json = argv[++i];
    else if (!std::strcmp(argv[i], "--only") && i + 1 < argc) only = argv[++i];
  }
  const auto peers = load_peers(
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib");
  CpuSuite suite{peers, quick ? 3 : 9, quick ? 30. : 200., clock, only, {}};

  const kr::device cpu = kr::device::cpu();
  const long n = 1 << 24;
  std::vector<float> hx(n), hy(n), spot(n), strike(n), years(n);
  for (long i = 0; i < n; ++i) {
    hx[i] = 0.1f + float(std::uint32_t(i) * 2654435761u >> 8) * (1.f / 16777216),
    hy[i] = 0.1f + float(std::uint32_t(i) * 40503u & 0xffff) / 65536.f;
    spot[i] = hx[i] * 90 + 10, strike[i] = hy[i] * 90 + 10, years[i] = hx[i] + 0.1f;
  }
  const auto x = kr::to_device(hx, cpu), y = kr::to_device(hy, cpu), s = kr::to_device(spot, cpu),
             k = kr::to_device(strike, cpu), t = kr::to_device(years, cpu);
  kr::array<float> z(kr::shape<1>(n), cpu);
  const int side = 2048, bodies = 8192, grid = 4096;
  kr::array<int, 2> counts(kr::shape<2>(side, side), cpu);
  kr::array<float, 2> in(kr::shape<2>(grid, grid), cpu), out(kr::shape<2>(grid, grid), cpu);
  in.copy_from(hx);
  const auto head = [&](const std::vector<float>& v) {
    return kr::to_device(std::vector<float>(v.begin(), v.begin() + bodies), cpu);
  };
  const auto bx = head(hx), by = head(hy), bz = head(spot);
  kr::array<float> force(kr::shape<1>(bodies), cpu);

  // the modes differ in their last bits, and mandelbrot's border by a few trips
  constexpr double rounding = 1e-3;
  auto copying = make_copy();
  std::vector<Candidate> copies;
  copies.push_back({mode_names[0], [&] { copying.into(z)(x); }, 0, {}});
  suite.add(
      "copy 2^24",
      [&](const Peer& p) { return p.copy ? Run([&] { p.copy(raw(x), raw(z), n); }) : Run(); },
      std::move(copies), span_of(z), 0);
  suite.add(
      "saxpy 2^24",
      [&](const Peer& p) {
        return p.saxpy ? Run([&] { p.saxpy(2.f, raw(x), raw(y), raw(z), n); }) : Run();
      },
      in_all_modes(make_saxpy, [&](auto& f) { f.into(z)(2.f, x, y); }), span_of(z), rounding);
  suite.add(
      "exp*sin+log 2^24",
      [&](const Peer& p) {
        return p.transcendental ? Run([&] { p.transcendental(raw(x), raw(y), raw(z), n); }) : Run();
      },
      in_all_modes(make_transcendental, [&](auto& f) { f.into(z)(x, y); }), span_of(z), rounding);
  suite.add(
      "Black-Scholes 2^24",
      [&](const Peer& p) {
        return p.black_scholes ? Run([&] { p.black_scholes(raw(s), raw(k), raw(t), raw(z), n); })
                               : Run();
      },
      in_all_modes(make_black_scholes, [&](auto& f) { f.into(z)(s, k, t); }), span_of(z), rounding);
  suite.add(
      "mandelbrot 2048^2",
      [&](const Peer& p) {
        return p.mandelbrot ? Run([&] { p.mandelbrot(raw(counts), side, 256); }) : Run();
      },
      in_all_modes(make_mandelbrot,
                   [&](auto& f) {
                     f.launch({{side / 32, side / 8}, {32, 8}}, counts, 256);
                   }),
      span_of(counts), rounding);
  suite.add(
      "n-body 8192",
      [&](const Peer& p) {
        return p.nbody ? Run([&] { p.nbody(raw(bx), raw(by), raw(bz), raw(force), bodies); })
                       : Run();
      },
      in_all_modes(make_nbody, [&](auto& f) { f.forall(bodies)(bx, by, bz, force); }),
      span_of(force), rounding);
  suite.add(
      "Jacobi 4096^2",
      [&](const Peer& p) {
        return p.jacobi ? Run([&] { p.jacobi(raw(in), raw(out), grid); }) : Run();
      },
      in_all_modes(make_jacobi,
                   [&](auto& f) {
                     f.launch({{grid / 32, grid / 8}, {32, 8}}, in, out);
                   }),
      span_of(out), rounding);
  measure_blocks(suite, hx, hy);
  if (!json.empty()) write_json(json, suite.rows, cpu.name());
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
