// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dist/carrier.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "support/environment.h"
#include "support/error.h"

namespace krait::dist::detail {
namespace {

constexpr const char* words[] = {"host", "mpi", "nccl"};

std::uint8_t wish() {
  const char* const given = support::environment_text("KRAIT_DIST_GPU");
  if (!given) return 0;
  for (std::uint8_t i = 0; i < std::size(words); ++i)
    if (std::strcmp(given, words[i]) == 0) return i + 1;
  support::fail_usage("KRAIT_DIST_GPU is \"{}\", but must be nccl, mpi or host", given);
}

/// Why NCCL cannot carry; empty: it can.
std::string against_nccl(std::span<const Offer> of_ranks) {
  for (std::size_t r = 0; r < of_ranks.size(); ++r) {
    const Offer& o = of_ranks[r];
    if (o.version == 0) return fmt::format("rank {}: {}", r, o.why);
    if (o.version != of_ranks[0].version)
      return fmt::format("rank 0 has version {} of NCCL, rank {} has {}", of_ranks[0].version, r,
                         o.version);
    for (std::size_t s = 0; s < r; ++s)
      if (std::memcmp(o.hardware, of_ranks[s].hardware, sizeof o.hardware) == 0)
        return fmt::format("ranks {} and {} are on one GPU, which NCCL does not allow", s, r);
  }
  return {};
}
std::string against_mpi(std::span<const Offer> of_ranks) {
  for (std::size_t r = 0; r < of_ranks.size(); ++r)
    if (!of_ranks[r].may) return fmt::format("rank {} is a thread, not a process of MPI", r);
  return {};
}

}  // namespace

const char* text_of(Carrier carrier) {
  return carrier == Carrier::Nccl  ? "by NCCL"
         : carrier == Carrier::Mpi ? "by MPI from GPU to GPU"
                                   : "through host memory";
}

Offer offer_of(runtime::Device& device, const std::string& device_id, bool first,
               const NcclTable*& table) {
  Offer o;
  o.wish = wish();
  const std::string hardware = device.async() ? device.async()->hardware() : "";
  std::string why = device_id + " does not belong to CUDA";
  table = nullptr;
  if (!hardware.empty() && (o.wish == 0 || words[o.wish - 1] == std::string_view("nccl")))
    table = nccl_table(why);
  if (table && (table->version(&o.version) != 0 || (first && table->new_id(&o.id) != 0)))
    table = nullptr, o.version = 0, why = "NCCL does not start: NCCL_DEBUG=WARN tells more";
  hardware.copy(o.hardware, sizeof o.hardware);
  why.copy(o.why, sizeof o.why - 1);
  return o;
}

Choice chosen(std::span<const Offer> of_ranks) {
  const std::uint8_t wished = of_ranks[0].wish;
  for (std::size_t r = 1; r < of_ranks.size(); ++r)
    if (of_ranks[r].wish != wished) {
      const auto word = [](std::uint8_t w) { return w ? words[w - 1] : "not set"; };
      support::fail_usage("KRAIT_DIST_GPU is {} on rank 0, but {} on rank {}: set it alike on all",
                          word(wished), word(of_ranks[r].wish), r);
    }
  Choice choice;
  if (wished) {
    choice.carrier = Carrier(wished - 1);
    if (choice.carrier == Carrier::Nccl) choice.why = against_nccl(of_ranks);
    if (choice.carrier == Carrier::Mpi) choice.why = against_mpi(of_ranks);
    if (!choice.why.empty())
      support::fail_usage("KRAIT_DIST_GPU={}: {}", words[wished - 1], choice.why);
    return choice;
  }
  choice.why = against_nccl(of_ranks);
  if (choice.why.empty()) choice.carrier = Carrier::Nccl;
  else if (std::ranges::all_of(of_ranks, [](const Offer& o) { return o.says; }))
    choice.carrier = Carrier::Mpi;
  return choice;
}

}  // namespace krait::dist::detail
