// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interleaved rounds: every candidate of a workload is run in turn, at least 200 ms a sample and
// nine rounds, and medians are compared; what disturbs the machine disturbs all of them.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct Candidate {
  std::string name;
  std::function<void()> run;
  double ms = 0;               // median time of one run
  double first_ms = 0;         // of the first run above that: compiling, for ours
  std::vector<double> ratios;  // by round: the base's time over this one's
};

inline double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}
/// What is counted: the time that passes, or what all threads of the process compute, the better
/// measure on a machine that is shared.
enum class Clock { Wall, Processor };
inline double time_of(const std::function<void()>& run, int repeats, Clock clock = Clock::Wall) {
  const auto now = [clock] {
    timespec t{};
    clock_gettime(clock == Clock::Wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * double(t.tv_sec) + 1e-6 * double(t.tv_nsec);
  };
  const double start = now();
  for (int i = 0; i < repeats; ++i) run();
  return (now() - start) / repeats;
}

/// What a program was asked for: [DEVICE] [--quick] [--cpu-time] [--only TEXT] [--json FILE]; TEXT:
/// a part of the workloads' names.
struct Wishes {
  const char *device = nullptr, *json = nullptr, *only = "";
  bool quick = false;
  Clock clock = Clock::Wall;

  Wishes(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string_view given = argv[i];
      if (given == "--quick") quick = true;
      else if (given == "--cpu-time") clock = Clock::Processor;
      else if (given == "--only" && i + 1 < argc) only = argv[++i];
      else if (given == "--json" && i + 1 < argc) json = argv[++i];
      else device = argv[i];
    }
  }
  bool wants(const std::string& workload) const { return workload.find(only) != std::string::npos; }
};

struct Row {
  std::string workload;
  std::vector<Candidate> candidates;  // the first is the base of the ratios
};

/// Fills in times and ratios.
inline void measure(Row& row, int rounds = 9, double sample_ms = 200, Clock clock = Clock::Wall) {
  std::vector<int> repeats;
  std::vector<std::vector<double>> times(row.candidates.size());
  for (Candidate& c : row.candidates) {
    c.first_ms = time_of(c.run, 1, clock);
    repeats.push_back(std::max(1, int(sample_ms / std::max(time_of(c.run, 1, clock), 1e-4))));
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < row.candidates.size(); ++i)
      times[i].push_back(time_of(row.candidates[i].run, repeats[i], clock));
  for (std::size_t i = 0; i < row.candidates.size(); ++i) {
    row.candidates[i].ms = median(times[i]);
    row.candidates[i].first_ms = std::max(row.candidates[i].first_ms - row.candidates[i].ms, 0.0);
    for (int round = 0; round < rounds; ++round)
      row.candidates[i].ratios.push_back(times[0][std::size_t(round)] /
                                         times[i][std::size_t(round)]);
  }
}

inline void print(const Row& row) {
  std::printf("| %s |", row.workload.c_str());
  for (const Candidate& c : row.candidates)
    std::printf(" %s %.3f ms (%.2fx, first +%.1f ms) |", c.name.c_str(), c.ms, median(c.ratios),
                c.first_ms);
  std::printf("\n");
  std::fflush(stdout);
}

inline void write_json(const std::string& path, const std::vector<Row>& rows,
                       const std::string& machine) {
  std::FILE* out = std::fopen(path.c_str(), "w");
  if (!out) return;
  std::fprintf(out, "{\"machine\": \"%s\", \"rows\": [", machine.c_str());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::fprintf(out, "%s\n  {\"workload\": \"%s\", \"candidates\": [", r ? "," : "",
                 rows[r].workload.c_str());
    for (std::size_t i = 0; i < rows[r].candidates.size(); ++i) {
      const Candidate& c = rows[r].candidates[i];
      std::fprintf(out, "%s{\"name\": \"%s\", \"ms\": %.5f, \"first_ms\": %.3f, \"ratio\": %.4f}",
                   i ? ", " : "", c.name.c_str(), c.ms, c.first_ms, median(c.ratios));
    }
    std::fprintf(out, "]}");
  }
  std::fprintf(out, "\n]}\n");
  std::fclose(out);
}

}  // namespace bench
