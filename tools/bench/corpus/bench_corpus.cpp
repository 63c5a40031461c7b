// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the corpus: Krait as a user has it beside the peers found in ../lib (libcorpus_*.so), in
// interleaved rounds.
//   bench_corpus [--list] [--filter TEXT] [--class open|judge|look] [--dozen N] [--rounds N] [--json FILE] [--device ID]...
//                [--sizes cpu|gpu] [--cpu-time]
// TEXT is a part of a name or a theme. The class look has the dozens of the first look, of which
// --dozen takes one. Peers run on the first device: g++ and clang on the CPU, nvcc on CUDA. Ratios
// are a peer's time over Krait's: above 1, Krait is faster. `--device cuda:0 --device vulkan:0`
// measures Krait on both; the ratios of devices after the first are the first one's time over
// theirs. A result that differs from a peer's or from the first device's is marked WRONG and makes
// the exit status 1.
// GPUs are timed by their own clocks, many runs in a row, and take larger sizes than the CPU unless
// --sizes says otherwise.
// --cpu-time counts what all threads compute instead of the time that passes: the better measure on
// a machine that is shared, for loops that use all threads equally.
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "../measure.h"
#include "registry.h"

namespace corpus {
void* Library::symbol(const char* function) const { return dlsym(handle, function); }
}  // namespace corpus

namespace {
using namespace corpus;

struct Wish {
  std::string filter, which, json, sizes;
  std::vector<std::string> devices;
  int rounds = 15, dozen = 0;
  bool list = false, cpu_time = false;
  bool wants(const Entry& e) const {
    if (which == "look") return e.dozen && (!dozen || e.dozen == dozen);
    return which.empty() || (which == "open") == e.open();
  }
};
/// What is measured beside Krait on the first device: a peer there, or Krait on another device.
/// Rows whose ratio is below `least` are listed at the end.
struct Column {
  std::string name;
  double least = 0;
};
struct Beside {
  double ms = 0, ratio = 0, first_ms = 0;  // 0: not measured
};
struct Result {
  Entry entry;
  double first_ms = 0, ms = 0;
  std::vector<Beside> beside;  // by column
  std::string wrong;
};

/// The devices, the peers of the first, and a column for each peer and each further device, in this
/// order.
struct Field {
  std::vector<kr::device> devices;
  std::vector<Library> libraries;
  std::vector<Column> columns;
};

bool is_cpu(const kr::device& on) { return on == kr::device::cpu(); }

Field field_of(const Wish& wish) {
  Field field;
  for (const std::string& id : wish.devices) field.devices.push_back(kr::device::find(id.c_str()));
  const std::string first = field.devices[0].id();
  const auto folder =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib";
  std::vector<std::pair<const char*, Column>> wanted;
  if (first == "cpu") wanted = {{"gcc", {"gcc"}}, {"clang", {"clang"}}};
  if (first.starts_with("cuda")) wanted = {{"cuda", {"nvcc", 0.93}}};
  for (const auto& [name, column] : wanted) {
    if (void* handle = dlopen((folder / (std::string("libcorpus_") + name + ".so")).c_str(),
                              RTLD_NOW | RTLD_LOCAL))
      field.libraries.push_back({name, handle}), field.columns.push_back(column);
    else std::printf("not measured: %s\n", dlerror());
  }
  for (std::size_t d = 1; d < field.devices.size(); ++d)
    field.columns.push_back({field.devices[d].id(), 0.7});
  return field;
}

/// A way to do an entry's work. An empty run: the library lacks it, or the device cannot.
struct Candidate {
  kr::device on;
  Run run;
  const Output* out = nullptr;
};

/// Milliseconds that pass, or that the process computes, while a CPU does the runs or a GPU is
/// waited for.
double host_time(const Candidate& c, int repeats, bool cpu_time) {
  const auto now = [&] {
    timespec t{};
    clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return 1e3 * double(t.tv_sec) + 1e-6 * double(t.tv_nsec);
  };
  const double start = now();
  for (int i = 0; i < repeats; ++i) c.run(), kr::synchronize();
  return (now() - start) / repeats;
}
/// Milliseconds of a run; on a GPU by its own clock, with no wait between the runs. Peers use
/// Krait's default stream.
double time_of(const Candidate& c, int repeats, bool cpu_time) {
  if (is_cpu(c.on)) return host_time(c, repeats, cpu_time);
  kr::event start(c.on), stop(c.on);
  start.record();
  for (int i = 0; i < repeats; ++i) c.run();
  stop.record();
  return stop.elapsed_ms_since(start) / repeats;
}

/// Empty, or how the copy b differs from a.
std::string difference(const Work& work, const void* a, const void* b) {
  Difference by;
  work.out.compare(a, b, by);
  char text[96];
  std::snprintf(text, sizeof text, "differs by %.2e of the whole", by.off / by.all);
  return by.off <= work.tolerance * by.all && by.all > 0 ? "" : text;
}

/// The first call in ms, then what is needed for the calls after it to run the best code.
double first_call(const Candidate& c) {
  c.out->reset();
  const double ms = host_time(c, 1, false);
  for (int i = 0; i < 2; ++i) c.run(), kr::synchronize();
  kr::wait_for_compilations();
  return ms;
}

/// Making the data takes seconds, in which a GPU's clock falls; it takes a while to rise again.
void warm_up(const std::vector<Candidate>& candidates) {
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (const Candidate& c : candidates)
      if (c.run) c.run();
    kr::synchronize();
  } while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(200));
}

