// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the mathematical functions of Krait and of other libraries on a device: errors over every f32 argument of functions of
// one argument (or every n-th), random and hard arguments else; with --time the throughput as well, candidates in turn.
//   krait_functions [--device ID] [--mode MODE]… [--peer LIBRARY]… [--step N] [--time] [name…]
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "evaluator.h"
#include "ulp.h"

namespace krait::accuracy {
namespace {

/// Calls work(begin, end, the thread's own state) for pieces of [0, count) on all processors.
template <class State, class Work>
std::vector<State> in_pieces(std::size_t count, const Work& work) {
  constexpr std::size_t piece = 4096;
  std::atomic<std::size_t> next = 0;
  std::vector<State> states(std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (State& state : states)
    threads.emplace_back([&] {
      State own;
      for (std::size_t at; (at = next.fetch_add(piece)) < count;) work(at, std::min(at + piece, count), own);
      state = std::move(own);
    });
  for (std::thread& t : threads) t.join();
  return states;
}

/// The worst of what measure(begin, end, worst) notes.
template <class Float, class Measure>
Worst<Float> in_parallel(std::size_t count, const Measure& measure) {
  Worst<Float> worst;
  for (const Worst<Float>& found : in_pieces<Worst<Float>>(count, measure)) worst.note(found.error, found.x, found.y);
  return worst;
}

class Measurement {
 public:
  explicit Measurement(const Evaluator& by) : by_(by) {}
  /// False when there is no such function.
  bool all_singles(const Reference& f, std::uint64_t step, Worst<float>& worst) const;
  bool some_singles(const Reference& f, Worst<float>& worst) const;
  bool some_doubles(const Reference& f, Worst<double>& worst) const;

 private:
  Worst<float> compare(const Reference& f, std::size_t count, const float* x, const float* y, const float* out) const;
  const Evaluator& by_;
};

/// The double reference decides below the bound, or below what was seen already: what exceeds both goes to MPFR.
Worst<float> Measurement::compare(const Reference& f, std::size_t count, const float* x, const float* y, const float* out) const {
  return in_parallel<float>(count, [&](std::size_t begin, std::size_t end, Worst<float>& found) {
    thread_local std::vector<double> wide;
    wide.resize(end - begin);
    wide_values(f, &x[begin], &y[begin], wide.data(), end - begin);
    for (std::size_t i = begin; i < end; ++i)
      found.note(error32(f, x[i], y[i], out[i], wide[i - begin], std::max(f.bound32, std::min(found.error, 1e9))), x[i], y[i]);
  });
}

bool Measurement::all_singles(const Reference& f, std::uint64_t step, Worst<float>& worst) const {
  const std::uint64_t total = ((std::uint64_t(1) << 32) - 1) / step + 1;
  const auto room = std::size_t(std::min<std::uint64_t>(total, std::uint64_t(1) << 24));
  std::vector<float> x(room), result(room);
  array<float> dx(shape<1>(room), by_.device()), out(shape<1>(room), by_.device());
  for (std::uint64_t first = 0; first < total; first += room) {
    const auto count = std::size_t(std::min<std::uint64_t>(room, total - first));
    struct None {};
    in_pieces<None>(count, [&](std::size_t begin, std::size_t end, None&) {
      for (std::size_t i = begin; i < end; ++i) x[i] = std::bit_cast<float>(std::uint32_t((first + i) * step));
    });
    dx.copy_from(x);
    if (!by_.run(f, dx, dx, out)) return false;
    out.copy_to(result);
    const Worst<float> found = compare(f, count, x.data(), x.data(), result.data());
    worst.note(found.error, found.x, 0);
  }
  return true;
}

bool Measurement::some_singles(const Reference& f, Worst<float>& worst) const {
  const Arguments<float> a = arguments32(f, 10'000'000);
  const array<float> x = to_device(a.x, by_.device()), y = to_device(a.y, by_.device());
  array<float> out(shape<1>(a.x.size()), by_.device());
  if (!by_.run(f, x, y, out)) return false;
  worst = compare(f, a.x.size(), a.x.data(), a.y.data(), out.to_host().data());
  return true;
}

bool Measurement::some_doubles(const Reference& f, Worst<double>& worst) const {
  const Arguments<double> a = arguments64(f, 400'000);
  const array<double> x = to_device(a.x, by_.device()), y = to_device(a.y, by_.device());
  array<double> out(shape<1>(a.x.size()), by_.device());
  if (!by_.run(f, x, y, out)) return false;
  const auto result = out.to_host();
  worst = in_parallel<double>(a.x.size(), [&](std::size_t begin, std::size_t end, Worst<double>& found) {
    for (std::size_t i = begin; i < end; ++i) found.note(error64(f, a.x[i], a.y[i], result.data()[i]), a.x[i], a.y[i]);
    mpfr_free_cache();
  });
  return true;
}

/// Nanoseconds an element of arguments where the function is dense, medians of rounds in turn; 0 where it is missing.
template <class Float>
std::vector<double> times(const Reference& f, const std::vector<std::unique_ptr<Evaluator>>& candidates) {
  const device on = candidates[0]->device();
  const std::size_t n = std::strcmp(on.id(), "cpu") == 0 ? std::size_t(1) << 20 : std::size_t(1) << 26;
  std::vector<Float> hx(n), hy(n);
  Random random(1);
  for (std::size_t i = 0; i < n; ++i) hx[i] = Float(f.low + (f.high - f.low) * random.unit()), hy[i] = Float(f.low + (f.high - f.low) * random.unit());
  const array<Float> x = to_device(hx, on), y = to_device(hy, on);
  array<Float> out(shape<1>(n), on);
  std::vector<std::vector<double>> seen(candidates.size());
  for (int round = -1; round < 9; ++round)
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      if (!candidates[c]->run(f, x, y, out)) continue;
      on.synchronize();
      constexpr int runs = 20;
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < runs; ++i) candidates[c]->run(f, x, y, out);
      on.synchronize();
      const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / runs / double(n);
      if (round >= 0) seen[c].push_back(ns);
    }
  std::vector<double> medians;
  for (std::vector<double>& s : seen) {
    std::sort(s.begin(), s.end());
    medians.push_back(s.empty() ? 0 : s[s.size() / 2]);
  }
  return medians;
}

/// What one candidate's error is, and where.
struct Errors {
  bool has_single = false, has_double = false;
  Worst<float> single;
  Worst<double> twice;
};

template <class Float>
std::string cells(const Reference& f, bool there, const Worst<Float>& w) {
  char text[96];
  if (!there) return "— | —";
  if (w.error == 0) return "0 | —";
  if (f.arity == 1) std::snprintf(text, sizeof text, "%.3f | %a", w.error, double(w.x));
  else std::snprintf(text, sizeof text, "%.3f | %a, %a", w.error, double(w.x), double(w.y));
  return text;
}

std::string speed_cells(bool there, double error, double ns) {
  char text[64];
  if (!there) return " — | — |";
  std::snprintf(text, sizeof text, error < 1e6 ? " %.3g | %.2f |" : " %.3g | %.1e |", 1 / ns, error);
  return text;
}

struct Request {
  std::string device = "cpu";
  std::vector<std::string> peers;
  std::vector<fp> modes;
  std::uint64_t step = 1;
  bool time = false;
  std::vector<std::string_view> names;

