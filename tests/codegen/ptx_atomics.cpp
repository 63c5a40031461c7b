// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics on every type and space.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include "support/plugin.h"

namespace krait::test {
namespace {

std::string kernel(const std::string& type, const std::string& op, bool shared, const char* mode) {
  const bool cas = op.starts_with("atomic_cas"), load = op.starts_with("atomic_load");
  std::string values = cas ? ", %3, %4" : load ? "" : ", %3";
  return fmt::format(R"(kir 1
kernel @atomics fp({0}) facts(contiguous) (%0: view<{1}, 1>, %1: view<{1}, 1>) {{
  %2: i64 = global_id {{0}}
  %3: {1} = load %1, %2
  %4: {1} = add %3, %3
  %5: shared<{1}, 1> = shared {{64}}
  %6: {1} = {2} {3}, %2{4}
  store.{1} %1, %2, %6
  return
}}
)",
                     mode, type, op, shared ? "%5" : "%0", values);
}

bool is_loop(const std::string& ptx) { return ptx.find("bra") != std::string::npos; }

/// Loops, of those that have no instruction, have an address of each lane's own: NVIDIA's compiler
/// would keep one in registers of the whole warp, which lanes that have left the loop change.
TEST(PtxAtomics, EveryOperationOnEveryType) {
  for (const char* type : {"i32", "u32", "i64", "u64", "f32", "f64"})
    for (const char* op :
         {"add", "min", "max", "and", "or", "xor", "inc", "dec", "exchange", "cas", "load"}) {
      bool bitwise = false;
      for (const char* of_integers : {"and", "or", "xor", "inc", "dec"})
        bitwise = bitwise || std::string(op) == of_integers;
      if (type[0] == 'f' && bitwise) continue;
      for (bool shared : {false, true}) {
        Compiled ptx = compile(kernel(type, "atomic_" + std::string(op), shared, "native"),
                               "ptx sm=75 isa=63");
        ASSERT_EQ(ptx.status, 0) << type << " " << op << ": " << ptx.log;
        EXPECT_NE(ptx.data.find(std::string(op) == "load" ? "ld." : "atom."), std::string::npos)
            << ptx.data;
        EXPECT_EQ(is_loop(ptx.data), ptx.data.find("%lanemask_lt") != std::string::npos)
            << ptx.data;
        Assembled code = assemble(ptx.data, 75);
        if (!code.found) GTEST_SKIP() << "no ptxas: nothing assembled";
        EXPECT_EQ(code.status, 0) << code.log << ptx.data;
        EXPECT_FALSE(code.uses_stack()) << code.log << ptx.data;
      }
    }
}

TEST(PtxAtomics, EveryOrderAndScope) {
  for (const char* op : {"add", "cas", "load", "min"})
    for (const char* type : {"f32", "i64"})
      for (const char* order : {"", ".acquire", ".release", ".acq_rel", ".seq_cst"})
        for (const char* scope : {".block", ".system"}) {
          const std::string suffixes = std::string(order) + scope;
          if (std::string(op) == "load" && (suffixes.find("rel") != suffixes.npos)) continue;
          for (const auto& [sm, target] :
               {std::pair{75u, "ptx sm=75 isa=63"}, {90u, "ptx sm=90 isa=80"}}) {
            Compiled ptx = compile(
                kernel(type, "atomic_" + std::string(op) + suffixes, false, "native"), target);
            ASSERT_EQ(ptx.status, 0) << type << " " << op << suffixes << ": " << ptx.log;
            Assembled code = assemble(ptx.data, sm);
            if (!code.found) GTEST_SKIP() << "no ptxas: nothing assembled";
            EXPECT_EQ(code.status, 0) << code.log << ptx.data;
          }
        }
}

TEST(PtxAtomics, OrderAndScopeShowInTheInstruction) {
  auto ptx = [](const char* op) {
    return compile(kernel("u32", op, false, "native"), "ptx sm=90 isa=80").data;
  };
  EXPECT_NE(ptx("atomic_load.acquire.system").find("ld.acquire.sys.global"), std::string::npos)
      << ptx("atomic_load.acquire.system");
  EXPECT_NE(ptx("atomic_load").find("ld.relaxed.gpu.global"), std::string::npos)
      << ptx("atomic_load");
  EXPECT_NE(ptx("atomic_add.acq_rel.block").find("fence.acq_rel.cta"), std::string::npos)
      << ptx("atomic_add.acq_rel.block");
  EXPECT_NE(ptx("atomic_add.system").find("atom.relaxed.sys.global.add.u32"), std::string::npos)
      << ptx("atomic_add.system");
  EXPECT_NE(ptx("atomic_add.seq_cst").find("fence.sc"), std::string::npos)
      << ptx("atomic_add.seq_cst");
}

TEST(PtxAtomics, CountingIsNativeOn32Bits) {
  EXPECT_NE(compile(kernel("u32", "atomic_inc", false, "native"), "ptx sm=75 isa=63")
                .data.find("inc.u32"),
            std::string::npos);
  EXPECT_NE(
      compile(kernel("i32", "atomic_dec", true, "native"), "ptx sm=75 isa=63").data.find("dec.u32"),
      std::string::npos);
}

TEST(PtxAtomics, SpaceFollowsTheArray) {
  auto ptx = [](bool shared) {
    return compile(kernel("i32", "atomic_add", shared, "native"), "ptx sm=90 isa=80").data;
  };
  EXPECT_NE(ptx(false).find("atom.global.add.u32"), std::string::npos);
  EXPECT_NE(ptx(true).find("atom.shared.add.u32"), std::string::npos);
}

TEST(PtxAtomics, FloatAddKeepsSubnormalsWhereBitsMatter) {
  const char* instruction = "global.add.f32";
  EXPECT_NE(compile(kernel("f32", "atomic_add", false, "native"), "ptx sm=90 isa=80")
                .data.find(instruction),
            std::string::npos);
  std::string exact =
      compile(kernel("f32", "atomic_add", false, "reproducible"), "ptx sm=90 isa=80").data;
  EXPECT_EQ(exact.find(instruction), std::string::npos) << exact;
  EXPECT_NE(exact.find("cas.b32"), std::string::npos) << exact;
}

}  // namespace
}  // namespace krait::test