/// Adds to what is wrong with a row.
void add_wrong(Result& result, const std::string& name, const std::string& how) {
  if (!how.empty()) result.wrong += (result.wrong.empty() ? "" : "; ") + name + " " + how;
  std::replace(result.wrong.begin(), result.wrong.end(), '"', '\'');  // it goes into JSON
}

/// Krait on the first device, the peers there, Krait on the other devices, after Krait's first
/// calls. `works` has room for all.
std::vector<Candidate> candidates_of(const Entry& e, const Field& field, Size size,
                                     std::vector<Work>& works, Result& result) {
  std::vector<Candidate> all;
  const auto krait_on = [&](const kr::device& on, double& first_ms) {
    corpus::home() = on;
    works.push_back(e.make(size));
    const Candidate krait{on, works.back().krait, &works.back().out};
    first_ms = first_call(krait);
    return krait;
  };
  all.push_back(krait_on(field.devices[0], result.first_ms));
  for (const Library& l : field.libraries)
    all.push_back({field.devices[0], works[0].peer(l), &works[0].out});
  for (std::size_t d = 1; d < field.devices.size(); ++d) try {
      all.push_back(krait_on(field.devices[d], result.beside[all.size() - 1].first_ms));
    } catch (const std::exception& error) {
      add_wrong(result, field.devices[d].id(), error.what());
      all.push_back({field.devices[d], {}});
    }
  return all;
}

/// Holds Krait's result on the first device to the peers', and to it those on other devices.
void compare(const std::vector<Candidate>& candidates, const Field& field, const Work& work,
             Result& result) {
  std::vector<std::shared_ptr<void>> left;
  for (const Candidate& c : candidates) {
    left.push_back(nullptr);
    if (!c.run) continue;
    c.out->reset();
    c.run(), kr::synchronize();
    left.back() = c.out->read();
  }
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const bool peer = i <= field.libraries.size();
    if (left[i])
      add_wrong(result, field.columns[i - 1].name,
                difference(work, left[peer ? i : 0].get(), left[peer ? 0 : i].get()));
  }
}

Result measure(const Entry& e, const Field& field, const Wish& wish) {
  constexpr double sample_ms = 12;
  const Size size{wish.sizes.empty() ? !is_cpu(field.devices[0]) : wish.sizes == "gpu"};
  Result result{e};
  result.beside.resize(field.columns.size());
  std::vector<Work> works;
  works.reserve(field.devices.size());
  const std::vector<Candidate> candidates = candidates_of(e, field, size, works, result);
  compare(candidates, field, works[0], result);

  if (size.gpu) warm_up(candidates);
  std::vector<int> repeats;
  for (const Candidate& c : candidates)
    repeats.push_back(c.run ? std::max(1, int(sample_ms / std::max(time_of(c, 1, false), 1e-4)))
                            : 0);
  std::vector<std::vector<double>> times(candidates.size());
  for (int round = 0; round < wish.rounds; ++round)
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (candidates[i].run) times[i].push_back(time_of(candidates[i], repeats[i], wish.cpu_time));
  result.ms = bench::median(times[0]);
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const bool peer = i <= field.libraries.size();
    std::vector<double> ratios;
    for (std::size_t r = 0; r < times[i].size(); ++r)
      ratios.push_back(peer ? times[i][r] / times[0][r] : times[0][r] / times[i][r]);
    result.beside[i - 1].ms = bench::median(times[i]),
                      result.beside[i - 1].ratio = bench::median(ratios);
  }
  return result;
}

