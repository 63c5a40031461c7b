// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a call costs the host: kernels with 0, 4 and 26 arguments, on CUDA paired with
// cuLaunchKernel on the same code in the same form and stream; graph replay.
//   bench_launch [cpu|cuda|vulkan] [--json FILE]
#include <dlfcn.h>

#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include <krait/krait.h>

#include "measure.h"

namespace kr = krait;
using Clock = std::chrono::steady_clock;

namespace {

double microseconds(Clock::time_point from) {
  return std::chrono::duration<double, std::micro>(Clock::now() - from).count();
}

constexpr int batch = 500, rounds = 41;

/// The driver's own launch of a kernel's PTX.
struct RawLaunch {
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**) = nullptr;
  void* function = nullptr;
  std::vector<std::byte> block;

  /// False where there is no CUDA driver. The device's context must be current: the bench's own
  /// thread makes it so.
  bool load(const std::string& ptx) {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) return false;
    const auto get = [&](auto& f, const char* name) {
      f = reinterpret_cast<std::decay_t<decltype(f)>>(dlsym(library, name));
    };
    int (*retain)(void**, int), (*set)(void*), (*module_load)(void**, const void*),
        (*module_function)(void**, void*, const char*);
    get(retain, "cuDevicePrimaryCtxRetain"), get(set, "cuCtxSetCurrent"),
        get(module_load, "cuModuleLoadData");
    get(module_function, "cuModuleGetFunction"), get(launch, "cuLaunchKernel");
    void *context = nullptr, *module = nullptr;
    if (retain(&context, 0) || set(context) || module_load(&module, ptx.c_str())) return false;
    const std::size_t at = ptx.find(".entry ") + 7;
    return module_function(&function, module, ptx.substr(at, ptx.find('(', at) - at).c_str()) == 0;
  }
  void operator()() {
    std::size_t size = block.size();
    void* extra[] = {reinterpret_cast<void*>(1), block.data(), reinterpret_cast<void*>(2), &size,
                     nullptr};
    launch(function, 4, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra);
  }
};

std::vector<bench::Row> rows;
// workloads of the CPU, and candidates of Vulkan, have names of their own
std::string where, ours = "Krait";

/// For --json, with times in ms.
void keep(const std::string& workload,
          std::vector<std::pair<std::string, double>> microseconds_of) {
  bench::Row& row = rows.emplace_back(bench::Row{"launch" + where + ", " + workload, {}});
  for (const auto& [name, us] : microseconds_of) {
    bench::Candidate& c = row.candidates.emplace_back();
    c.name = name, c.ms = us / 1e3, c.ratios.push_back(microseconds_of[0].second / us);
  }
}

/// Medians of a call, of the raw launch, and of the differences of paired batches, in µs.
template <class Call>
void report(const char* name, const kr::device& on, RawLaunch* raw, const Call& call) {
  std::vector<double> ours_us, theirs, differences;
  for (int r = 0; r < rounds; ++r) {
    auto start = Clock::now();
    for (int i = 0; i < batch; ++i) call();
    ours_us.push_back(microseconds(start) / batch);
    on.synchronize();
    if (!raw) continue;
    start = Clock::now();
    for (int i = 0; i < batch; ++i) (*raw)();
    theirs.push_back(microseconds(start) / batch);
    on.synchronize();
    differences.push_back(ours_us.back() - theirs.back());
  }
  std::printf("| %s | %.3f us |", name, bench::median(ours_us));
  if (raw)
    std::printf(" cuLaunchKernel %.3f us | difference %.3f us |", bench::median(theirs),
                bench::median(differences));
  std::printf("\n");
  if (raw) keep(name, {{"cuLaunchKernel", bench::median(theirs)}, {ours, bench::median(ours_us)}});
  else keep(name, {{ours, bench::median(ours_us)}});
}

}  // namespace

