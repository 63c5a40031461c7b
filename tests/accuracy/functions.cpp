// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the mathematical functions of Krait and of other libraries on a device: errors over
// every f32 argument of functions of one argument (or every n-th), random and hard arguments else;
// with --time the throughput as well, candidates in turn; with
// --table one table with a column for each device and mode. In fast mode, where relative error may
// mean nothing, absolute errors stand beside it (fast_mode.h).
//   krait_functions [--device ID]… [--mode MODE]… [--peer LIBRARY]… [--step N] [--time | --table] [--singles] [name…]
// --singles: of f32 alone, counted as in fast mode, for devices without doubles and subnormal
// numbers.
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
#include "fast_mode.h"
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
      for (std::size_t at; (at = next.fetch_add(piece)) < count;)
        work(at, std::min(at + piece, count), own);
      state = std::move(own);
    });
  for (std::thread& t : threads) t.join();
  return states;
}

/// The largest errors of a candidate.
template <class Float>
struct Errors {
  bool there = false;
  Worst<Float> relative;  // in ULP
  Worst<Float> absolute;  // of fast mode, where relative error means nothing
  void note(const Errors& e) {
    relative.note(e.relative.error, e.relative.x, e.relative.y);
    absolute.note(e.absolute.error, e.absolute.x, e.absolute.y);
  }
};

/// The worst of what measure(begin, end, errors) notes.
template <class Float, class Measure>
Errors<Float> in_parallel(std::size_t count, const Measure& measure) {
  Errors<Float> all;
  all.there = true;
  for (const Errors<Float>& found : in_pieces<Errors<Float>>(count, measure)) all.note(found);
  return all;
}

class Measurement {
 public:
  Measurement(const Evaluator& by, bool normal) : by_(by), normal_(normal || by.is_fast()) {}
  Errors<float> singles(const Reference& f, std::uint64_t step) const {
    return f.arity == 1 ? all_singles(f, step) : some_singles(f);
  }
  Errors<double> doubles(const Reference& f) const;

 private:
  Errors<float> all_singles(const Reference& f, std::uint64_t step) const;
  Errors<float> some_singles(const Reference& f) const;
  Errors<float> compare(const Reference& f, std::size_t count, const float* x, const float* y,
                        const float* out) const;
  const Evaluator& by_;
  const bool normal_;  // errors are counted as in fast mode
};

/// The double reference decides below the bound, or below what was seen already: what exceeds both
/// goes to MPFR.
Errors<float> Measurement::compare(const Reference& f, std::size_t count, const float* x,
                                   const float* y, const float* out) const {
  return in_parallel<float>(count, [&](std::size_t begin, std::size_t end, Errors<float>& found) {
    thread_local std::vector<double> wide;
    wide.resize(end - begin);
    wide_values(f, &x[begin], &y[begin], wide.data(), end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const double exact = wide[i - begin];
      const Counted counted =
          normal_ ? counted_in_fast_mode(f, x[i], y[i], exact) : Counted::relative;
      if (counted == Counted::absolute)
        found.absolute.note(std::fabs(double(out[i]) - exact), x[i], y[i]);
      if (counted == Counted::relative) {
        const double limit = std::max(f.bound32, std::min(found.relative.error, 1e9));
        found.relative.note(error32(f, x[i], y[i], out[i], exact, limit), x[i], y[i]);
      }
    }
  });
}

Errors<float> Measurement::all_singles(const Reference& f, std::uint64_t step) const {
  const std::uint64_t total = ((std::uint64_t(1) << 32) - 1) / step + 1;
  const auto room = std::size_t(std::min<std::uint64_t>(total, std::uint64_t(1) << 24));
  std::vector<float> x(room), result(room);
  array<float> dx(shape<1>(room), by_.device()), out(shape<1>(room), by_.device());
  Errors<float> all;
  for (std::uint64_t first = 0; first < total; first += room) {
    const auto count = std::size_t(std::min<std::uint64_t>(room, total - first));
    struct None {};
    in_pieces<None>(count, [&](std::size_t begin, std::size_t end, None&) {
      for (std::size_t i = begin; i < end; ++i)
        x[i] = std::bit_cast<float>(std::uint32_t((first + i) * step));
    });
    dx.copy_from(x);
    if (!by_.run(f, dx, dx, out)) return {};
    out.copy_to(result);
    all.there = true;
    all.note(compare(f, count, x.data(), x.data(), result.data()));
  }
  return all;
}

Errors<float> Measurement::some_singles(const Reference& f) const {
  const Arguments<float> a = arguments32(f, 10'000'000);
  const array<float> x = to_device(a.x, by_.device()), y = to_device(a.y, by_.device());
  array<float> out(shape<1>(a.x.size()), by_.device());
  if (!by_.run(f, x, y, out)) return {};
  return compare(f, a.x.size(), a.x.data(), a.y.data(), out.to_host().data());
}

