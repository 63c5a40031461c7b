// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interleaved single runs by the device's own clock.
#pragma once

#include <krait/krait.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "measure.h"

struct CudaPeer;

namespace bench {
namespace kr = krait;

/// Elements and sides. `quick` is for trying the suite out, where its figures mean nothing.
struct Sizes {
  int log_n = 28, log_keys = 26;  // elements of element-wise work, keys to sort
  int mandelbrot = 8192, bodies = 65536, jacobi = 16384, transpose = 16384, sgemm = 4096;
  int rounds = 21;
  static Sizes quick() {
    return {.log_n = 16,
            .log_keys = 16,
            .mandelbrot = 256,
            .bodies = 2048,
            .jacobi = 256,
            .transpose = 256,
            .sgemm = 256,
            .rounds = 3};
  }
};

struct GpuRow {
  std::string name;
  double bytes;  // moved by one run; 0: not a matter of memory
  std::vector<Candidate> candidates;
};

/// Median device time of single runs, interleaved; printed, and given back as a row of the table.
inline Row measure_on(const kr::device& on, GpuRow& row, int rounds) {
  kr::event start(on), stop(on);
  std::vector<std::vector<double>> times(row.candidates.size());
  // Seconds of host work before a row let a GPU's clock fall, on an H200 from 1980 to 345 MHz, and
  // it takes a while to rise again.
  for (Candidate& c : row.candidates) c.run();
  kr::wait_for_compilations();  // first launches ran code that was soon compiled
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (Candidate& c : row.candidates) c.run(), c.run();
    on.synchronize();
  } while (std::chrono::steady_clock::now() - begin <
           std::chrono::milliseconds(rounds > 3 ? 300 : 0));
  for (int r = 0; r < rounds; ++r)
    for (std::size_t i = 0; i < row.candidates.size(); ++i) {
      start.record();
      row.candidates[i].run();
      stop.record();
      times[i].push_back(stop.elapsed_ms_since(start));
    }
  for (std::size_t i = 0; i < row.candidates.size(); ++i) {
    row.candidates[i].ms = median(times[i]);
    for (int r = 0; r < rounds; ++r)
      row.candidates[i].ratios.push_back(times[0][std::size_t(r)] / times[i][std::size_t(r)]);
  }
  std::printf("| %s |", row.name.c_str());
  for (const Candidate& c : row.candidates) {
    std::printf(" %s %.4f ms", c.name.c_str(), c.ms);
    if (row.bytes > 0) std::printf(" %.0f GB/s", row.bytes / c.ms / 1e6);
    std::printf(" (%.3fx) |", median(c.ratios));
  }
  std::printf("\n");
  std::fflush(stdout);
  return {row.name, std::move(row.candidates)};
}

/// How the kernels came to be: the line under a table.
inline void print_configuration() {
  const auto value = [](const char* name, const char* otherwise) {
    const char* v = std::getenv(name);
    return v && *v ? v : otherwise;
  };
  const kr::statistics s = kr::stats();
  std::printf(
      "cache %s, tiers %s: %llu kernels compiled, %llu from disk, "
      "%llu improved in the background\n",
      value("KRAIT_CACHE", "rw (the default)"), value("KRAIT_TIERS", "on (the default)"),
      static_cast<unsigned long long>(s.compiled()), static_cast<unsigned long long>(s.from_disk()),
      static_cast<unsigned long long>(s.improved()));
}

/// The workloads of whole blocks (gpu_blocks.cpp); `peer` may be null. Candidates are named `ours`
/// and what follows.
void measure_blocks(const krait::device& on, const CudaPeer* peer, const Sizes& sizes,
                    const std::string& ours, std::vector<Row>& rows);

}  // namespace bench
