// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of the CPU table: Krait's candidates beside the peers', each held to the first one's
// result before it is timed.
#pragma once

#include <krait/krait.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "measure.h"
#include "peer.h"

namespace bench {
namespace kr = krait;
using Run = std::function<void()>;

/// The elements of an array of the CPU.
template <class T, int N>
T* raw(const kr::array<T, N>& a) {
  return reinterpret_cast<T*>(a.address());
}
template <class T, int N>
std::span<T> span_of(const kr::array<T, N>& a) {
  return {raw(a), std::size_t(a.size())};
}

struct CpuSuite {
  std::vector<const Peer*> peers;
  int rounds;
  double sample_ms;
  Clock clock;
  std::string only;  // a part of the names of the rows that are measured
  std::vector<Row> rows;

  /// `of_peer(peer)` is empty where the peer lacks the workload. `out` is what a run leaves; two
  /// results differ by at most `tolerance` of the first one's sum of magnitudes.
  template <class T>
  void add(const std::string& name, const std::function<Run(const Peer&)>& of_peer,
           std::vector<Candidate> ours, std::span<T> out, double tolerance) {
    if (name.find(only) == std::string::npos) return;
    Row row{name, {}};
    for (const Peer* p : peers)
      if (Run f = of_peer(*p)) row.candidates.push_back({p->name, std::move(f), 0, {}});
    for (Candidate& c : ours) row.candidates.push_back(std::move(c));
    measure(row, rounds, sample_ms, clock);
    std::vector<T> expected;
    for (const Candidate& c : row.candidates) {
      std::fill(out.begin(), out.end(), T(0));
      c.run();
      if (expected.empty()) expected.assign(out.begin(), out.end());
      double difference = 0, all = 0;
      for (std::size_t i = 0; i < out.size(); ++i)
        difference += std::fabs(double(out[i]) - double(expected[i])),
            all += std::fabs(double(expected[i]));
      if (!(difference <= tolerance * all) || all == 0)
        throw kr::error(kr::error::kind_type::internal,
                        (name + ": the results of " + c.name + " are wrong").c_str(), "", 0);
    }
    print(row);
    rows.push_back(std::move(row));
  }
};

/// The workloads of whole blocks (cpu_blocks.cpp) on the same data, 2^24 elements.
void measure_blocks(CpuSuite& suite, const std::vector<float>& hx, const std::vector<float>& hy);

}  // namespace bench