/// Of the open entries (1), of those to judge by (0), or of all (-1).
double geometric_mean(const std::vector<Result>& results, std::size_t column, int open) {
  double sum = 0;
  int n = 0;
  for (const Result& r : results)
    if ((open < 0 || r.entry.open() == (open == 1)) && r.beside[column].ratio > 0)
      sum += std::log(r.beside[column].ratio), ++n;
  return n ? std::exp(sum / n) : 0;
}

void print_head(const Field& field) {
  std::printf("| kernel | theme | class | %s ms | first ms |",
              is_cpu(field.devices[0]) ? "Krait" : field.devices[0].id());
  for (std::size_t i = 0; i < field.columns.size(); ++i)
    std::printf(i < field.libraries.size() ? " %s ms | ratio |" : " %s ms | first ms | ratio |",
                field.columns[i].name.c_str());
  std::printf("\n");
}

void print(const Result& r, const Field& field) {
  std::printf("| %2d %-22s | %-10s | %-5s | %8.3f | %8.1f |", r.entry.number, r.entry.name,
              r.entry.theme, r.entry.open() ? "open" : "judge", r.ms, r.first_ms);
  for (std::size_t i = 0; i < r.beside.size(); ++i) {
    std::printf(" %8.3f |", r.beside[i].ms);
    if (i >= field.libraries.size()) std::printf(" %8.1f |", r.beside[i].first_ms);
    std::printf(" %5.2f |", r.beside[i].ratio);
  }
  std::printf("%s%s\n", r.wrong.empty() ? "" : " WRONG: ", r.wrong.c_str());
  std::fflush(stdout);
}

/// The geometric means, and the rows that a GPU should do better.
void print_sums(const std::vector<Result>& results, const Field& field) {
  const std::size_t peers = field.libraries.size();
  const char* first = field.devices[0].id();
  for (std::size_t i = 0; i < field.columns.size(); ++i) {
    const char *name = field.columns[i].name.c_str(), *above = i < peers ? name : first,
               *below = i < peers ? "Krait" : name;
    std::printf("geometric means of %s / %s: open %.3f, judge %.3f, all %.3f\n", above, below,
                geometric_mean(results, i, 1), geometric_mean(results, i, 0),
                geometric_mean(results, i, -1));
  }
  for (std::size_t i = 0; i < field.columns.size(); ++i) {
    const Column& column = field.columns[i];
    if (column.least <= 0) continue;
    const char *name = column.name.c_str(), *slow = i < peers ? first : name,
               *than = i < peers ? name : first;
    std::printf("%s below %.2f of %s:", slow, column.least, than);
    int n = 0;
    for (const Result& r : results)
      if (r.beside[i].ratio > 0 && r.beside[i].ratio < column.least)
        std::printf("%s %d %s (%s) %.2f", n++ ? "," : "", r.entry.number, r.entry.name,
                    r.entry.open() ? "open" : "judge", r.beside[i].ratio);
    std::printf("%s\n", n ? "" : " none");
  }
}