Errors<double> Measurement::doubles(const Reference& f) const {
  const Arguments<double> a = arguments64(f, 400'000);
  const array<double> x = to_device(a.x, by_.device()), y = to_device(a.y, by_.device());
  array<double> out(shape<1>(a.x.size()), by_.device());
  if (!by_.run(f, x, y, out)) return {};
  const auto result = out.to_host();
  return in_parallel<double>(a.x.size(), [&](std::size_t begin, std::size_t end,
                                             Errors<double>& found) {
    for (std::size_t i = begin; i < end; ++i) {
      const double ax = a.x[i], ay = a.y[i], r = result.data()[i];
      const long double exact = normal_ ? exact_value(f, ax, ay) : 0;
      const Counted counted = normal_ ? counted_in_fast_mode(f, ax, ay, exact) : Counted::relative;
      if (counted == Counted::absolute) found.absolute.note(double(std::fabs(r - exact)), ax, ay);
      if (counted == Counted::relative) found.relative.note(error64(f, ax, ay, r), ax, ay);
    }
    mpfr_free_cache();
  });
}

/// Nanoseconds an element of arguments where the function is dense, medians of rounds in turn; 0
/// where it is missing.
template <class Float>
std::vector<double> times(const Reference& f,
                          const std::vector<std::unique_ptr<Evaluator>>& candidates) {
  const device on = candidates[0]->device();
  const std::size_t n =
      std::strcmp(on.id(), "cpu") == 0 ? std::size_t(1) << 20 : std::size_t(1) << 26;
  std::vector<Float> hx(n), hy(n);
  Random random(1);
  for (std::size_t i = 0; i < n; ++i)
    hx[i] = Float(f.low + (f.high - f.low) * random.unit()),
    hy[i] = Float(f.low + (f.high - f.low) * random.unit());
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
      const double ns =
          std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
              .count() /
          runs / double(n);
      if (round >= 0) seen[c].push_back(ns);
    }
  std::vector<double> medians;
  for (std::vector<double>& s : seen) {
    std::sort(s.begin(), s.end());
    medians.push_back(s.empty() ? 0 : s[s.size() / 2]);
  }
  return medians;
}

template <class Float>
std::string cells(const Reference& f, const Errors<Float>& e) {
  char text[96];
  const Worst<Float>& w = e.relative;
  if (!e.there) return "— | —";
  if (w.error == 0) return "0 | —";
  if (f.arity == 1) std::snprintf(text, sizeof text, "%.3f | %a", w.error, double(w.x));
  else std::snprintf(text, sizeof text, "%.3f | %a, %a", w.error, double(w.x), double(w.y));
  return text;
}

/// The largest error in ULP, and in fast mode the largest absolute one of the rest.
template <class Float>
std::string mode_cell(const Errors<Float>& e, bool fast) {
  char text[64];
  if (!e.there) return " — |";
  int at = std::snprintf(text, sizeof text, e.relative.error < 1e4 ? " %.2f" : " %.0e",
                         e.relative.error);
  if (fast)
    at += std::snprintf(text + at, sizeof text - std::size_t(at), "; %.1e", e.absolute.error);
  return std::string(text) + " |";
}

std::string speed_cells(bool there, double error, double ns) {
  char text[64];
  if (!there) return " — | — |";
  std::snprintf(text, sizeof text, error < 1e6 ? " %.3g | %.2f |" : " %.3g | %.1e |", 1 / ns,
                error);
  return text;
}

struct Request {
  std::vector<std::string> devices;
  std::vector<std::string> peers;
  std::vector<fp> modes;
  std::uint64_t step = 1;
  bool time = false, table = false, singles = false;
  std::vector<std::string_view> names;

  bool wants(const Reference& f) const {
    return names.empty() || std::find(names.begin(), names.end(), f.name) != names.end();
  }
};

bool read(int count, char** arguments, Request& request) {
  for (int i = 1; i < count; ++i) {
    const std::string_view a = arguments[i];
    const bool follows = i + 1 < count;
    if (a == "--device" && follows) request.devices.emplace_back(arguments[++i]);
    else if (a == "--peer" && follows) request.peers.emplace_back(arguments[++i]);
    else if (a == "--step" && follows) request.step = std::strtoull(arguments[++i], nullptr, 10);
    else if (a == "--time") request.time = true;
    else if (a == "--table") request.table = true;
    else if (a == "--singles") request.singles = true;
    else if (a == "--mode" && follows) {
      constexpr std::string_view names[] = {"strict", "reproducible", "native", "fast"};
      const auto* found =
          std::find(std::begin(names), std::end(names), std::string_view(arguments[++i]));
      if (found == std::end(names)) return false;
      request.modes.push_back(fp(found - std::begin(names)));
    } else if (a.starts_with("-")) return false;
    else request.names.push_back(a);
  }
  if (request.modes.empty() && request.peers.empty()) request.modes.push_back(fp::reproducible);
  if (request.devices.empty()) request.devices.emplace_back("cpu");
  return request.step != 0 &&
         (request.devices.size() == 1 || (request.table && request.peers.empty()));
}

