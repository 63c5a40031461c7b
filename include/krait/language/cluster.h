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
// NVIDIA GPUs have them from sm_90 on, and so has the interpreter. Elsewhere a kernel with clusters
// does not compile. (CUDA C++ programming guide, thread block clusters.)
#pragma once

#include <krait/memory.h>
#include <krait/value.h>

namespace krait {

/// A barrier for all threads of a cluster, which then see what the others wrote before it.
/// All threads must reach it.
/// \code
/// kr::cluster_sync();
/// \endcode
inline void cluster_sync(detail::location where = detail::location::here()) {
  detail::set_location(where);
  detail::synchronise(detail::op::ClusterBarrier);
}
/// The number of the block in its cluster, from 0 to cluster_size() - 1; x is the fastest
/// dimension.
/// \code
/// kr::if_(kr::cluster_rank() == 0, [&] { counts[0] = kr::cluster_size(); });
/// \endcode
inline value<int> cluster_rank(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return value<int>(detail::cluster_rank());
}
/// The number of blocks per cluster: the product of the option's extents.
inline int cluster_size(detail::location where = detail::location::here()) {
  detail::set_location(where);
  return detail::cluster_size();
}
/// The shared array `own` of another block of the cluster, chosen by its rank.
/// The other block must have begun and not ended: call cluster_sync() before the first and after
/// the last access. An invalid rank is undefined; the interpreter and checked kernels report it.
/// \code
/// auto own = kr::shared<int, 64>();
/// kr::cluster_sync();
/// y[i] = kr::cluster_shared(own, 0)[0];
/// \endcode
template <class Type, int Rank>
view<Type, Rank> cluster_shared(const view<Type, Rank>& own, detail::operand rank,
                                detail::location where = detail::location::here()) {
  detail::set_location(where);
  return view<Type, Rank>(detail::shared_of(node_of(own), node_of(rank)));
}

}  // namespace krait
