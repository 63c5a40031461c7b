// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each idiom changes the code of a kernel of tests/kernels, and KRAIT_CPU's -word takes that away.
// That results are the same without any of them: kernels.cpu.without_idioms.
#include <gtest/gtest.h>

#include <set>

#include "ir/text/text.h"
#include "passes/watch.h"
#include "runtime/cpu/host.h"
#include "support/checks.h"
#include "support/idioms.h"
#include "support/meaning.h"
#include "support/target.h"
#include "targets.h"

namespace krait::test {
namespace {

using support::Idiom;

struct Row {
  Idiom idiom;
  const char* word;
  const char* kernel;
};
constexpr Row in_code[] = {
#define ROW(Name, word, kernel) \
  { Idiom::Name, #word, #kernel }
    ROW(ClampedLoads, clamped_loads, held_places),
    ROW(StridedLoads, strided_loads, spaced_elements),
    ROW(BlockStrided, block_strided, sweep),
    ROW(DenseMembers, dense_members, dense_members),
    ROW(Records, records, records),
    ROW(RowPieces, row_pieces, pieces_of_rows),
    ROW(FirstLanes, first_lanes, last_steps_of_a_sum),
    ROW(PrefixCounts, prefix_counts, votes_below),
    ROW(PrivateCopies, private_copies, copied_updates),
    ROW(RowGangs, row_gangs, one_row_for_all),
    ROW(EqualOwnArrays, equal_own_arrays, equal_own_arrays),
#undef ROW
};
/// Idioms that are passes: the golden tests have their kernels.
constexpr Idiom passes_of[] = {Idiom::UnrollSteps,   Idiom::InterchangeTrips,     Idiom::UnrollRows,
                               Idiom::CombinePieces, Idiom::SettleBeforeBarriers, Idiom::Schedule};
/// Of processors with AMX alone: tests/tiles/tile_registers_test.cpp runs their code.
constexpr Idiom of_features[] = {Idiom::TileRegisters};
static_assert(std::size(in_code) + std::size(passes_of) + std::size(of_features) ==
              std::size_t(Idiom::Count));

/// LLVM's text of a launch.
std::string llvm_of(const Kernel& kernel, const std::string& target) {
  ir::Module module = kernel.module;
  set_facts(module, facts_of(kernel).back());
  const support::ParsedTarget parsed = support::parse_target(target);
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(passes::run_pipeline(module, parsed.target), "");
  const Compiled code = compile(ir::print(module), target, "llvm");
  EXPECT_EQ(code.status, 0) << code.log;
  return code.data;
}

bool changes(const Row& row) {
  // of AVX-512 some idioms have no need
  std::vector<std::string> all = {"cpu x86-64 lanes=8 cpu=x86-64-v3"};
  if (runtime::cpu::host_level() >= CpuLevel::Avx512)
    all.push_back("cpu x86-64 lanes=16 cpu=x86-64-v4");
  const KernelFile file = kernel_file(row.kernel);
  for (const std::string& target : all)
    for (const Choice& choice : file.choices())
      for (const Case& c : file.cases(choice))
        if (llvm_of(c.kernel, target) != llvm_of(c.kernel, target + " features=-" + row.word))
          return true;
  return false;
}

TEST(CpuIdioms, SwitchesTakeThemAway) {
  for (const Row& row : in_code) {
    EXPECT_EQ(support::idiom_of(row.word), row.idiom);
    EXPECT_TRUE(changes(row)) << row.word << " does not change " << row.kernel;
  }
}

TEST(CpuIdioms, TileRegistersFollowFromFeatures) {
  const std::string with =
      "cpu x86-64 lanes=16 cpu=x86-64-v4 features=+amx-tile,+amx-int8,+amx-bf16";
  const auto has = [](const std::string& target) {
    const support::ParsedTarget parsed = support::parse_target(target);
    EXPECT_EQ(parsed.error, "");
    return parsed.target.cpu.has_tile_registers();
  };
  EXPECT_TRUE(has(with));
  EXPECT_FALSE(has(with + ",-tile_registers"));
  EXPECT_FALSE(has("cpu x86-64 lanes=16 cpu=x86-64-v4"));
}

std::set<std::string> passes_run(const std::string& target) {
  std::set<std::string> run;
  ir::Module module = kernel_of("saxpy");
  EXPECT_EQ(
      passes::run_pipeline(module, support::parse_target(target).target, true, passes::Effort::Best,
                           [&](const char* pass, const ir::Module&) { run.insert(pass); }),
      "");
  return run;
}

TEST(CpuIdioms, PassesAreLeftOut) {
  const std::string target = "cpu x86-64 lanes=8 cpu=x86-64-v3";
  const std::set<std::string> all = passes_run(target);
  for (const Idiom idiom : passes_of) {
    support::Idioms without;
    without.set(std::size_t(idiom));
    const std::string word = support::text_of(without).substr(2);
    std::set<std::string> others = passes_run(target + " features=-" + word);
    EXPECT_TRUE(all.contains(word)) << word;
    EXPECT_FALSE(others.contains(word)) << word;
    others.insert(word);
    EXPECT_EQ(others, all);
  }
}

TEST(CpuIdioms, TargetsNameThem) {
  support::Target target{support::TargetKind::Cpu};
  target.cpu.features = "+fma,-records,-schedule";
  EXPECT_EQ(support::text_of(support::idioms_without(target.cpu)), ",-records,-schedule");
  EXPECT_EQ(support::parse_target(support::print(target)).error, "");
}

}  // namespace
}  // namespace krait::test