/// The table of docs/numbers.md for one candidate. False when a bound is broken.
bool print_errors(const Request& request, const Evaluator& by) {
  bool kept = true;
  std::printf("\n%s, every %llu. f32 argument\n\n", by.name().c_str(),
              static_cast<unsigned long long>(request.step));
  std::printf(
      "| function | f32 bound | f32 measured | at | f64 bound | f64 measured | at |\n|---|---|---|---|---|---|---|\n");
  for (const Reference& f : references()) {
    if (!request.wants(f)) continue;
    const Measurement measurement(by, request.singles);
    const Errors<float> single = measurement.singles(f, request.step);
    const Errors<double> twice = request.singles ? Errors<double>{} : measurement.doubles(f);
    std::printf("| %s | %g | %s | %g | %s |\n", f.name, f.bound32, cells(f, single).c_str(),
                f.bound64, cells(f, twice).c_str());
    std::fflush(stdout);
    kept = kept && single.relative.error <= f.bound32 && twice.relative.error <= f.bound64;
  }
  return kept;
}

/// Billions of results a second and the error in ULP, a pair of columns a candidate.
void print_speeds(const Request& request,
                  const std::vector<std::unique_ptr<Evaluator>>& candidates) {
  std::string head = "\n| function, type |", line = "|---|";
  for (const auto& c : candidates) head += " " + c->name() + ", G/s | ULP |", line += "---|---|";
  std::printf("%s\n%s\n", head.c_str(), line.c_str());
  for (const Reference& f : references()) {
    if (!request.wants(f)) continue;
    const std::vector<double> single = times<float>(f, candidates),
                              twice = times<double>(f, candidates);
    std::string f32 = std::string("| ") + f.name + ", f32 |",
                f64 = std::string("| ") + f.name + ", f64 |";
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const Measurement measurement(*candidates[c], request.singles);
      const Errors<float> e32 = measurement.singles(f, request.step);
      const Errors<double> e64 = measurement.doubles(f);
      f32 += speed_cells(e32.there, e32.relative.error, single[c]),
          f64 += speed_cells(e64.there, e64.relative.error, twice[c]);
    }
    std::printf("%s\n%s\n", f32.c_str(), f64.c_str());
    std::fflush(stdout);
  }
}

/// The table of docs/numbers.md by device and mode.
void print_modes(const Request& request,
                 const std::vector<std::unique_ptr<Evaluator>>& candidates) {
  std::string head = "\n| function, type | bound |", line = "|---|---|";
  for (const auto& c : candidates)
    head += " " + c->name() + ", " + c->device().id() + " |", line += "---|";
  std::printf("every %llu. f32 argument\n%s\n%s\n", static_cast<unsigned long long>(request.step),
              head.c_str(), line.c_str());
  for (const Reference& f : references()) {
    if (!request.wants(f)) continue;
    char start[64];
    std::snprintf(start, sizeof start, "| %s, f32 | %g |", f.name, f.bound32);
    std::string f32 = start;
    std::snprintf(start, sizeof start, "| %s, f64 | %g |", f.name, f.bound64);
    std::string f64 = start;
    for (const auto& c : candidates) {
      const Measurement measurement(*c, request.singles);
      f32 += mode_cell(measurement.singles(f, request.step), request.singles || c->is_fast());
      if (!request.singles) f64 += mode_cell(measurement.doubles(f), c->is_fast());
    }
    std::printf("%s\n", f32.c_str());
    if (!request.singles) std::printf("%s\n", f64.c_str());
    std::fflush(stdout);
  }
}

int measure(const Request& request) {
  std::vector<std::unique_ptr<Evaluator>> candidates;
  for (const std::string& id : request.devices) {
    const device on = device::find(id.c_str());
    std::printf("%s (%s)\n", on.name(), on.target());
    for (const fp mode : request.modes) candidates.push_back(std::make_unique<Evaluator>(on, mode));
    for (const std::string& peer : request.peers)
      candidates.push_back(std::make_unique<Evaluator>(on, peer.c_str()));
  }
  if (request.table) return print_modes(request, candidates), 0;
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
    return std::fprintf(
               stderr,
               "usage: krait_functions [--device ID]… [--mode MODE]… [--peer LIBRARY]… [--step N] [--time | --table] "
               "[--singles] [name…]\n"),
           2;
  return krait::accuracy::measure(request);
} catch (const krait::error& e) {
  return std::fprintf(stderr, "%s\n", e.message()), 2;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 2;
}
