// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the mathematical functions and prints the table of docs/numbers.md: every f32 argument of functions of one argument
// (or every n-th), random and hard arguments else.
//   exhaustive [step [name…]]      step 1: all 2^32 arguments
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "reference.h"
#include "ulp.h"

namespace krait::accuracy {
namespace {

Worst<float> measure_all(const Reference& f, std::uint64_t step, unsigned part, unsigned parts) {
  Worst<float> worst;
  for (std::uint64_t i = part * step; i < (std::uint64_t(1) << 32); i += step * parts) {
    const float x = std::bit_cast<float>(std::uint32_t(i));
    worst.note(error32(f, x, 0), x, 0);
  }
  return worst;
}

/// Worst of the parts, one a thread.
template <class Float>
Worst<Float> in_parallel(unsigned parts, const std::function<Worst<Float>(unsigned)>& measure) {
  std::vector<Worst<Float>> found(parts);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < parts; ++i) threads.emplace_back([&, i] { found[i] = measure(i); });
  Worst<Float> worst;
  for (unsigned i = 0; i < parts; ++i) {
    threads[i].join();
    worst.note(found[i].error, found[i].x, found[i].y);
  }
  return worst;
}

template <class Float>
std::string place(const Reference& f, const Worst<Float>& w) {
  char text[96];
  if (w.error == 0) return "—";
  if (f.arity == 1) std::snprintf(text, sizeof text, "%a", double(w.x));
  else std::snprintf(text, sizeof text, "%a, %a", double(w.x), double(w.y));
  return text;
}

}  // namespace
}  // namespace krait::accuracy

int main(int count, char** arguments) {
  using namespace krait::accuracy;
  const std::uint64_t step = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
  if (step == 0) return std::fprintf(stderr, "usage: exhaustive [step [name…]]\n"), 2;
  bool kept = true;
  std::printf("| function | f32 bound | f32 measured | at | f64 bound | f64 measured | at |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (const Reference& f : references()) {
    bool wanted = count <= 2;
    for (int i = 2; i < count; ++i) wanted = wanted || std::string_view(arguments[i]) == f.name;
    if (!wanted) continue;
    const Worst<float> single = in_parallel<float>(2, [&](unsigned i) {
      return f.arity == 1 ? measure_all(f, step, i, 2) : measure32(f, 5'000'000, i);
    });
    const Worst<double> twice = in_parallel<double>(2, [&](unsigned i) { return measure64(f, 200'000, i); });
    std::printf("| %s | %g | %.3f | %s | %g | %.3f | %s |\n", f.name, f.bound32, single.error, place(f, single).c_str(), f.bound64,
                twice.error, place(f, twice).c_str());
    std::fflush(stdout);
    kept = kept && single.error <= f.bound32 && twice.error <= f.bound64;
  }
  return kept ? 0 : 1;
}
