// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the levels are for each schedule. The golden texts of `uniformity` hold those that are
// proved for all of them.
#include "passes/analysis/uniformity.h"

#include <gtest/gtest.h>

#include "ir/text/text.h"

namespace krait::passes {
namespace {

using namespace ir;

constexpr const char* text = R"(kir 1
kernel @k fp(strict) facts(disjoint) flat (%0: view<i32, 1, const>, %1: view<i32, 1>, %2: i32) {
  %3: i64 = global_id {0}
  %4: i64 = const 0
  %5: i32 = load %1, %4
  %6: i32 = cast %3
  %7: i32 = const 0
  %8: i32 = const 1
  %9: i32 = for %6, %7 {
  ^(%10: i32, %11: i32):
    %12: i32 = add %11, %8
    continue %12
  }
  %13: i32 = for %2, %7 {
  ^(%14: i32, %15: i32):
    %16: bool = eq %14, %6
    if %16 {
      break %14
    } else {
      yield
    }
    %17: bool = eq %15, %2
    if %17 {
      break %15
    } else {
      yield
    }
    continue %15
  }
  %18: i32 = load %0, %4
  %19: i32 = add %9, %13
  store.i32 %1, %3, %19
  store.i32 %1, %4, %18
  return
})";

class Schedules : public testing::Test {
 protected:
  Module module = parse(text).module;
  Uniformity of(const Schedule& schedule) const {
    return UniformityAnalysis(module.kernel(), Calls(module), schedule).levels;
  }
  /// The n-th instruction of an operation, in order.
  InstId at(Op op, unsigned n = 0) const {
    InstId found = none;
    for_each_inst(module.kernel(), [&](InstId i, RegionId) {
      if (module.kernel().insts[i].op == op && n-- == 0) found = i;
    });
    return found;
  }
  ValueId result(Op op, unsigned n = 0) const {
    return module.kernel().insts[at(op, n)].results[0];
  }
  ValueId parameter(unsigned loop, unsigned n) const {
    const Function& f = module.kernel();
    return f.regions[f.insts[at(Op::For, loop)].regions[0]].params[n];
  }
};

TEST_F(Schedules, WhatIsProvedHoldsForAll) {
  const Uniformity u = of({});
  EXPECT_EQ(u.values[result(Op::Load)], Uniform::Varying);    // the kernel writes the array
  EXPECT_EQ(u.values[result(Op::Load, 1)], Uniform::Launch);  // and never this one
  EXPECT_EQ(u.values[parameter(0, 0)], Uniform::Launch);
  EXPECT_EQ(u.values[parameter(0, 1)], Uniform::Launch);
  EXPECT_EQ(u.values[result(Op::For)], Uniform::Varying);
  EXPECT_FALSE(u.masked[at(Op::Break)]);
}

TEST_F(Schedules, InDifferentTripsTheirNumbersVary) {
  Schedule schedule;
  schedule.trips_apart = true;
  const Uniformity u = of(schedule);
  EXPECT_EQ(u.values[parameter(0, 0)], Uniform::Varying);
  EXPECT_EQ(u.values[parameter(0, 1)], Uniform::Varying);
  EXPECT_EQ(u.values[parameter(1, 0)], Uniform::Varying);  // threads break out of it
  EXPECT_EQ(u.values[result(Op::Load, 1)], Uniform::Launch);
}

TEST_F(Schedules, InStepSomeJumpsAreMasked) {
  Schedule schedule;
  schedule.in_step = true;
  schedule.own = [&](const Inst& inst, const Uniformity& known) -> std::optional<Uniform> {
    if (inst.op == Op::Load) return std::max(level_of_operands(inst, known, 1), Uniform::Warp);
    return {};
  };
  const Uniformity u = of(schedule);
  EXPECT_EQ(u.values[result(Op::Load)], Uniform::Warp);
  EXPECT_EQ(u.values[parameter(1, 0)], Uniform::Launch);
  EXPECT_TRUE(u.masked[at(Op::Break)]);      // under a condition that varies
  EXPECT_FALSE(u.masked[at(Op::Break, 1)]);  // by all that are left
  EXPECT_TRUE(u.masked[at(Op::For)] && u.masked[at(Op::For, 1)]);
  EXPECT_TRUE(u.kills[at(Op::If)]);
  EXPECT_FALSE(u.kills[at(Op::For, 1)]);
  EXPECT_EQ(u.continues[at(Op::For)], 1u);
  EXPECT_EQ(u.values[result(Op::For, 1)], Uniform::Varying);
}

TEST_F(Schedules, WarpsOfOneThreadAndThreadsAsTrips) {
  Schedule schedule;
  schedule.in_step = true, schedule.most = Uniform::Warp;
  EXPECT_EQ(of(schedule).values[result(Op::For)], Uniform::Warp);
  schedule.most = Uniform::Varying, schedule.shared_out = at(Op::For);
  EXPECT_FALSE(of(schedule).masked[at(Op::For)]);
}

TEST_F(Schedules, ParametersAreTheCallers) {
  Schedule schedule;
  schedule.parameters = {Uniform::Launch, Uniform::Launch, Uniform::Warp};
  EXPECT_EQ(of(schedule).values[module.kernel().params()[2]], Uniform::Warp);
}

}  // namespace
}  // namespace krait::passes
