// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OpenCL table: Krait on an OpenCL device beside OpenCL C written by hand on the same driver,
// and beside Krait's CPU back end, in interleaved rounds. Native mode, and fast mode beside
// -cl-fast-relaxed-math.
//   bench_opencl [--quick] [--cpu-time] [--json FILE] [--only TEXT]     TEXT: a part of the workloads' names
// --cpu-time: what all threads compute instead of the time that passes, for a driver on a processor
// that others use as well. The base of the ratios is OpenCL C in blocks of 256 threads: above 1, a
// candidate is faster than it. Another candidate is the same text with the block that the driver
// chooses, and one with -cl-fast-relaxed-math.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels.h"
#include "measure.h"

using namespace bench;

namespace {

constexpr const char* source = R"(
kernel void saxpy(float a, global const float* x, global const float* y, global float* z) {
  size_t i = get_global_id(0);
  z[i] = a * x[i] + y[i];
}
kernel void black_scholes(global const float* s, global const float* k, global const float* t, global float* out) {
  size_t i = get_global_id(0);
  const float v = 0.3f, r = 0.02f;
  float q = sqrt(t[i]);
  float d1 = (log(s[i] / k[i]) + (r + 0.5f * v * v) * t[i]) / (v * q), d2 = d1 - v * q;
  out[i] = s[i] * 0.5f * erfc(-d1 * 0.70710678f) - k[i] * exp(-r * t[i]) * 0.5f * erfc(-d2 * 0.70710678f);
}
kernel void mandelbrot(global int* out, int side, int limit) {
  int x = get_global_id(0), y = get_global_id(1);
  float cr = -2.0f + 3.0f * (float)x / (float)side, ci = -1.5f + 3.0f * (float)y / (float)side, zr = 0.0f, zi = 0.0f;
  int k = 0;
  while (k < limit && zr * zr + zi * zi < 4.0f) {
    float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = next;
    k += 1;
  }
  out[y * side + x] = k;
}
kernel void nbody(global const float* x, global const float* y, global const float* z, global float* force, int n) {
  int i = get_global_id(0);
  float xi = x[i], yi = y[i], zi = z[i], ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int j = 0; j < n; ++j) {
    float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
    float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 1e-6f);
    float s = inverse * inverse * inverse;
    ax += dx * s, ay += dy * s, az += dz * s;
  }
  force[i] = ax + ay + az;
}
)";

struct Failure {
  std::string what;
};
void check(cl_int result, const char* call) {
  if (result != CL_SUCCESS) throw Failure{std::string(call) + ": error " + std::to_string(result)};
}

struct Functions {
// clang-format off
#define FUNCTIONS(F)                                                                                                                       \
  F(clGetPlatformIDs) F(clGetPlatformInfo) F(clGetDeviceIDs) F(clGetDeviceInfo) F(clCreateContext) F(clCreateCommandQueue) F(clCreateBuffer) \
  F(clCreateProgramWithSource) F(clBuildProgram) F(clCreateKernel) F(clSetKernelArg) F(clEnqueueNDRangeKernel) F(clEnqueueReadBuffer) F(clFinish)
// clang-format on
#define DECLARE(name) decltype(&::name) name = nullptr;
  FUNCTIONS(DECLARE)
  Functions() {
    void* const loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loader) throw Failure{"no OpenCL loader"};
#define FIND(name) name = reinterpret_cast<decltype(&::name)>(dlsym(loader, #name));
    FUNCTIONS(FIND)
  }
};

