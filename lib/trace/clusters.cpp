// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a cluster, as krait/cluster.h asks for them.
#include <fmt/core.h>

#include "krait/control.h"
#include "krait/index.h"
#include "krait/warp.h"
#include "trace/recorder.h"

namespace krait::detail {
namespace {

using trace::Recorder;

bool in_clusters(Recorder& r, const char* what) {
  if (r.functions.kernel().in_clusters()) return true;
  r.found.misuse(fmt::format(
      "{} in a kernel without clusters: give it the option cluster, as in kr::kernel(f, "
      "{{.cluster = 2}})",
      what));
  return false;
}

/// Where accesses are checked: a fault and block 0 for what no block has.
value<std::int32_t> checked_rank(const value<std::int32_t>& rank) {
  const auto blocks = std::int32_t(cluster_size());
  const value<bool> there = rank >= 0 && rank < blocks;
  const node values[] = {node_of(rank)};
  const std::string text = fmt::format("cluster: block {{}}, of {} in the cluster", blocks);
  report_unless(node_of(there), text.c_str(), values, 1, trace::recorder().found.where());
  return select(there, rank, 0);
}

}  // namespace

int cluster_size() {
  Recorder& r = trace::recorder();
  return in_clusters(r, "cluster_size()") ? int(ir::blocks_of_cluster(r.functions.kernel().cluster))
                                          : 1;
}

node cluster_rank() {
  Recorder& r = trace::recorder();
  const auto cluster = in_clusters(r, "cluster_rank()") ? r.functions.kernel().cluster
                                                        : std::array<std::int64_t, 3>{1, 1, 1};
  const auto along = [](const value<std::int64_t>& block, std::int64_t blocks) {
    return cast<std::int32_t>(block % blocks);
  };
  const auto block = block_idx();
  node rank = node_of(along(block.x, cluster[0]));
  if (cluster[1] > 1)
    rank =
        node_of(value<std::int32_t>(rank) + along(block.y, cluster[1]) * std::int32_t(cluster[0]));
  if (cluster[2] > 1)
    rank = node_of(value<std::int32_t>(rank) +
                   along(block.z, cluster[2]) * std::int32_t(cluster[0] * cluster[1]));
  return rank;
}

node shared_of(node array, node rank) {
  Recorder& r = trace::recorder();
  const ir::ValueId own = r.resolve(array);
  if (own == ir::none || !in_clusters(r, "cluster_shared()")) return array;
  ir::Type type = r.function().type_of(own);
  if (r.in_function() || type.space != ir::Space::Shared) {
    r.found.misuse(
        r.in_function()
            ? "cluster_shared inside a kr::function: read the elements in the kernel, and pass them"
            : "cluster_shared takes an array of kr::shared or kr::dynamic_shared");
    return array;
  }
  type.space = ir::Space::Cluster;
  const node given = r.node_of(r.use_as(ir::Scalar::I32, rank));
  const node which =
      r.function().checked ? node_of(checked_rank(value<std::int32_t>(given))) : given;
  const ir::InstId inst = r.append(ir::Op::SharedOf, type, {own, r.use(which)});
  return r.node_of(r.at().add_result(inst, type));
}

}  // namespace krait::detail