  bool wants(const Reference& f) const { return names.empty() || std::find(names.begin(), names.end(), f.name) != names.end(); }
};

bool read(int count, char** arguments, Request& request) {
  for (int i = 1; i < count; ++i) {
    const std::string_view a = arguments[i];
    const bool follows = i + 1 < count;
    if (a == "--device" && follows) request.device = arguments[++i];
    else if (a == "--peer" && follows) request.peers.emplace_back(arguments[++i]);
    else if (a == "--step" && follows) request.step = std::strtoull(arguments[++i], nullptr, 10);
    else if (a == "--time") request.time = true;
    else if (a == "--mode" && follows) {
      constexpr std::string_view names[] = {"strict", "reproducible", "native", "fast"};
      const auto* found = std::find(std::begin(names), std::end(names), std::string_view(arguments[++i]));
      if (found == std::end(names)) return false;
      request.modes.push_back(fp(found - std::begin(names)));
    } else if (a.starts_with("-")) return false;
    else request.names.push_back(a);
  }
  if (request.modes.empty() && request.peers.empty()) request.modes.push_back(fp::reproducible);
  return request.step != 0;
}

Errors errors_of(const Reference& f, const Request& request, const Evaluator& by) {
  const Measurement measurement(by);
  Errors e;
  e.has_single = f.arity == 1 ? measurement.all_singles(f, request.step, e.single) : measurement.some_singles(f, e.single);
  e.has_double = measurement.some_doubles(f, e.twice);
  return e;
}

/// The table of docs/numbers.md for one candidate. False when a bound is broken.
bool print_errors(const Request& request, const Evaluator& by) {
  bool kept = true;
  std::printf("\n%s, every %llu. f32 argument\n\n", by.name().c_str(), static_cast<unsigned long long>(request.step));
  std::printf("| function | f32 bound | f32 measured | at | f64 bound | f64 measured | at |\n|---|---|---|---|---|---|---|\n");
  for (const Reference& f : references()) {
    if (!request.wants(f)) continue;
    const Errors e = errors_of(f, request, by);
    std::printf("| %s | %g | %s | %g | %s |\n", f.name, f.bound32, cells(f, e.has_single, e.single).c_str(), f.bound64,
                cells(f, e.has_double, e.twice).c_str());
    std::fflush(stdout);
    kept = kept && e.single.error <= f.bound32 && e.twice.error <= f.bound64;
  }
  return kept;
}

/// Billions of results a second and the error in ULP, a pair of columns a candidate.
void print_speeds(const Request& request, const std::vector<std::unique_ptr<Evaluator>>& candidates) {
  std::string head = "\n| function, type |", line = "|---|";
  for (const auto& c : candidates) head += " " + c->name() + ", G/s | ULP |", line += "---|---|";
  std::printf("%s\n%s\n", head.c_str(), line.c_str());
  for (const Reference& f : references()) {
    if (!request.wants(f)) continue;
    const std::vector<double> single = times<float>(f, candidates), twice = times<double>(f, candidates);
    std::string f32 = std::string("| ") + f.name + ", f32 |", f64 = std::string("| ") + f.name + ", f64 |";
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const Errors e = errors_of(f, request, *candidates[c]);
      f32 += speed_cells(e.has_single, e.single.error, single[c]), f64 += speed_cells(e.has_double, e.twice.error, twice[c]);
    }
    std::printf("%s\n%s\n", f32.c_str(), f64.c_str());
    std::fflush(stdout);
  }
}

int measure(const Request& request) {
  const device on = device::find(request.device.c_str());
  std::printf("%s (%s)\n", on.name(), on.target());
  std::vector<std::unique_ptr<Evaluator>> candidates;
  for (const fp mode : request.modes) candidates.push_back(std::make_unique<Evaluator>(on, mode));
  for (const std::string& peer : request.peers) candidates.push_back(std::make_unique<Evaluator>(on, peer.c_str()));
  if (request.time) return print_speeds(request, candidates), 0;
  bool kept = true;
  for (const auto& by : candidates) kept = print_errors(request, *by) && kept;
  return kept ? 0 : 1;
}

}  // namespace
}  // namespace krait::accuracy

int main(int count, char** arguments) try {
  // Or OpenMP's threads spin on while the next candidate runs.
  setenv("OMP_WAIT_POLICY", "passive", 1);
  krait::accuracy::Request request;
  if (!krait::accuracy::read(count, arguments, request))
    return std::fprintf(stderr, "usage: krait_functions [--device ID] [--mode MODE]… [--peer LIBRARY]… [--step N] [--time] [name…]\n"), 2;
  return krait::accuracy::measure(request);
} catch (const krait::error& e) {
  return std::fprintf(stderr, "%s\n", e.message()), 2;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 2;
}