/// OpenCL C on the device that Krait uses, which its name says.
class Peer {
 public:
  explicit Peer(const std::string& name) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(cl_.clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint p = 0; p < std::min(count, 16u) && !device_; ++p) {
      cl_device_id devices[16];
      cl_uint there = 0;
      if (cl_.clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &there) != CL_SUCCESS)
        continue;
      for (cl_uint d = 0; d < std::min(there, 16u) && !device_; ++d) {
        char text[256] = "", of[256] = "";
        cl_.clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof text, text, nullptr),
            cl_.clGetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof of, of, nullptr);
        if (name == std::string(text) + " (" + of + ")") device_ = devices[d];
      }
    }
    if (!device_) throw Failure{"no device of the name " + name};
    cl_int result = CL_SUCCESS;
    context_ = cl_.clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &result);
    check(result, "clCreateContext");
    queue_ = cl_.clCreateCommandQueue(context_, device_, 0, &result);
    check(result, "clCreateCommandQueue");
  }
  cl_program build(const char* options) {
    cl_int result = CL_SUCCESS;
    const char* text = source;
    cl_program program = cl_.clCreateProgramWithSource(context_, 1, &text, nullptr, &result);
    check(result, "clCreateProgramWithSource");
    check(cl_.clBuildProgram(program, 1, &device_, options, nullptr, nullptr), "clBuildProgram");
    return program;
  }
  cl_mem buffer(std::size_t bytes, const void* from = nullptr) {
    cl_int result = CL_SUCCESS;
    cl_mem memory =
        cl_.clCreateBuffer(context_, CL_MEM_READ_WRITE | (from ? CL_MEM_COPY_HOST_PTR : 0), bytes,
                           const_cast<void*>(from), &result);
    check(result, "clCreateBuffer");
    return memory;
  }
  template <class... Arguments>
  std::function<void()> kernel(cl_program program, const char* name,
                               std::vector<std::size_t> global, std::vector<std::size_t> local,
                               Arguments... arguments) {
    cl_int result = CL_SUCCESS;
    cl_kernel made = cl_.clCreateKernel(program, name, &result);
    check(result, "clCreateKernel");
    cl_uint next = 0;
    (check(cl_.clSetKernelArg(made, next++, sizeof arguments, &arguments), "clSetKernelArg"), ...);
    return [this, made, global, local] {
      check(cl_.clEnqueueNDRangeKernel(queue_, made, cl_uint(global.size()), nullptr, global.data(),
                                       local.empty() ? nullptr : local.data(), 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
      check(cl_.clFinish(queue_), "clFinish");
    };
  }
  template <class T>
  std::vector<T> read(cl_mem from, std::size_t n) {
    std::vector<T> to(n);
    check(cl_.clEnqueueReadBuffer(queue_, from, CL_TRUE, 0, n * sizeof(T), to.data(), 0, nullptr,
                                  nullptr),
          "clEnqueueReadBuffer");
    return to;
  }

 private:
  Functions cl_;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

template <class T>
void same(const std::string& what, const std::vector<T>& ours, const std::vector<T>& theirs) {
  double difference = 0, all = 0;
  for (std::size_t i = 0; i < ours.size(); ++i)
    difference += std::fabs(double(ours[i]) - double(theirs[i])),
        all += std::fabs(double(theirs[i]));
  if (!(difference <= 1e-3 * all) || all == 0) throw Failure{what + ": the results differ"};
}

struct Suite {
  Peer& peer;
  cl_program plain, fast;
  int rounds;
  double sample_ms;
  Clock clock;
  std::string only;
  std::vector<Row> rows;

  /// `ours(device, mode)` is a run on it and its result.
  template <class T, class... Arguments>
  void add(const std::string& workload, const char* name, std::vector<std::size_t> global,
           std::vector<std::size_t> local, cl_mem out, std::size_t n,
           const std::function<std::pair<std::function<void()>, std::function<std::vector<T>()>>(
               kr::device, kr::fp)>& ours,
           Arguments... arguments) {
    if (workload.find(only) == std::string::npos) return;
    Row row{workload, {}};
    row.candidates.push_back(
        {"OpenCL C", peer.kernel(plain, name, global, local, arguments...), 0, 0, {}});
    row.candidates.push_back(
        {"OpenCL C, driver's block", peer.kernel(plain, name, global, {}, arguments...), 0, 0, {}});
    row.candidates.push_back(
        {"OpenCL C relaxed", peer.kernel(fast, name, global, local, arguments...), 0, 0, {}});
    const kr::device opencl = kr::device::find("opencl"), cpu = kr::device::cpu();
    struct Ours {
      const char* name;
      kr::device on;
      kr::fp mode;
    };
    for (const Ours& o : {Ours{"Krait, OpenCL", opencl, kr::fp::native},
                          Ours{"Krait, OpenCL, fast mode", opencl, kr::fp::fast},
                          Ours{"Krait, CPU", cpu, kr::fp::native}}) {
      auto [run, result] = ours(o.on, o.mode);
      row.candidates[0].run(), run();
      same(workload + ", " + o.name, result(), peer.read<T>(out, n));
      row.candidates.push_back({o.name, run, 0, 0, {}});
    }
    measure(row, rounds, sample_ms, clock);
    print(row);
    rows.push_back(std::move(row));
  }
};

}  // namespace

int main(int argc, char** argv) try {
  bool quick = false;
  Clock clock = Clock::Wall;
  std::string json, only;
  for (int i = 1; i < argc; ++i) {
    quick = quick || !std::strcmp(argv[i], "--quick");
    if (!std::strcmp(argv[i], "--cpu-time")) clock = Clock::Processor;
    if (!std::strcmp(argv[i], "--json") && i + 1 < argc) json = argv[++i];
    else if (!std::strcmp(argv[i], "--only") && i + 1 < argc) only = argv[++i];
  }
  const kr::device opencl = kr::device::find("opencl");
  std::printf("%s\n", opencl.name());
  Peer peer{std::string(opencl.name())};
  Suite suite{peer,
              peer.build(""),
              peer.build("-cl-fast-relaxed-math"),
              quick ? 3 : 9,
              quick ? 50. : 200.,
              clock,
              only,
              {}};

  const long n = 1 << 22;
  std::vector<float> hx(n), hy(n), spot(n), strike(n), years(n);
  for (long i = 0; i < n; ++i) {
    hx[i] = 0.1f + float(std::uint32_t(i) * 2654435761u >> 8) * (1.f / 16777216),
    hy[i] = 0.1f + float(std::uint32_t(i) * 40503u & 0xffff) / 65536.f;
    spot[i] = hx[i] * 90 + 10, strike[i] = hy[i] * 90 + 10, years[i] = hx[i] + 0.1f;
  }
  const auto of = [&](const std::vector<float>& v) { return peer.buffer(v.size() * 4, v.data()); };
  const cl_mem px = of(hx), py = of(hy), ps = of(spot), pk = of(strike), pt = of(years),
               pz = peer.buffer(n * 4);
  using Floats = std::pair<std::function<void()>, std::function<std::vector<float>()>>;
  const auto element_wise = [&](auto make, auto call) {
    return [=, &hx](kr::device d, kr::fp mode) -> Floats {
      auto f = std::make_shared<decltype(make(mode))>(make(mode));
      auto z = std::make_shared<kr::array<float>>(kr::shape<1>(std::int64_t(hx.size())), d);
      return {[=, run = call(d)] { run(*f, *z), d.synchronize(); }, [=] { return z->to_host(); }};
    };
  };
  const std::size_t all = std::size_t(n);
  suite.add<float>(
      "saxpy 2^22", "saxpy", {all}, {256}, pz, all,
      element_wise(make_saxpy,
                   [&](kr::device d) {
                     return [x = std::make_shared<kr::array<float>>(kr::to_device(hx, d)),
                             y = std::make_shared<kr::array<float>>(kr::to_device(hy, d))](
                                auto& f, auto& z) { f.into(z)(2.f, *x, *y); };
                   }),
      2.f, px, py, pz);
  suite.add<float>(
      "Black-Scholes 2^22", "black_scholes", {all}, {256}, pz, all,
      element_wise(make_black_scholes,
                   [&](kr::device d) {
                     return [s = std::make_shared<kr::array<float>>(kr::to_device(spot, d)),
                             k = std::make_shared<kr::array<float>>(kr::to_device(strike, d)),
                             t = std::make_shared<kr::array<float>>(kr::to_device(years, d))](
                                auto& f, auto& z) { f.into(z)(*s, *k, *t); };
                   }),
      ps, pk, pt, pz);

  const int side = 1024, limit = 256, bodies = 4096;
  const cl_mem counts = peer.buffer(std::size_t(side) * side * 4);
  suite.add<int>(
      "mandelbrot 1024^2", "mandelbrot", {side, side}, {32, 8}, counts, std::size_t(side) * side,
      [&](kr::device d,
          kr::fp mode) -> std::pair<std::function<void()>, std::function<std::vector<int>()>> {
        auto f = std::make_shared<decltype(make_mandelbrot(mode))>(make_mandelbrot(mode));
        auto out = std::make_shared<kr::array<int, 2>>(kr::shape<2>(side, side), d);
        return {[=] {
                  f->launch({{side / 32, side / 8}, {32, 8}}, *out, limit), d.synchronize();
                },
                [=] { return out->to_host(); }};
      },
      counts, side, limit);
  const cl_mem force = peer.buffer(bodies * 4);
  suite.add<float>(
      "n-body 4096", "nbody", {bodies}, {256}, force, bodies,
      [&](kr::device d, kr::fp mode) -> Floats {
        const auto head = [&](const std::vector<float>& v) {
          return std::make_shared<kr::array<float>>(
              kr::to_device(std::vector<float>(v.begin(), v.begin() + bodies), d));
        };
        auto f = std::make_shared<decltype(make_nbody(mode))>(make_nbody(mode));
        auto out = std::make_shared<kr::array<float>>(kr::shape<1>(bodies), d);
        return {[=, x = head(hx), y = head(hy), z = head(spot)] {
                  f->forall(bodies)(*x, *y, *z, *out), d.synchronize();
                },
                [=] { return out->to_host(); }};
      },
      px, py, ps, force, bodies);
  if (!json.empty()) write_json(json, suite.rows, opencl.name());
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
} catch (const Failure& f) {
  std::fprintf(stderr, "bench_opencl: %s\n", f.what.c_str());
  return 1;
}
