// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process whose kernels are on disk compiles nothing and never loads the code generator. The
// program runs itself twice on a fresh folder; /proc/self/maps says what was loaded. Exit status 1:
// something else happened.
#include <krait/krait.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace kr = krait;

namespace {

int failures = 0;
void expect(bool holds, const char* what) {
  if (!holds) std::printf("not so: %s\n", what);
  failures += !holds;
}

bool generator_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libkrait_codegen") != line.npos) return true;
  return false;
}

/// Kernels whose launches need all that is kept beside the code: elements a thread, shared memory,
/// what is read and written.
void run_kernels() {
  std::vector<float> x(10'000, 1.5f), y(10'000, 2.0f);
  auto saxpy = kr::kernel([](kr::value<float> a, kr::view<const float> in, kr::view<float> out) {
    for (auto i : kr::grid_stride(out.size())) out[i] = a * in[i] + out[i];
  });
  saxpy.launch({30, 128}, 2.0f, x, y);
  expect(y[0] == 5.0f && y[9'999] == 5.0f && x[0] == 1.5f, "saxpy's result");

  auto reverse = kr::kernel([](kr::view<int> v) {
    auto tile = kr::shared<int, 64>();
    auto i = kr::thread_idx().x;
    tile[i] = v[i];
    kr::syncthreads();
    v[i] = tile[63 - i];
  });
  std::vector<int> v(64);
  for (int i = 0; i < 64; ++i) v[std::size_t(i)] = i;
  reverse.launch({1, 64}, v);
  expect(v[0] == 63 && v[63] == 0, "a reversal's result through shared memory");

  auto turn = kr::kernel([](kr::view<int> to, kr::value<int> n) {
    auto kept = kr::dynamic_shared<int>(n), doubled = kr::dynamic_shared<int>(n * 2);
    auto i = kr::thread_idx().x;
    kept[i] = to[i], doubled[i + n] = to[i] * 2;
    kr::syncthreads();
    to[i] = kept[n - 1 - i] + doubled[n + i];
  });
  turn.launch({1, 64}, v, 64);
  expect(v[0] == 126 && v[63] == 63, "a result through shared memory that is sized at launch");

  auto wave = kr::vectorize([](auto a) { return kr::sqrt(a * a + 1); });
  const kr::array<float> device = kr::to_device(x);
  const std::vector<float> z = wave(device).to_host();
  expect(z.size() == 10'000 && z[1] == z[9'998] && z[1] > 1.80f && z[1] < 1.81f,
         "an element-wise function's result on an array");
  auto number = kr::vectorize([](auto a) { return a + 1; });
  expect(number(41) == 42, "a number's result");
}
constexpr unsigned kernels = 5;

int run_once(bool warm) {
  run_kernels();
  const kr::statistics s = kr::stats();
  std::printf("%s: %llu compiled, %llu from disk\n", warm ? "warm" : "cold",
              static_cast<unsigned long long>(s.compiled()),
              static_cast<unsigned long long>(s.from_disk()));
  expect(s.compiled() == (warm ? 0 : kernels) && s.from_disk() == (warm ? kernels : 0),
         "the cold process compiles, the warm one reads");
  expect(generator_is_loaded() == !warm, "the code generator is loaded by the cold process alone");
  for (const kr::kernel_stats& k : s) {
    expect(k.from_disk == warm && k.launches == 1 && std::strlen(k.hash) == 32,
           "the statistics of a kernel");
    expect((k.passes_ms > 0 && k.codegen_ms > 0) == !warm,
           "a kernel from disk goes through no pass");
  }
  return failures != 0;
}

int run_self(const char* program, const char* how) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execl(program, program, how, static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return run_once(std::strcmp(argv[1], "warm") == 0);
  char folder[] = "/tmp/krait-warm-XXXXXX";
  if (!mkdtemp(folder)) return std::perror("mkdtemp"), 1;
  setenv("KRAIT_CACHE_DIR", folder, 1);
  setenv("KRAIT_CACHE", "rw", 1);
  expect(run_self("/proc/self/exe", "cold") == 0, "the cold process ends well");
  expect(run_self("/proc/self/exe", "warm") == 0, "the warm process ends well");
  setenv("KRAIT_CACHE", "ro", 1);
  expect(run_self("/proc/self/exe", "warm") == 0, "a warm process that may only read ends well");
  std::filesystem::remove_all(folder);
  return failures != 0;
}