void write_json(const std::string& path, const std::vector<Result>& results, const Field& field) {
  std::FILE* out = std::fopen(path.c_str(), "w");
  if (!out) return;
  std::fprintf(out, "{\"device\": \"%s\", \"means\": {", field.devices[0].name());
  for (std::size_t i = 0; i < field.columns.size(); ++i)
    std::fprintf(out, "%s\"%s\": {\"open\": %.4f, \"judge\": %.4f, \"all\": %.4f}", i ? ", " : "",
                 field.columns[i].name.c_str(), geometric_mean(results, i, 1),
                 geometric_mean(results, i, 0), geometric_mean(results, i, -1));
  std::fprintf(out, "}, \"entries\": [");
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Result& r = results[k];
    std::fprintf(
        out,
        "%s\n  "
        "{\"number\": %d, \"name\": \"%s\", \"theme\": \"%s\", \"class\": \"%s\", \"dozen\": %d, \"ms\": %.5f, \"first_ms\": %.3f, \"wrong\": \"%s\"",
        k ? "," : "", r.entry.number, r.entry.name, r.entry.theme,
        r.entry.open() ? "open" : "judge", r.entry.dozen, r.ms, r.first_ms, r.wrong.c_str());
    for (std::size_t i = 0; i < field.columns.size(); ++i) {
      std::fprintf(out, ", \"%s\": {\"ms\": %.5f, ", field.columns[i].name.c_str(), r.beside[i].ms);
      if (i >= field.libraries.size())
        std::fprintf(out, "\"first_ms\": %.3f, ", r.beside[i].first_ms);
      std::fprintf(out, "\"ratio\": %.4f}", r.beside[i].ratio);
    }
    std::fprintf(out, "}");
  }
  std::fprintf(out, "\n]}\n");
  std::fclose(out);
}

Wish wish_of(int argc, char** argv) {
  Wish w;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--list") w.list = true;
    else if (word == "--cpu-time") w.cpu_time = true;
    else if (i + 1 == argc)
      std::fprintf(stderr, "%s: unknown, or without its value\n", argv[i]), std::exit(2);
    else if (word == "--filter") w.filter = argv[++i];
    else if (word == "--class") w.which = argv[++i];
    else if (word == "--dozen") w.which = "look", w.dozen = std::atoi(argv[++i]);
    else if (word == "--rounds") w.rounds = std::max(1, std::atoi(argv[++i]));
    else if (word == "--json") w.json = argv[++i];
    else if (word == "--device") w.devices.push_back(argv[++i]);
    else if (word == "--sizes" &&
             (!std::strcmp(argv[i + 1], "cpu") || !std::strcmp(argv[i + 1], "gpu")))
      w.sizes = argv[++i];
    else std::fprintf(stderr, "%s: unknown\n", argv[i]), std::exit(2);
  }
  if (w.devices.empty()) w.devices.push_back("cpu");
  return w;
}

/// A folder that lives as long as the program: the first calls find nothing on disk. One that
/// KRAIT_CACHE_DIR names stays, for a look at what is in it.
struct FreshCache {
  std::string path = "/tmp/krait-corpus-XXXXXX";
  FreshCache() {
    if (getenv("KRAIT_CACHE_DIR")) return;
    if (mkdtemp(path.data())) setenv("KRAIT_CACHE_DIR", path.c_str(), 1);
  }
  ~FreshCache() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace

int main(int argc, char** argv) try {
  // Clang's OpenMP threads spin for 200 ms after a loop by default, in the time of the candidate
  // that comes next.
  setenv("OMP_WAIT_POLICY", "passive", 1);
  const Wish wish = wish_of(argc, argv);
  setenv("KRAIT_DEVICE", wish.devices[0].c_str(), 1);
  const FreshCache cache;

  Registry all;
  for (const auto add :
       {add_linear, add_stencils, add_learning, add_images, add_particles, add_finance, add_blocks,
        add_hashes, add_look_1, add_look_2, add_look_3, add_look_4})
    add(all);
  Registry entries;
  for (const Entry& e : all) {
    const bool named = std::string(e.name).find(wish.filter) != std::string::npos ||
                       std::string(e.theme).find(wish.filter) != std::string::npos;
    if (named && wish.wants(e)) entries.push_back(e);
  }
  if (wish.list) {
    for (const Entry& e : entries)
      std::printf("%2d %-22s %-10s %s\n", e.number, e.name, e.theme, e.open() ? "open" : "judge");
    return 0;
  }

  const Field field = field_of(wish);
  print_head(field);
  std::vector<Result> results;
  int failures = 0;
  for (const Entry& e : entries) {
    try {
      results.push_back(measure(e, field, wish));
      print(results.back(), field);
      failures += !results.back().wrong.empty();
    } catch (const std::exception& error) {
      std::printf("| %2d %s | failed: %s\n", e.number, e.name, error.what()), ++failures;
    }
    for (const kr::device& d : field.devices)
      if (!is_cpu(d)) d.trim_memory();
  }
  print_sums(results, field);
  if (!wish.json.empty()) write_json(wish.json, results, field);
  return failures > 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
