// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the corpus: Krait as a user has it beside the peers found in ../lib (libcorpus_*.so), in interleaved rounds.
//   bench_corpus [--list] [--filter TEXT] [--class open|judge] [--rounds N] [--json FILE] [--device ID] [--cpu-time]
// TEXT is a part of a name or a theme. Ratios are a peer's time over Krait's: above 1, Krait is faster. A result that differs
// from a peer's is marked WRONG and makes the exit status 1. --cpu-time counts what all threads compute instead of the time that
// passes: the better measure on a machine that is shared, for loops that use all threads equally.
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "../measure.h"
#include "registry.h"

namespace corpus {
void* Library::symbol(const char* function) const { return dlsym(handle, function); }
}  // namespace corpus

namespace {
using namespace corpus;

struct Wish {
  std::string filter, which, json, device = "cpu";
  int rounds = 15;
  bool list = false, cpu_time = false;
};
struct Result {
  Entry entry;
  double first_ms = 0, ms = 0;
  std::vector<double> peer_ms, ratios;  // by library; 0 where it lacks the entry
  std::string wrong;
};

std::vector<Library> load_peers(const std::string& device) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib";
  std::vector<Library> found;
  for (const char* name : {"gcc", "clang", "cuda"}) {
    if ((device != "cpu") != !std::strcmp(name, "cuda")) continue;
    if (void* handle = dlopen((folder / (std::string("libcorpus_") + name + ".so")).c_str(), RTLD_NOW | RTLD_LOCAL))
      found.push_back({name, handle});
    else
      std::printf("not measured: %s\n", dlerror());
  }
  return found;
}

/// Milliseconds of a run, by the wall's clock or the process's.
double time_of(const Run& run, int repeats, bool cpu_time) {
  const auto now = [&] {
    timespec t{};
    clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return 1e3 * double(t.tv_sec) + 1e-6 * double(t.tv_nsec);
  };
  const double start = now();
  for (int i = 0; i < repeats; ++i) run();
  return (now() - start) / repeats;
}

/// Empty, or how b differs from a.
std::string difference(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  double off = 0, all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) off += std::fabs(a[i] - b[i]), all += std::fabs(a[i]);
  char text[96];
  std::snprintf(text, sizeof text, "differs by %.2e of the whole", off / all);
  return off <= tolerance * all && all > 0 ? "" : text;
}

Result measure(const Entry& e, const std::vector<Library>& libraries, const Wish& wish) {
  constexpr double sample_ms = 12;
  Result result{e};
  const Work work = e.make();
  const auto synchronised = [](const Run& run) { return [run] { run(), kr::synchronize(); }; };
  std::vector<Run> runs{synchronised(work.krait)};
  for (const Library& l : libraries) {
    const Run run = work.peer(l);
    runs.push_back(run ? synchronised(run) : Run());
  }
  work.out.reset();
  result.first_ms = time_of(runs[0], 1, false);
  for (int i = 0; i < 2; ++i) runs[0]();
  kr::wait_for_compilations();

  std::vector<std::vector<double>> results, times(runs.size());
  for (const Run& run : runs) {
    work.out.reset();
    if (run) run();
    results.push_back(run ? work.out.read() : std::vector<double>());
  }
  for (std::size_t i = 1; i < runs.size() && result.wrong.empty(); ++i)
    if (runs[i]) result.wrong = difference(results[i], results[0], work.tolerance);

  std::vector<int> repeats;
  for (const Run& run : runs) repeats.push_back(run ? std::max(1, int(sample_ms / std::max(time_of(run, 1, false), 1e-4))) : 0);
  for (int round = 0; round < wish.rounds; ++round) {
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (runs[i]) times[i].push_back(time_of(runs[i], repeats[i], wish.cpu_time));
  }
  result.ms = bench::median(times[0]);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < times[i].size(); ++r) ratios.push_back(times[i][r] / times[0][r]);
    result.peer_ms.push_back(bench::median(times[i])), result.ratios.push_back(bench::median(ratios));
  }
  return result;
}

double geometric_mean(const std::vector<Result>& results, std::size_t library, int rest) {
  double sum = 0;
  int n = 0;
  for (const Result& r : results)
    if ((rest < 0 || r.entry.number % 2 == rest) && r.ratios[library] > 0) sum += std::log(r.ratios[library]), ++n;
  return n ? std::exp(sum / n) : 0;
}

