// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plug-in as a guest in the user's process: what it exports, many compilations at once, deep
// and large kernels.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fmt/core.h>

#include "codegen/codegen.h"
#include "ir/text/text.h"
#include "passes/passes.h"
#include "support/plugin.h"
#include "unit/random_ir.h"

namespace krait::test {
namespace {

constexpr const char* target = "ptx sm=90 isa=80";

TEST(PluginProcess, ExportsThreeSymbols) {
  std::string path = testing::TempDir() + "krait_exports";
  std::string list = "nm -D --defined-only " KRAIT_CODEGEN_PATH " 2>/dev/null";
  ASSERT_EQ(std::system((list + " | awk '{print $3}' | sort > " + path).c_str()), 0);
  std::stringstream names;
  names << std::ifstream(path).rdbuf();
  if (names.str().empty()) GTEST_SKIP() << "no nm";
  EXPECT_EQ(names.str(), "krait_codegen\nkrait_codegen_build_id\nkrait_codegen_release\n");
}

TEST(PluginProcess, BuildIdIsTheLinkers) {
  void* handle = dlopen(KRAIT_CODEGEN_PATH, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(handle) << dlerror();
  std::string id =
      reinterpret_cast<krait_codegen_build_id_fn>(dlsym(handle, "krait_codegen_build_id"))();
  EXPECT_EQ(id.size(), 40u) << id;
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), id.npos) << id;
}

std::string kernel_with(const std::string& body) {
  return "kir 1\nkernel @k fp(strict) facts(contiguous) (%0: view<i32, 1>) {\n"
         "  %1: i64 = global_id {0}\n  %2: i32 = load %0, %1\n" +
         body + "  return\n}\n";
}

TEST(PluginProcess, ConcurrentCompilationsGiveWhatOneGives) {
  auto kernel = [](int i) {
    return kernel_with(
        fmt::format("  %3: i32 = const {}\n  %4: i32 = div %3, %2\n  store.i32 %0, %1, %4\n", i));
  };
  constexpr int threads = 8, rounds = 5;
  std::vector<std::string> alone, together(threads * rounds);
  for (int i = 0; i < threads * rounds; ++i) alone.push_back(compile(kernel(i), target).data);
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&, t] {
      for (int r = 0; r < rounds; ++r)
        together[std::size_t(t * rounds + r)] = compile(kernel(t * rounds + r), target).data;
    });
  for (std::thread& t : pool) t.join();
  EXPECT_EQ(alone, together);
}

/// The passes put such functions into the kernel; a text after the passes may come from elsewhere.
TEST(PluginProcess, FunctionsWithPositionsAreRefusedOnTheCpu) {
  Compiled cpu = compile(R"(kir 1
kernel @k fp(strict) facts(contiguous) flat (%0: view<bool, 1>) {
  %1: i64 = global_id {0}
  %2: bool = call @answer()
  store.bool %0, %1, %2
  return
}
func @answer () -> bool {
  %0: i64 = global_size {0}
  %1: i64 = const 7
  %2: bool = lt %0, %1
  yield %2
}
)",
                         "cpu x86-64 lanes=8 cpu=x86-64-v3");
  EXPECT_EQ(cpu.status, 1);
  EXPECT_EQ(cpu.log, "a function uses a thread or block position, which only a kernel may use");
}

TEST(PluginProcess, DeepNesting) {
  constexpr int depth = 400;
  std::string body = "  %3: i32 = const 5\n  %4: bool = lt %2, %3\n", close;
  for (int d = 0; d < depth; ++d) {
    body += fmt::format("  %{0}: i32 = const {1}\n  %{2}: bool = ne %2, %{0}\n  if %{2} {{\n",
                        5 + 2 * d, d, 6 + 2 * d);
    close += "  yield\n  }\n";
  }
  Compiled ptx = compile(kernel_with(body + "  store.i32 %0, %1, %2\n" + close), target);
  EXPECT_EQ(ptx.status, 0) << ptx.log;
}

TEST(PluginProcess, LongKernel) {
  std::string body;
  constexpr int length = 5000;
  for (int i = 0; i < length; ++i)
    body += fmt::format("  %{}: i32 = {} %{}, %2\n", 3 + i, i % 3 ? "mul" : "add", 2 + i);
  Compiled ptx =
      compile(kernel_with(body + fmt::format("  store.i32 %0, %1, %{}\n", 2 + length)), target);
  EXPECT_EQ(ptx.status, 0) << ptx.log;
}

// Random modules with every operation of the table; the functions, which PTX wants expanded, become
// operations of equal arity, and reports, barriers of the grid and polls, which are lowered before
// or not made, go. Operations that PTX has only for some types are expanded.
TEST(PluginProcess, RandomModulesBecomePtx) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    ir::Module module = random_module(seed);
    for (ir::Inst& inst : module.kernel().insts)
      if (ir::is_math(inst.op)) inst.op = inst.operands.size() == 1 ? ir::Op::Neg : ir::Op::Add;
    for (ir::Function& f : module.functions)
      for (ir::Region& region : f.regions)
        std::erase_if(region.insts, [&](ir::InstId i) {
          return ir::info(f.insts[i].op).family == ir::Family::Report ||
                 f.insts[i].op == ir::Op::GridBarrier || f.insts[i].op == ir::Op::Poll;
        });
    passes::expand_ops(
        module, [](const ir::Inst&) { return false; }, 32);
    passes::lower_types(module);
    std::string kir = ir::print(module);
    Compiled ptx = compile(kir, target);
    bool several_dynamic = ptx.status == 1 && ptx.log.find("shared arrays") != ptx.log.npos;
    EXPECT_TRUE(ptx.status == 0 || several_dynamic) << "seed " << seed << ": " << ptx.log << "\n"
                                                    << kir;
    if (ptx.status == 0 && seed % 10 == 0) {
      Assembled code = assemble(ptx.data, 90);
      EXPECT_TRUE(!code.found || code.status == 0) << "seed " << seed << ": " << code.log << "\n"
                                                   << ptx.data;
    }
  }
}

}  // namespace
}  // namespace krait::test
