// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a new kernel costs, from the call to the result, through every stage, the driver's own compiler among them:
//   bench_first [cpu|cuda|vulkan] [--json FILE]
// The program runs itself twice on one fresh cache folder: kernels that nobody has seen (cold disk), then the same ones in another
// process (warm disk). Both processes are warm: other kernels ran before those that count. On CUDA the same functions through NVRTC
// stand beside it, kernel by kernel, where that library is found. The driver's own cache of compiled PTX is in a fresh folder, too.
#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include <krait/krait.h>

#include "kernels.h"
#include "measure.h"

namespace {

namespace kr = krait;
using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }
const Clock::time_point process_start = Clock::now();

constexpr int kernels = 11;     // of each workload that count
constexpr int elements = 4096;  // they run on next to nothing
constexpr const char* names[] = {"saxpy", "Black-Scholes"};

/// Adding a constant of its own makes each a kernel that no cache knows.
float constant_of(unsigned salt, int number) { return float(salt % 65536) + float(number) / 64.0f; }

// --- NVRTC, through tables of our own: the programs are built where there is no CUDA --------------------------------------------

struct Nvrtc {
  int (*create)(void** program, const char* source, const char* name, int, const char**, const char**);
  int (*compile)(void* program, int count, const char** options);
  int (*cubin_size)(void* program, std::size_t*);
  int (*cubin)(void* program, char*);
  int (*destroy)(void** program);
  int (*retain)(void** context, int device);
  int (*set)(void* context);
  int (*module_load)(void** module, const void* image);
  int (*function)(void** function, void* module, const char* name);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  int (*synchronize)();
  std::string architecture;  // --gpu-architecture=sm_90

