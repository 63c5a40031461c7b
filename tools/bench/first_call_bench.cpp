// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a new kernel costs, from the call to the result, through every stage, the driver's own
// compiler among them:
//   bench_first [cpu|cuda|vulkan] [--json FILE]
// The program runs itself twice on one fresh cache folder: kernels that nobody has seen (cold
// disk), then the same ones in another process (warm disk). Both processes are warm: other kernels
// ran before those that count. On CUDA the same functions through NVRTC stand beside it, kernel by
// kernel, where that library is found. The driver's own cache of compiled PTX is in a fresh folder,
// too.
#include <dlfcn.h>

#include <unistd.h>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include <krait/krait.h>

#include "kernels.h"
#include "measure.h"
#include "sha256.h"

namespace {

namespace kr = krait;
using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}
const Clock::time_point process_start = Clock::now();
double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
}

constexpr int kernels = 11;     // of each workload that count
constexpr int elements = 4096;  // they run on next to nothing

/// Adding a constant of its own makes each a kernel that no cache knows.
float constant_of(unsigned salt, int number) { return float(salt % 65536) + float(number) / 64.0f; }

// --- NVRTC, through tables of our own: the programs are built where there is no CUDA -------------

struct Nvrtc {
  int (*create)(void** program, const char* source, const char* name, int, const char**,
                const char**);
  int (*compile)(void* program, int count, const char** options);
  int (*cubin_size)(void* program, std::size_t*);
  int (*cubin)(void* program, char*);
  int (*destroy)(void** program);
  int (*retain)(void** context, int device);
  int (*set)(void* context);
  int (*module_load)(void** module, const void* image);
  int (*function)(void** function, void* module, const char* name);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**);
  int (*synchronize)();
  std::string architecture;  // --gpu-architecture=sm_90

  /// Says why where it cannot be used.
  bool load(const char* target) {
    void* compiler = nullptr;
    for (const char* name :
         {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"})
      if (!compiler) compiler = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    bool whole = compiler && driver;
    const auto get = [&](void* library, auto& entry, const char* name) {
      if (whole)
        entry = reinterpret_cast<std::decay_t<decltype(entry)>>(dlsym(library, name)),
        whole = entry != nullptr;
    };
    get(compiler, create, "nvrtcCreateProgram"), get(compiler, compile, "nvrtcCompileProgram"),
        get(compiler, cubin_size, "nvrtcGetCUBINSize");
    get(compiler, cubin, "nvrtcGetCUBIN"), get(compiler, destroy, "nvrtcDestroyProgram");
    get(driver, retain, "cuDevicePrimaryCtxRetain"), get(driver, set, "cuCtxSetCurrent"),
        get(driver, module_load, "cuModuleLoadData");
    get(driver, function, "cuModuleGetFunction"), get(driver, launch, "cuLaunchKernel"),
        get(driver, synchronize, "cuCtxSynchronize");
    const char* sm = std::strstr(target, "sm=");
    void* context = nullptr;
    whole = whole && sm && retain(&context, 0) == 0 && set(context) == 0;
    if (whole) architecture = "--gpu-architecture=sm_" + std::to_string(std::atoi(sm + 3));
    else std::printf("not measured, NVRTC: no libnvrtc.so or no CUDA driver\n");
    return whole;
  }
  /// Compiles, loads and runs `k` of the source on pointers and a size. Milliseconds, or 0 where it
  /// failed.
  double run(const std::string& source, std::vector<void*> arguments, unsigned block) const {
    const auto start = Clock::now();
    void *program = nullptr, *module = nullptr, *kernel = nullptr;
    const char* options[] = {architecture.c_str()};
    std::size_t size = 0;
    if (create(&program, source.c_str(), "k.cu", 0, nullptr, nullptr) ||
        compile(program, 1, options) || cubin_size(program, &size))
      return 0;
    std::string image(size, '\0');
    if (cubin(program, image.data()) || module_load(&module, image.data()) ||
        function(&kernel, module, "k"))
      return 0;
    if (launch(kernel, elements / (block == 1024 ? 2048 : block), 1, 1, block, 1, 1, 0, nullptr,
               arguments.data(), nullptr) ||
        synchronize())
      return 0;
    const double ms = ms_since(start);
    destroy(&program);
    return ms;
  }
};

// --- the workloads, as kernels and as sources for NVRTC ------------------------------------------

struct Arrays {
  kr::array<float> x, y, z;
  kr::array<std::uint32_t, 2> messages, digests;
};

struct Workload {
  const char* name;
  /// Calls a kernel that has `constant` in it.
  void (*run)(Arrays&, float constant);
  /// The same for NVRTC: what stands before the kernel, its parameters behind n, its body; C stands
  /// for the constant.
  const char *functions, *parameters, *body;
  bool of_words;  // messages and digests instead of x, y, z
  unsigned block;
};

/// A message of 16 words a thread. The rounds are C++ loops, so that all of them are recorded one
/// after another.
void run_sha(Arrays& a, float constant) {
  const auto own = std::uint32_t(constant * 64);
  const auto kernel = kr::kernel(
      [own](kr::view<const std::uint32_t, 2> messages, kr::view<std::uint32_t, 2> digests) {
        auto i = kr::grid();
        kr::if_(i < messages.extent(0), [&] {
          std::vector<kr::value<std::uint32_t>> w;
          for (int t = 0; t < 16; ++t) w.push_back(messages(i, t) + own);
          for (std::size_t t = 16; t < 64; ++t) {
            auto early = w[t - 15], late = w[t - 2];
            w.push_back(w[t - 16] + (kr::rotr(early, 7) ^ kr::rotr(early, 18) ^ (early >> 3)) +
                        w[t - 7] + (kr::rotr(late, 17) ^ kr::rotr(late, 19) ^ (late >> 10)));
          }
          constexpr auto& start = sha256::start;
          kr::var a = start[0], b = start[1], c = start[2], d = start[3], e = start[4],
                  f = start[5], g = start[6], h = start[7];
          for (std::size_t t = 0; t < 64; ++t) {
            auto first = h + (kr::rotr(e, 6) ^ kr::rotr(e, 11) ^ kr::rotr(e, 25)) +
                         ((e & f) ^ (~e & g)) + sha256::rounds[t] + w[t];
            auto second = (kr::rotr(a, 2) ^ kr::rotr(a, 13) ^ kr::rotr(a, 22)) +
                          ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
          }
          const kr::value<std::uint32_t> state[] = {a, b, c, d, e, f, g, h};
          for (int k = 0; k < 8; ++k) digests(i, k) = start[k] + state[k];
        });
      },
      {.name = "sha256"});
  kernel.forall(elements)(a.messages, a.digests);
}

/// 2,048 keys a block of 1,024. All 66 steps are recorded one after another.
void run_sort(Arrays& a, float constant) {
  const auto kernel = kr::kernel(
      [constant](kr::view<const float> in, kr::view<float> out) {
        constexpr int keys = 2048;
        auto own = kr::shared<float, keys>();
        auto t = kr::cast<int>(kr::thread_idx().x), start = kr::cast<int>(kr::block_idx().x) * keys;
        own[t] = in[start + t] + constant, own[t + keys / 2] = in[start + t + keys / 2] + constant;
        for (int size = 2; size <= keys; size *= 2)
          for (int distance = size / 2; distance > 0; distance /= 2) {
            kr::syncthreads();
            auto i = 2 * t - (t & (distance - 1));
            kr::value<float> x = own[i], y = own[i + distance];
            kr::if_((x > y) == ((i & size) == 0), [&] { own[i] = y, own[i + distance] = x; });
          }
        kr::syncthreads();
        out[start + t] = own[t], out[start + t + keys / 2] = own[t + keys / 2];
      },
      {.name = "bitonic"});
  kernel.launch({elements / 2048, 1024}, a.x, a.z);
}

const Workload workloads[] = {
    {"saxpy",
     [](Arrays& a, float constant) {
       kr::vectorize(
           [constant](auto s, auto x, auto y) { return bench::saxpy(s, x, y) + constant; },
           {.name = "saxpy"})
           .into(a.z)(0.5f, a.x, a.y);
     },
     "", "float a, const float* x, const float* y, float* z",
     "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) z[i] = a * x[i] + y[i] + C;\n",
     false, 256},
    {"Black-Scholes",
     [](Arrays& a, float constant) {
       kr::vectorize(
           [constant](auto t, auto s, auto k) { return bench::black_scholes(s, k, t) + constant; },
           {.name = "black_scholes"})
           .into(a.z)(0.5f, a.x, a.y);
     },
     "", "float a, const float* x, const float* y, float* z",
     "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= n) return;\n"
     "float s = x[i], k = y[i], t = a, v = 0.3f, r = 0.02f, q = sqrtf(t);\n"
     "float d1 = (logf(s / k) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;\n"
     "z[i] = s * 0.5f * erfcf(-d1 * 0.70710678f) - k * expf(-r * t) * 0.5f * erfcf(-d2 * 0.70710678f) + C;\n",
     false, 256},
    {"SHA-256", run_sha,
     "__device__ unsigned rotr(unsigned x, int by) { return __funnelshift_r(x, x, by); }\n",
     "const unsigned* in, unsigned* out",
     "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i >= n) return;\nunsigned w[64];\n"
     "for (int t = 0; t < 16; t++) w[t] = in[16 * i + t] + unsigned(C * 64);\n#pragma unroll\nfor (int t = 16; t < 64; t++)\n"
     "  w[t] = w[t - 16] + (rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 7] + (rotr(w[t - 2], 17) ^ "
     "rotr(w[t - 2], 19) ^ w[t - 2] >> 10);\n"
     "const unsigned start[] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, "
     "0x5be0cd19};\n"
     "unsigned a = start[0], b = start[1], c = start[2], d = start[3], e = start[4], f = start[5], g = start[6], h = "
     "start[7];\n#pragma unroll\n"
     "for (int t = 0; t < 64; t++) {\n"
     "  unsigned first = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + constants[t] + w[t];\n"
     "  unsigned second = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));\n"
     "  h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;\n}\n"
     "const unsigned state[] = {a, b, c, d, e, f, g, h};\nfor (int k = 0; k < 8; k++) out[8 * i + k] = start[k] + state[k];\n",
     true, 256},
    {"bitonic sort of 2,048", run_sort, "", "const float* in, const float*, float* out",
     "__shared__ float own[2048];\nint t = threadIdx.x, start = blockIdx.x * 2048;\n"
     "own[t] = in[start + t] + C, own[t + 1024] = in[start + t + 1024] + C;\n"
     "#pragma unroll\nfor (int size = 2; size <= 2048; size *= 2)\n#pragma unroll\n  for (int distance = size / 2; distance > 0; "
     "distance /= 2) {\n"
     "    __syncthreads();\n    int i = 2 * t - (t & (distance - 1));\n    float x = own[i], y = own[i + distance];\n"
     "    if ((x > y) == ((i & size) == 0)) own[i] = y, own[i + distance] = x;\n  }\n"
     "__syncthreads();\nout[start + t] = own[t], out[start + t + 1024] = own[t + 1024];\n",
     false, 1024}};

std::string cuda_source(const Workload& w, float constant) {
  std::string body = w.body, table = "__constant__ unsigned constants[64] = {";
  for (std::uint32_t c : sha256::rounds) table += std::to_string(c) + "u, ";
  for (std::size_t at;
       (at = body.find(" C")) != std::string::npos || (at = body.find("(C")) != std::string::npos;)
    body.replace(at + 1, 1, std::to_string(constant) + "f");
  return (w.of_words ? table + "};\n" : "") + w.functions + "extern \"C\" __global__ void k(" +
         w.parameters + ", int n) {\n" + body + "}\n";
}

// --- one process ---------------------------------------------------------------------------------

enum Stage { Record, Passes, Codegen, Load, Rest, All, Processor, Stages };
constexpr const char* stage_names[Stages] = {"record",
                                             "passes",
                                             "code generation",
                                             "load (driver's compiler)",
                                             "launch (Vulkan: with the pipeline)",
                                             "all",
                                             "processor time of all threads"};
using Times = std::array<double, Stages>;

Times run_new(const kr::device& on, Arrays& a, const Workload& w, float constant) {
  Times t{};
  const auto start = Clock::now();
  const double processor = processor_ms();
  w.run(a, constant);
  on.synchronize();
  t[All] = ms_since(start), t[Processor] = processor_ms() - processor;
  const kr::statistics all = kr::stats();
  const kr::kernel_stats& own = all[all.size() - 1];
  t[Record] = own.record_ms, t[Passes] = own.passes_ms, t[Codegen] = own.codegen_ms,
  t[Load] = own.load_ms;
  t[Rest] = t[All] - t[Record] - t[Passes] - t[Codegen] - t[Load];
  return t;
}

/// Lines that begin with '=' are for the parent: workload|candidate|ms.
void run_phase(const kr::device& on, bool cold, unsigned salt) {
  const std::vector<float> host(elements, 1.5f);
  Arrays a{kr::to_device(host, on), kr::to_device(host, on), kr::to_device(host, on),
           kr::array<std::uint32_t, 2>({elements, 16}, on),
           kr::array<std::uint32_t, 2>({elements, 8}, on)};
  a.messages.copy_from(std::vector<std::uint32_t>(elements * 16, 7));
  const char* const disk = cold ? "cold disk" : "warm disk";
  const bool cuda = std::strncmp(on.id(), "cuda", 4) == 0, cpu = std::strcmp(on.id(), "cpu") == 0;
  run_new(on, a, workloads[0], constant_of(salt, -1));
  std::printf("%s: the first kernel's result %.1f ms after the process began\n", disk,
              ms_since(process_start));
  for (const Workload& workload : workloads) {
    run_new(on, a, workload, constant_of(salt, -2));
    std::vector<double> by_stage[Stages], theirs;
    Nvrtc nvrtc;
    const bool with_nvrtc = cold && cuda && nvrtc.load(on.target());
    const std::string name =
        std::string(cpu ? "new kernel on the CPU, " : "new kernel, ") + workload.name;
    float scale = 0.5f;
    int n = elements;
    std::uint64_t x = a.x.address(), y = a.y.address(), z = a.z.address(),
                  messages = a.messages.address(), digests = a.digests.address();
    std::vector<void*> arguments{&x, &y, &z, &n};
    if (workload.of_words) arguments = {&messages, &digests, &n};
    else if (workload.block == 256) arguments.insert(arguments.begin(), &scale);
    if (with_nvrtc)
      std::printf(
          "NVRTC, first of the process: %.2f ms\n",
          nvrtc.run(cuda_source(workload, constant_of(salt, -1)), arguments, workload.block));
    for (int i = 0; i < kernels; ++i) {
      const Times t = run_new(on, a, workload, constant_of(salt, i));
      for (int s = 0; s < Stages; ++s) by_stage[s].push_back(t[std::size_t(s)]);
      if (with_nvrtc)
        theirs.push_back(
            nvrtc.run(cuda_source(workload, constant_of(salt, i)), arguments, workload.block));
    }
    std::printf("| %s, %s |", name.c_str(), disk);
    for (int s = 0; s < Stages; ++s)
      std::printf(" %s %.3f |", stage_names[s], bench::median(by_stage[s]));
    std::printf(" ms\n");
    if (with_nvrtc)
      std::printf("| %s, NVRTC | all %.3f | ms\n", name.c_str(), bench::median(theirs));
    if (with_nvrtc) std::printf("=%s|NVRTC|%.5f\n", name.c_str(), bench::median(theirs));
    std::printf("=%s|Krait%s, %s|%.5f\n", name.c_str(), cuda || cpu ? "" : " Vulkan", disk,
                bench::median(by_stage[All]));
  }
  kr::wait_for_compilations();  // what the other process finds
  const kr::statistics sums = kr::stats();
  std::printf("%s: %llu kernels compiled, %llu from disk\n", disk,
              static_cast<unsigned long long>(sums.compiled()),
              static_cast<unsigned long long>(sums.from_disk()));
}

// --- the program that runs itself ----------------------------------------------------------------

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
    auto row = std::find_if(rows.begin(), rows.end(),
                            [&](const bench::Row& r) { return r.workload == workload; });
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
    if (!std::strcmp(argv[i], "--phase") && i + 2 < argc)
      phase = argv[i + 1], salt = unsigned(std::strtoul(argv[i + 2], nullptr, 10)), i += 2;
    else if (!std::strcmp(argv[i], "--json") && i + 1 < argc) json = argv[++i];
    else back_end = argv[i];
  }
  if (!phase.empty())
    return run_phase(kr::device::find(back_end.c_str()), phase == "cold", salt), 0;

  std::string folder = (std::filesystem::temp_directory_path() / "krait-bench-XXXXXX").string();
  if (!mkdtemp(folder.data())) return std::perror("bench_first"), 1;
  setenv("KRAIT_CACHE_DIR", folder.c_str(), 1), setenv("KRAIT_CACHE", "rw", 1);
  setenv("CUDA_CACHE_PATH", (folder + "/driver").c_str(), 1);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<bench::Row> rows;
  bool right = true;
  for (const char* which : {"cold", "warm"}) {
    std::fflush(stdout);
    right = collect("'" + self + "' " + back_end + " --phase " + which + " " + std::to_string(salt),
                    rows) &&
            right;
  }
  std::filesystem::remove_all(folder);
  if (!json.empty()) bench::write_json(json, rows, kr::device::find(back_end.c_str()).name());
  return right ? 0 : 1;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
