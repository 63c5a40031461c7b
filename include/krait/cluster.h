// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters: neighbouring blocks that run at once and see each other's shared memory.
//
//   auto histogram = kr::kernel(
//       [](kr::view<const std::uint32_t> bins_of, kr::view<std::uint32_t> counts) {
//         auto own = kr::shared<std::uint32_t, 1024>();  // of the 4 * 1024 that a cluster counts
//         …
//         kr::cluster_sync();
//         kr::atomic(kr::cluster_shared(own, kr::cast<int>(bin / 1024))[bin % 1024]).add(1u);
//         kr::cluster_sync();
//       },
//       {.cluster = 4});
//
// NVIDIA's devices have them from sm_90 on; the interpreter runs them, too. Elsewhere such a kernel does not compile.
// (CUDA C++ programming guide, thread block clusters.)
#pragma once

#include <krait/memory.h>
#include <krait/value.h>

namespace krait {

/// Every thread of the cluster's blocks arrives before one goes on, and sees what the others wrote. All threads must reach it.
inline void cluster_sync(detail::location where = detail::location::here()) {
  detail::set_location(where);
  detail::synchronise(detail::op::ClusterBarrier);
}
/// The block's number in its cluster, x fastest: 0 to cluster_size() - 1.
inline value<int> cluster_rank(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return value<int>(detail::cluster_rank());
}
/// Blocks of a cluster: the product of the option's extents.
inline int cluster_size(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return detail::cluster_size();
}
/// The array `own` as the cluster's block of this rank has it; threads may name different blocks. That block must have begun and not
/// ended: let all meet at cluster_sync() before the first and after the last access. A rank that no block has is undefined, and a fault on
/// the interpreter and where accesses are checked.
template <class Type, int Rank>
view<Type, Rank> cluster_shared(const view<Type, Rank>& own, detail::operand rank,
                                detail::location where = detail::location::here()) {
  detail::set_location(where);
  return view<Type, Rank>(detail::shared_of(node_of(own), node_of(rank)));
}

}  // namespace krait