  /// Says why where it cannot be used.
  bool load(const char* target) {
    void* compiler = nullptr;
    for (const char* name : {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"})
      if (!compiler) compiler = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    bool whole = compiler && driver;
    const auto get = [&](void* library, auto& entry, const char* name) {
      if (whole) entry = reinterpret_cast<std::decay_t<decltype(entry)>>(dlsym(library, name)), whole = entry != nullptr;
    };
    get(compiler, create, "nvrtcCreateProgram"), get(compiler, compile, "nvrtcCompileProgram"), get(compiler, cubin_size, "nvrtcGetCUBINSize");
    get(compiler, cubin, "nvrtcGetCUBIN"), get(compiler, destroy, "nvrtcDestroyProgram");
    get(driver, retain, "cuDevicePrimaryCtxRetain"), get(driver, set, "cuCtxSetCurrent"), get(driver, module_load, "cuModuleLoadData");
    get(driver, function, "cuModuleGetFunction"), get(driver, launch, "cuLaunchKernel"), get(driver, synchronize, "cuCtxSynchronize");
    const char* sm = std::strstr(target, "sm=");
    void* context = nullptr;
    whole = whole && sm && retain(&context, 0) == 0 && set(context) == 0;
    if (whole) architecture = "--gpu-architecture=sm_" + std::to_string(std::atoi(sm + 3));
    else std::printf("not measured, NVRTC: no libnvrtc.so or no CUDA driver\n");
    return whole;
  }
  /// Compiles, loads and runs `k` of the source on pointers and a size. Milliseconds, or 0 where it failed.
  double run(const std::string& source, std::vector<void*> arguments) const {
    const auto start = Clock::now();
    void *program = nullptr, *module = nullptr, *kernel = nullptr;
    const char* options[] = {architecture.c_str()};
    std::size_t size = 0;
    if (create(&program, source.c_str(), "k.cu", 0, nullptr, nullptr) || compile(program, 1, options) || cubin_size(program, &size)) return 0;
    std::string image(size, '\0');
    if (cubin(program, image.data()) || module_load(&module, image.data()) || function(&kernel, module, "k")) return 0;
    if (launch(kernel, elements / 256, 1, 1, 256, 1, 1, 0, nullptr, arguments.data(), nullptr) || synchronize()) return 0;
    const double ms = ms_since(start);
    destroy(&program);
    return ms;
  }
};

std::string cuda_source(int workload, float constant) {
  const std::string c = std::to_string(constant) + "f";
  if (workload == 0)
    return "extern \"C\" __global__ void k(float a, const float* x, const float* y, float* z, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) z[i] = a * x[i] + y[i] + " + c + ";\n}\n";
  return "extern \"C\" __global__ void k(float a, const float* x, const float* y, float* z, int n) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
         "  float s = x[i], k = y[i], t = a, v = 0.3f, r = 0.02f, q = sqrtf(t);\n"
         "  float d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;\n"
         "  z[i] = s * 0.5f * erfcf(-d1 * 0.70710678f) - k * expf(-r * t) * 0.5f * erfcf(-d2 * 0.70710678f) + " + c + ";\n}\n";
}

// --- one process ---------------------------------------------------------------------------------------------------------------

enum Stage { Record, Passes, Codegen, Load, Rest, All, Stages };
constexpr const char* stage_names[Stages] = {"record", "passes", "code generation", "load (driver's compiler)", "launch (Vulkan: with the pipeline)", "all"};
using Times = std::array<double, Stages>;

struct Arrays {
  kr::array<float> x, y, z;
};

Times run_new(const kr::device& on, Arrays& a, int workload, float constant) {
  Times t{};
  const auto timed = [&](auto f) {
    const auto start = Clock::now();
    f.into(a.z)(0.5f, a.x, a.y);
    on.synchronize();
    t[All] = ms_since(start);
    const kr::statistics all = kr::stats();
    const kr::kernel_stats& own = all[all.size() - 1];
    t[Record] = own.record_ms, t[Passes] = own.passes_ms, t[Codegen] = own.codegen_ms, t[Load] = own.load_ms;
    t[Rest] = t[All] - t[Record] - t[Passes] - t[Codegen] - t[Load];
  };
  if (workload == 0) timed(kr::vectorize([constant](auto s, auto x, auto y) { return bench::saxpy(s, x, y) + constant; }, {.name = "saxpy"}));
  else timed(kr::vectorize([constant](auto t, auto s, auto k) { return bench::black_scholes(s, k, t) + constant; }, {.name = "black_scholes"}));
  return t;
}

/// Lines that begin with '=' are for the parent: workload|candidate|ms.
void run_phase(const kr::device& on, bool cold, unsigned salt) {
  const std::vector<float> host(elements, 1.5f);
  Arrays a{kr::to_device(host, on), kr::to_device(host, on), kr::to_device(host, on)};
  const char* const disk = cold ? "cold disk" : "warm disk";
  const bool cuda = std::strncmp(on.id(), "cuda", 4) == 0, cpu = std::strcmp(on.id(), "cpu") == 0;
  run_new(on, a, 0, constant_of(salt, -1));
  std::printf("%s: the first kernel's result %.1f ms after the process began\n", disk, ms_since(process_start));
  for (int workload = 0; workload < 2; ++workload) {
    run_new(on, a, workload, constant_of(salt, -2));
    std::vector<double> by_stage[Stages], theirs;
    Nvrtc nvrtc;
    const bool with_nvrtc = cold && cuda && nvrtc.load(on.target());
    const std::string name = std::string(cpu ? "new kernel on the CPU, " : "new kernel, ") + names[workload];
    float scale = 0.5f;
    int n = elements;
    std::uint64_t x = a.x.address(), y = a.y.address(), z = a.z.address();
    const std::vector<void*> arguments{&scale, &x, &y, &z, &n};
    if (with_nvrtc) std::printf("NVRTC, first of the process: %.2f ms\n", nvrtc.run(cuda_source(workload, constant_of(salt, -1)), arguments));
    for (int i = 0; i < kernels; ++i) {
      const Times t = run_new(on, a, workload, constant_of(salt, i));
      for (int s = 0; s < Stages; ++s) by_stage[s].push_back(t[std::size_t(s)]);
      if (with_nvrtc) theirs.push_back(nvrtc.run(cuda_source(workload, constant_of(salt, i)), arguments));
    }
    std::printf("| %s, %s |", name.c_str(), disk);
    for (int s = 0; s < Stages; ++s) std::printf(" %s %.3f |", stage_names[s], bench::median(by_stage[s]));
    std::printf(" ms\n");
    if (with_nvrtc) std::printf("=%s|NVRTC|%.5f\n", name.c_str(), bench::median(theirs));
    std::printf("=%s|Krait%s, %s|%.5f\n", name.c_str(), cuda || cpu ? "" : " Vulkan", disk, bench::median(by_stage[All]));
  }
  kr::wait_for_compilations();  // what the other process finds
  const kr::statistics sums = kr::stats();
  std::printf("%s: %llu kernels compiled, %llu from disk\n", disk, static_cast<unsigned long long>(sums.compiled()),
              static_cast<unsigned long long>(sums.from_disk()));
}

// --- the program that runs itself ----------------------------------------------------------------------------------------------

/// Passes on what a phase prints and collects its figures. False where it failed.
bool collect(const std::string& command, std::vector<bench::Row>& rows) {
  std::FILE* lines = popen(command.c_str(), "r");
  if (!lines) return false;
  char line[1024];
  while (std::fgets(line, sizeof line, lines)) {
    if (line[0] != '=') {
      std::fputs(line, stdout);
      continue;
    }
    const std::string text(line + 1, std::strcspn(line + 1, "\n"));
    const std::size_t name = text.find('|') + 1, number = text.rfind('|') + 1;
    const std::string workload = text.substr(0, name - 1);
    auto row = std::find_if(rows.begin(), rows.end(), [&](const bench::Row& r) { return r.workload == workload; });
    if (row == rows.end()) row = rows.insert(rows.end(), {workload, {}});
    bench::Candidate& c = row->candidates.emplace_back();
    c.name = text.substr(name, number - 1 - name), c.ms = std::atof(text.c_str() + number);
    c.ratios.push_back(c.ms > 0 ? row->candidates[0].ms / c.ms : 0);
  }
  return pclose(lines) == 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::string back_end = "cpu", phase, json;
  unsigned salt = unsigned(std::chrono::system_clock::now().time_since_epoch().count());
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--phase") && i + 2 < argc) phase = argv[i + 1], salt = unsigned(std::strtoul(argv[i + 2], nullptr, 10)), i += 2;
    else if (!std::strcmp(argv[i], "--json") && i + 1 < argc) json = argv[++i];
    else back_end = argv[i];
  }
  if (!phase.empty()) return run_phase(kr::device::find(back_end.c_str()), phase == "cold", salt), 0;

  std::string folder = (std::filesystem::temp_directory_path() / "krait-bench-XXXXXX").string();
  if (!mkdtemp(folder.data())) return std::perror("bench_first"), 1;
  setenv("KRAIT_CACHE_DIR", folder.c_str(), 1), setenv("KRAIT_CACHE", "rw", 1);
  setenv("CUDA_CACHE_PATH", (folder + "/driver").c_str(), 1);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<bench::Row> rows;
  bool right = true;
  for (const char* which : {"cold", "warm"}) {
    std::fflush(stdout);
    right = collect("'" + self + "' " + back_end + " --phase " + which + " " + std::to_string(salt), rows) && right;
  }
  std::filesystem::remove_all(folder);
  if (!json.empty()) bench::write_json(json, rows, kr::device::find(back_end.c_str()).name());
  return right ? 0 : 1;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
