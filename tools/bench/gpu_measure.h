// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interleaved single runs by the device's own clock.
#pragma once

#include <krait/krait.h>

#include <cstdio>
#include <vector>

#include "measure.h"

struct CudaPeer;

namespace bench {
namespace kr = krait;

struct GpuRow {
  const char* name;
  double bytes;  // moved by one run; 0: not a matter of memory
  std::vector<Candidate> candidates;
};

/// Median device time of single runs, interleaved; printed, and given back as a row of the table.
inline Row measure_on(const kr::device& on, GpuRow& row, int rounds) {
  kr::event start(on), stop(on);
  std::vector<std::vector<double>> times(row.candidates.size());
  for (Candidate& c : row.candidates) c.run(), c.run();
  for (int r = 0; r < rounds; ++r)
    for (std::size_t i = 0; i < row.candidates.size(); ++i) {
      start.record();
      row.candidates[i].run();
      stop.record();
      times[i].push_back(stop.elapsed_ms_since(start));
    }
  for (std::size_t i = 0; i < row.candidates.size(); ++i) {
    row.candidates[i].ms = median(times[i]);
    for (int r = 0; r < rounds; ++r) row.candidates[i].ratios.push_back(times[0][std::size_t(r)] / times[i][std::size_t(r)]);
  }
  std::printf("| %s |", row.name);
  for (const Candidate& c : row.candidates) {
    std::printf(" %s %.4f ms", c.name.c_str(), c.ms);
    if (row.bytes > 0) std::printf(" %.0f GB/s", row.bytes / c.ms / 1e6);
    std::printf(" (%.3fx) |", median(c.ratios));
  }
  std::printf("\n");
  std::fflush(stdout);
  return {row.name, std::move(row.candidates)};
}

/// The workloads of whole blocks (gpu_blocks.cpp); `peer` may be null.
void measure_blocks(const krait::device& on, const CudaPeer* peer, int rounds, std::vector<Row>& rows);

}  // namespace bench
