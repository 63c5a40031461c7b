// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/share.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "support/environment.h"

namespace krait::runtime::cpu {
namespace {

/// A launcher's variables of each rank. SLURM's list, "2(x3),1", is of the step's nodes; it is set
/// for the processes of srun alone, not for a script's own. mpirun within SLURM sets both.
struct Launcher {
  const char *ranks, *place, *node;
};
constexpr Launcher launchers[] = {
    {"OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", nullptr},
    {"MPI_LOCALNRANKS", "MPI_LOCALRANKID", nullptr},  // Hydra: MPICH, Intel MPI, MVAPICH
    {"SLURM_STEP_TASKS_PER_NODE", "SLURM_LOCALID", "SLURM_NODEID"},
};
const Launcher* launcher() {
  for (const Launcher& l : launchers)
    if (support::environment_text(l.ranks)) return &l;
  return nullptr;
}
long number_of(const char* variable) {
  const char* const text = variable ? support::environment_text(variable) : nullptr;
  return text ? std::strtol(text, nullptr, 10) : 0;
}

unsigned processors_of(pid_t process) {
  cpu_set_t cores;
  return sched_getaffinity(process, sizeof cores, &cores) == 0 ? unsigned(CPU_COUNT(&cores)) : 0;
}

}  // namespace

unsigned ranks_of_node() {
  const Launcher* const by = launcher();
  if (!by) return 1;
  long rest = number_of(by->node), ranks = 1;
  for (const char* at = support::environment_text(by->ranks); at && rest >= 0;) {
    char* end = nullptr;
    ranks = std::strtol(at, &end, 10);
    const long nodes = std::strncmp(end, "(x", 2) == 0 ? std::strtol(end + 2, nullptr, 10) : 1;
    rest -= std::max(nodes, 1l);
    at = std::strchr(end, ',');
    if (at) ++at;
  }
  return unsigned(std::clamp(ranks, 1l, 1l << 16));
}

unsigned threads_of_rank(unsigned own, unsigned of_node, unsigned ranks) {
  return std::max(1u, std::min(own, std::max(own, of_node) / std::max(1u, ranks)));
}

std::string unused_processors(unsigned own, unsigned of_node, unsigned ranks) {
  const unsigned threads = threads_of_rank(own, of_node, ranks);
  if (threads < own)
    return fmt::format(
        "{} ranks share the {} processors of this node, and each computes with {} of them: "
        "KRAIT_NUM_THREADS is another number",
        ranks, of_node, threads);
  if (own < of_node / ranks)
    return fmt::format(
        "each of {} ranks may use {} of the {} processors of this node: start them with "
        "--bind-to none, or with more processors each",
        ranks, own, of_node);
  return "";
}

unsigned threads_of_process() {
  unsigned own = processors_of(0);
  if (own == 0) own = std::max(1u, std::thread::hardware_concurrency());
  const unsigned ranks = ranks_of_node();
  if (ranks == 1) return own;
  // The first process of the machine, or of the container, has all processors.
  const unsigned all = std::max(own, processors_of(1));
  const std::string why = unused_processors(own, all, ranks);
  if (!why.empty() && number_of(launcher()->place) == 0 &&
      support::hinting() != support::Hinting::None)
    std::fprintf(stderr, "krait: warning: %s\n", why.c_str());
  return threads_of_rank(own, all, ranks);
}

}  // namespace krait::runtime::cpu
