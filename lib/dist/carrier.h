// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What carries parts of arrays between ranks: the choice, which all ranks make alike.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dist/nccl.h"

namespace krait::dist::detail {

/// The engine, in the host's memory or, by an MPI that can, in the device's; or NCCL.
enum class Carrier : std::uint8_t { Host, Mpi, Nccl };

/// What each rank tells the others before they choose.
struct Offer {
  std::uint8_t wish = 0;           // of KRAIT_DIST_GPU: 0, or 1 more than the carrier
  bool says = false, may = false;  // of the engine: that it takes addresses of devices
  int version = 0;                 // NCCL's; 0: `why` it cannot be used
  char hardware[16] = {};
  NcclId id;  // of rank 0
  char why[192] = {};
};

/// This rank's offer; `table` is null where it has no NCCL. Throws error{usage} for a wrong
/// KRAIT_DIST_GPU.
Offer offer_of(runtime::Device& device, const std::string& device_id, bool first,
               const NcclTable*& table);

struct Choice {
  Carrier carrier = Carrier::Host;
  std::string why;  // a better one is not taken
};
/// Throws error{usage} where ranks wish what differs, or what cannot be.
Choice chosen(std::span<const Offer> of_ranks);

/// "by NCCL".
const char* text_of(Carrier carrier);

}  // namespace krait::dist::detail
