// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles as PTX has them: copies by the hardware, tensor cores, fences.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <sstream>

#include "ir/text/text.h"
#include "passes/passes.h"
#include "support/blobs/ptx.h"
#include "support/kernel_file.h"
#include "support/plugin.h"

namespace krait::test {
namespace {

constexpr ir::Facts dense{.contiguous = true};

TEST(PtxTiles, HeldFactorsGoFromRegisters) {
  for (const char* type : {"f16", "bf16"})
    for (const auto& [sm, target] :
         {std::pair{80u, "ptx sm=80 isa=70"}, {90u, "ptx sm=90 isa=80"}}) {
      ir::Module m = kernel_of("held_left_factor", {{"TYPE", type}}, dense);
      ASSERT_EQ(passes::run_pipeline(m, support::parse_target(target).target, false), "");
      Compiled ptx = compile(ir::print(m), target);
      ASSERT_EQ(ptx.status, 0) << ptx.log;
      EXPECT_TRUE(contains(ptx.data, "mma.sync")) << ptx.data;
      EXPECT_FALSE(contains(ptx.data, "x4.shared")) << "of a left factor\n" << ptx.data;
      Assembled code = assemble(ptx.data, sm);
      if (!code.found) GTEST_SKIP() << "no ptxas: nothing assembled";
      EXPECT_EQ(code.status, 0) << code.log << ptx.data;
    }
}

/// Of views that are only read, which the host gives a map of; others go a piece at a time.
TEST(PtxTiles, TilesAreCopiedByOneThreadFromSm90On) {
  const auto ptx = [](unsigned sm, const char* facts, const char* writable) {
    const std::string kir = fmt::format(R"(kir 1
kernel @k fp(native) {} block(128, 1, 1) (%0: view<bf16, 3{}>, %1: view<bf16, 1>) {{
  %2: shared<bf16, 1> = shared {{16384}}
  %3: i32 = const 0
  %4: i64 = block_idx {{0}}
  %5: i64 = const 64
  %6: i64 = mul %4, %5
  copy_tile %2, %3, %0, %4, %6, %6 {{128, 128, 0}}
  copy_group
  copy_wait {{0}}
  barrier
  %7: i64 = thread_idx {{0}}
  %8: bf16 = load %2, %7
  store.bf16 %1, %7, %8
  return
}}
)",
                                        facts, writable);
    ir::ParseResult parsed = ir::parse(kir);
    EXPECT_EQ(parsed.error, "");
    const std::string target = fmt::format("ptx sm={} isa=80", sm);
    EXPECT_EQ(passes::run_pipeline(parsed.module, support::parse_target(target).target, true), "");
    const Compiled made = compile(ir::print(parsed.module), target);
    EXPECT_EQ(made.status, 0) << made.log;
    const Assembled code = assemble(made.data, sm);
    EXPECT_TRUE(!code.found || code.status == 0) << code.log << made.data;
    return made;
  };
  constexpr const char *known = "facts(contiguous, aligned, small, disjoint)", *read = ", const",
                       *tile = "cp.async.bulk.tensor.3d";
  const Compiled one = ptx(90, known, read);
  EXPECT_EQ(count(one.data, tile), 2u) << "one for each strip of 128 bytes\n" << one.data;
  EXPECT_TRUE(contains(one.data, ".align 64 .b8") && contains(one.data, "mbarrier.try_wait"))
      << one.data;
  EXPECT_FALSE(contains(one.data, "cp.async.cg")) << one.data;
  ASSERT_EQ(one.envelope.arguments.hidden.size(), 1u);
  const support::TileMapOf map(one.envelope.arguments.hidden[0].index);
  EXPECT_EQ(map.param, 0u);
  EXPECT_EQ(map.rows, 128u);
  for (const Compiled& rows :
       {ptx(80, known, read), ptx(90, known, ""), ptx(90, "facts(contiguous, aligned)", read)}) {
    EXPECT_FALSE(contains(rows.data, tile)) << rows.data;
    EXPECT_TRUE(contains(rows.data, "cp.async.cg")) << rows.data;
  }
}

/// Fences, barriers and products of the kernel for sm_90a, in order: f, b, p.
std::string order_of(ir::Module m) {
  const std::string target = "ptx sm=90a isa=80";
  EXPECT_EQ(passes::run_pipeline(m, support::parse_target(target).target, false), "");
  const Compiled made = compile(ir::print(m), target);
  EXPECT_EQ(made.status, 0) << made.log;
  std::string order;
  std::istringstream lines(made.data);
  for (std::string line; std::getline(lines, line);)
    for (const auto& [what, letter] : {std::pair{"fence.proxy.async", 'f'},
                                       {"bar.sync", 'b'},
                                       {"barrier.cluster.arrive", 'b'},
                                       {"wgmma.mma_async", 'p'}})
      if (contains(line, what)) order += letter;
  return order;
}

/// A fence stands before the barrier that hands a factor over which threads have stored, and at the
/// end of a side that stores one; other barriers have none.
TEST(PtxTiles, FencesStandWhereThreadsAccessFactors) {
  EXPECT_EQ(order_of(kernel_of("product_of_a_warpgroup", {}, dense)), "fbpbfbpb");
}

/// Another block's array is the factor of that block.
TEST(PtxTiles, FencesStandWhereOtherBlocksFactorsAreStored) {
  const ir::ParseResult parsed = ir::parse(R"(kir 1
kernel @k fp(native) block(128, 1, 1) cluster(2, 1, 1) (%0: view<f32, 1>) {
  %1: shared<bf16, 1> = shared {4096}
  %2: shared<bf16, 1> = shared {4096}
  %3: i32 = const 1
  %4: cluster<bf16, 1> = shared_of %1, %3
  %5: i64 = thread_idx {0}
  %6: bf16 = const 0x1p+1
  store.bf16 %4, %5, %6
  cluster_barrier
  %7: i32 = const 0
  %8: f32 = const 0x0p+0
  %9: f32, %10: f32, %11: f32, %12: f32 = product %1, %7, %2, %7, %8, %8, %8, %8 {64, 8, 64, bf16, bf16, 2}
  store.f32 %0, %5, %9
  return
}
)");
  ASSERT_EQ(parsed.error, "");
  EXPECT_EQ(order_of(parsed.module), "fbp");
}

}  // namespace
}  // namespace krait::test