int main(int argc, char** argv) try {
  const char *back_end = "cpu", *json = nullptr;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--json") && i + 1 < argc) json = argv[++i];
    else back_end = argv[i];
  }
  const kr::device on = kr::device::find(back_end);
  const bool cuda = std::strcmp(back_end, "cuda") == 0;
  if (std::strcmp(back_end, "cpu") == 0) where = " on the CPU";
  else if (!cuda) ours = "Krait Vulkan";
  std::printf("%s (%s)\n", on.name(), on.id());
  kr::array<float> out(kr::shape<1>(16), on), x(kr::shape<1>(16), on), y(kr::shape<1>(16), on);
  const auto put = [](std::vector<std::byte>& block, auto value) {
    block.resize((block.size() + sizeof value - 1) / sizeof value * sizeof value);
    const auto* raw = reinterpret_cast<const std::byte*>(&value);
    block.insert(block.end(), raw, raw + sizeof value);
  };

  auto none = kr::kernel([] {}, {.name = "none"});
  const auto call0 = [&] { none.launch({4, 128}); };
  if (cuda) {
    call0();
    on.synchronize();
    RawLaunch raw;
    report("0 arguments", on, raw.load(none.ptx(on.target())) ? &raw : nullptr, call0);
  }
  auto four =
      kr::kernel([](kr::view<float> z, kr::value<float> a, kr::value<float> b,
                    kr::value<float> c) { kr::if_(kr::grid() < 1, [&] { z[0] = a + b + c; }); },
                 {.name = "four"});
  const auto call4 = [&] { four.launch({4, 128}, out, 1.f, 2.f, 3.f); };
  call4();
  on.synchronize();
  RawLaunch raw4;
  if (cuda && raw4.load(four.ptx(on.target()))) {
    put(raw4.block, out.address()), put(raw4.block, std::uint32_t(16));
    for (float v : {1.f, 2.f, 3.f}) put(raw4.block, v);
  }
  report("4 arguments", on, raw4.function ? &raw4 : nullptr, call4);

  auto many = kr::kernel(
      [](kr::view<float> z, auto... a) { kr::if_(kr::grid() < 1, [&] { z[0] = (a + ...); }); },
      {.name = "many"});
  const auto call26 = [&]<std::size_t... I>(std::index_sequence<I...>) {
    many.launch({4, 128}, out, float(I)...);
  };
  const auto call_many = [&] { call26(std::make_index_sequence<25>{}); };
  call_many();
  on.synchronize();
  RawLaunch raw26;
  if (cuda && raw26.load(many.ptx(on.target()))) {
    put(raw26.block, out.address()), put(raw26.block, std::uint32_t(16));
    for (int i = 0; i < 25; ++i) put(raw26.block, float(i));
  }
  report("26 arguments", on, raw26.function ? &raw26 : nullptr, call_many);

  auto add = kr::vectorize([](auto a, auto b) { return a + b; });
  const auto into = [&] { add.into(out)(x, y); };
  into();
  report("vectorize, 16 elements", on, nullptr, into);
  kr::graph g(
      [&] {
        for (int i = 0; i < 200; ++i) call4();
      },
      on);
  const auto replay = [&] { g.launch(); };
  replay();
  on.synchronize();
  std::vector<double> total;
  for (int r = 0; r < rounds; ++r) {
    const auto start = Clock::now();
    for (int i = 0; i < 20; ++i) replay();
    on.synchronize();
    total.push_back(microseconds(start) / (20 * 200));
  }
  std::printf("| graph of 200 kernels | %.3f us a kernel in all |\n", bench::median(total));
  keep("in a graph of 200", {{ours, bench::median(total)}});
  // Each adds to what the one before left: host and device together, from the first to the end of
  // the last.
  auto step = kr::kernel(
      [](kr::view<float> z) {
        auto i = kr::grid();
        kr::if_(i < z.size(), [&] { z[i] = z[i] + 1.0f; });
      },
      {.name = "step"});
  constexpr int chain = 5000;
  std::vector<double> each;
  for (int r = 0; r < rounds / 2; ++r) {
    step.launch({1, 128}, out);
    on.synchronize();
    const auto start = Clock::now();
    for (int i = 0; i < chain; ++i) step.launch({1, 128}, out);
    on.synchronize();
    each.push_back(microseconds(start) / chain);
  }
  std::printf("| %d dependent dispatches | %.3f us a dispatch in all |\n", chain,
              bench::median(each));
  keep("a dependent dispatch", {{ours, bench::median(each)}});
  if (json) bench::write_json(json, rows, on.name());
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
