// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU table: Krait in each fp mode beside the peers found in ../lib (libpeer_*.so), in interleaved rounds.
//   bench_cpu [--quick] [--json FILE] [--only TEXT]     TEXT: a part of the workloads' names
// The base of the ratios is the first peer, g++ -Ofast -march=native -fopenmp: above 1, Krait or that peer is faster than it.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "block_kernels.h"
#include "kernels.h"
#include "measure.h"
#include "peer.h"

using namespace bench;

namespace {

std::vector<const Peer*> load_peers(const std::filesystem::path& folder) {
  std::vector<const Peer*> peers;
  for (const char* name : {"libpeer_gcc_fast.so", "libpeer_gcc.so", "libpeer_clang_fast.so", "libpeer_halide.so"}) {
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

}  // namespace

int main(int argc, char** argv) try {
  // Clang's OpenMP threads spin for 200 ms after a loop by default, in the time of the candidate that comes next.
  setenv("OMP_WAIT_POLICY", "passive", 1);
  bool quick = false;
  std::string json, only;
  for (int i = 1; i < argc; ++i) {
    quick = quick || !std::strcmp(argv[i], "--quick");
    if (!std::strcmp(argv[i], "--json") && i + 1 < argc) json = argv[++i];
    else if (!std::strcmp(argv[i], "--only") && i + 1 < argc) only = argv[++i];
  }
  const auto peers = load_peers(std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib");
  const int rounds = quick ? 3 : 9;
  const double sample = quick ? 30 : 200;

  const kr::device cpu = kr::device::cpu();
  const long n = 1 << 24;
  std::vector<float> hx(n), hy(n), spot(n), strike(n), years(n);
  for (long i = 0; i < n; ++i) {
    hx[i] = 0.1f + float(std::uint32_t(i) * 2654435761u >> 8) * (1.f / 16777216), hy[i] = 0.1f + float(std::uint32_t(i) * 40503u & 0xffff) / 65536.f;
    spot[i] = hx[i] * 90 + 10, strike[i] = hy[i] * 90 + 10, years[i] = hx[i] + 0.1f;
  }
  const auto x = kr::to_device(hx, cpu), y = kr::to_device(hy, cpu), s = kr::to_device(spot, cpu), k = kr::to_device(strike, cpu), t = kr::to_device(years, cpu);
  kr::array<float> z(kr::shape<1>(n), cpu);
  const int side = 2048, bodies = 8192, grid = 4096;
  kr::array<int, 2> counts(kr::shape<2>(side, side), cpu);
  kr::array<float, 2> in(kr::shape<2>(grid, grid), cpu), out(kr::shape<2>(grid, grid), cpu);
  in.copy_from(hx);
  const auto head = [&](const std::vector<float>& v) { return kr::to_device(std::vector<float>(v.begin(), v.begin() + bodies), cpu); };
  const auto bx = head(hx), by = head(hy), bz = head(spot);
  kr::array<float> force(kr::shape<1>(bodies), cpu);
  const auto raw = [](const auto& a) { return reinterpret_cast<float*>(a.address()); };

  std::vector<Row> rows;
  const auto add = [&](const char* name, auto peer_run, auto krait_run) {
    if (std::string(name).find(only) == std::string::npos) return;
    Row row{name, {}};
    for (const Peer* p : peers)
      if (auto f = peer_run(*p)) row.candidates.push_back({p->name, f, 0, {}});
    for (int m = 0; m < 3; ++m) row.candidates.push_back({mode_names[m], krait_run(modes[m]), 0, {}});
    measure(row, rounds, sample);
    print(row);
    rows.push_back(std::move(row));
  };
  using Run = std::function<void()>;
  add("saxpy 2^24", [&](const Peer& p) { return Run([&] { p.saxpy(2.f, raw(x), raw(y), raw(z), n); }); },
      [&](kr::fp m) { return Run([&, f = std::make_shared<decltype(make_saxpy(m))>(make_saxpy(m))] { f->into(z)(2.f, x, y); }); });
  add("exp*sin+log 2^24", [&](const Peer& p) { return Run([&] { p.transcendental(raw(x), raw(y), raw(z), n); }); },
      [&](kr::fp m) { return Run([&, f = std::make_shared<decltype(make_transcendental(m))>(make_transcendental(m))] { f->into(z)(x, y); }); });
  add("Black-Scholes 2^24", [&](const Peer& p) { return Run([&] { p.black_scholes(raw(s), raw(k), raw(t), raw(z), n); }); },
      [&](kr::fp m) { return Run([&, f = std::make_shared<decltype(make_black_scholes(m))>(make_black_scholes(m))] { f->into(z)(s, k, t); }); });
  add("mandelbrot 2048^2", [&](const Peer& p) { return p.mandelbrot ? Run([&] { p.mandelbrot(reinterpret_cast<int*>(counts.address()), side, 256); }) : Run(); },
      [&](kr::fp m) { return Run([&, f = std::make_shared<decltype(make_mandelbrot(m))>(make_mandelbrot(m))] { f->launch({{side / 32, side / 8}, {32, 8}}, counts, 256); }); });
  add("n-body 8192", [&](const Peer& p) { return p.nbody ? Run([&] { p.nbody(raw(bx), raw(by), raw(bz), raw(force), bodies); }) : Run(); },
      [&](kr::fp m) { return Run([&, f = std::make_shared<decltype(make_nbody(m))>(make_nbody(m))] { f->forall(bodies)(bx, by, bz, force); }); });
  add("Jacobi 4096^2", [&](const Peer& p) { return p.jacobi ? Run([&] { p.jacobi(raw(in), raw(out), grid); }) : Run(); },
      [&](kr::fp m) { return Run([&, f = std::make_shared<decltype(make_jacobi(m))>(make_jacobi(m))] { f->launch({{grid / 32, grid / 8}, {32, 8}}, in, out); }); });

  // Of whole blocks, in the mode that is the default.
  const auto add_block = [&](const char* name, auto peer_run, Run krait_run) {
    if (std::string(name).find(only) == std::string::npos) return;
    Row row{name, {}};
    for (const Peer* p : peers)
      if (p->sgemm) row.candidates.push_back({p->name, [&, p] { peer_run(*p); }, 0, {}});
    row.candidates.push_back({mode_names[0], std::move(krait_run), 0, {}});
    measure(row, rounds, sample);
    print(row);
    rows.push_back(std::move(row));
  };
  const int width = 1024;
  const int blocks = int(std::max(1u, std::thread::hardware_concurrency()));  // a worker each
  kr::array<float, 2> a({width, width}, cpu), b({width, width}, cpu), c({width, width}, cpu);
  a.copy_from(std::span(hx).first(width * width)), b.copy_from(std::span(hy).first(width * width));
  add_block("matrix product 1024", [&](const Peer& p) { p.sgemm(raw(a), raw(b), raw(c), width); },
            [&, f = std::make_shared<decltype(make_sgemm())>(make_sgemm())] { f->launch({{width / 16, width / 16}, {16, 16}}, a, b, c); });
  kr::array<float> sums(kr::shape<1>(blocks), cpu), total(kr::shape<1>(1), cpu);
  add_block("block sum 2^24", [&](const Peer& p) { p.sum(raw(x), raw(total), n); },
            [&, f = std::make_shared<decltype(make_block_sum())>(make_block_sum())] {
              f->launch({blocks, 1024}, x, sums);
              f->launch({1, 1024}, sums, total);
            });
  std::vector<unsigned> words(n);
  for (long i = 0; i < n; ++i) words[i] = std::uint32_t(i) * 2654435761u >> 7;
  const auto keys = kr::to_device(words, cpu);
  auto bins = kr::to_device(std::vector<unsigned>(256, 0), cpu);
  add_block("histogram 2^24", [&](const Peer& p) { p.histogram(reinterpret_cast<const unsigned*>(keys.address()), reinterpret_cast<unsigned*>(bins.address()), n); },
            [&, f = std::make_shared<decltype(make_histogram())>(make_histogram())] { f->launch({blocks, 256}, keys, bins); });
  if (!json.empty()) write_json(json, rows, cpu.name());
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