void print(const Result& r) {
  std::printf("| %2d %-22s | %-9s | %-5s | %8.3f | %8.1f |", r.entry.number, r.entry.name, r.entry.theme,
              r.entry.open() ? "open" : "judge", r.ms, r.first_ms);
  for (std::size_t i = 0; i < r.ratios.size(); ++i) std::printf(" %8.3f | %5.2f |", r.peer_ms[i], r.ratios[i]);
  std::printf("%s%s\n", r.wrong.empty() ? "" : " WRONG: ", r.wrong.c_str());
  std::fflush(stdout);
}

void write_json(const std::string& path, const std::vector<Result>& results, const std::vector<Library>& libraries) {
  std::FILE* out = std::fopen(path.c_str(), "w");
  if (!out) return;
  std::fprintf(out, "{\"device\": \"%s\", \"entries\": [", kr::device().name());
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Result& r = results[k];
    std::fprintf(out,
                 "%s\n  {\"number\": %d, \"name\": \"%s\", \"theme\": \"%s\", \"class\": \"%s\", \"ms\": %.5f, \"first_ms\": "
                 "%.3f, \"wrong\": \"%s\"",
                 k ? "," : "", r.entry.number, r.entry.name, r.entry.theme, r.entry.open() ? "open" : "judge", r.ms, r.first_ms,
                 r.wrong.c_str());
    for (std::size_t i = 0; i < libraries.size(); ++i)
      std::fprintf(out, ", \"%s\": {\"ms\": %.5f, \"ratio\": %.4f}", libraries[i].name.c_str(), r.peer_ms[i], r.ratios[i]);
    std::fprintf(out, "}");
  }
  std::fprintf(out, "\n]}\n");
  std::fclose(out);
}

Wish wish_of(int argc, char** argv) {
  Wish w;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--list")
      w.list = true;
    else if (word == "--cpu-time")
      w.cpu_time = true;
    else if (i + 1 == argc)
      std::fprintf(stderr, "%s: unknown, or without its value\n", argv[i]), std::exit(2);
    else if (word == "--filter")
      w.filter = argv[++i];
    else if (word == "--class")
      w.which = argv[++i];
    else if (word == "--rounds")
      w.rounds = std::max(1, std::atoi(argv[++i]));
    else if (word == "--json")
      w.json = argv[++i];
    else if (word == "--device")
      w.device = argv[++i];
    else
      std::fprintf(stderr, "%s: unknown\n", argv[i]), std::exit(2);
  }
  return w;
}

/// A folder that lives as long as the program: the first calls find nothing on disk.
struct FreshCache {
  std::string path = "/tmp/krait-corpus-XXXXXX";
  FreshCache() {
    if (mkdtemp(path.data())) setenv("KRAIT_CACHE_DIR", path.c_str(), 1);
  }
  ~FreshCache() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace

int main(int argc, char** argv) {
  // Clang's OpenMP threads spin for 200 ms after a loop by default, in the time of the candidate that comes next.
  setenv("OMP_WAIT_POLICY", "passive", 1);
  const Wish wish = wish_of(argc, argv);
  setenv("KRAIT_DEVICE", wish.device.c_str(), 1);
  const FreshCache cache;

  Registry all;
  for (const auto add : {add_linear, add_stencils, add_learning, add_images, add_particles, add_finance, add_blocks, add_hashes})
    add(all);
  Registry entries;
  for (const Entry& e : all) {
    const bool named =
        std::string(e.name).find(wish.filter) != std::string::npos || std::string(e.theme).find(wish.filter) != std::string::npos;
    if (named && (wish.which.empty() || (wish.which == "open") == e.open())) entries.push_back(e);
  }
  if (wish.list) {
    for (const Entry& e : entries) std::printf("%2d %-22s %-9s %s\n", e.number, e.name, e.theme, e.open() ? "open" : "judge");
    return 0;
  }

  const std::vector<Library> libraries = load_peers(wish.device);
  std::printf("| kernel | theme | class | Krait ms | first ms |");
  for (const Library& l : libraries) std::printf(" %s ms | ratio |", l.name.c_str());
  std::printf("\n");
  std::vector<Result> results;
  int failures = 0;
  for (const Entry& e : entries) try {
      results.push_back(measure(e, libraries, wish));
      print(results.back());
      failures += !results.back().wrong.empty();
    } catch (const std::exception& error) {
      std::printf("| %2d %s | failed: %s\n", e.number, e.name, error.what()), ++failures;
    }
  for (std::size_t i = 0; i < libraries.size(); ++i)
    std::printf("geometric means of %s / Krait: open %.3f, judge %.3f, all %.3f\n", libraries[i].name.c_str(),
                geometric_mean(results, i, 1), geometric_mean(results, i, 0), geometric_mean(results, i, -1));
  if (!wish.json.empty()) write_json(wish.json, results, libraries);
  return failures > 0;
}
