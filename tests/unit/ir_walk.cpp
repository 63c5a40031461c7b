// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/walk.h"

#include <gtest/gtest.h>

#include "ir/text/text.h"
#include "random_ir.h"
#include "support/seed.h"

namespace krait::ir {
namespace {

Module parsed(const char* text) {
  ParseResult r = parse(text);
  EXPECT_EQ(r.error, "");
  return std::move(r.module);
}

constexpr const char* text =
    "kir 1\n"
    "kernel fp(native) (%0: u32, %1: f32, %2: view<f32, 1>) {\n"
    "  %3: f32 = for %0, %1 {\n"
    "  ^(%4: u32, %5: f32):\n"
    "    %6: f32 = add %5, %1\n"
    "    store.f32 %2, %4, %6\n"
    "    continue %6\n"
    "  }\n"
    "  store.f32 %2, %0, %3\n"
    "  return\n"
    "}\n";

TEST(IrWalk, InstructionsComeInTextOrder) {
  const Module m = parsed(text);
  std::string order;
  for_each_inst(m.kernel(), [&](InstId i, RegionId r) {
    order += std::string(info(m.kernel().insts[i].op).name) + char('0' + r) + ' ';
  });
  EXPECT_EQ(order, "for0 add1 store1 continue1 store0 return0 ");
}

TEST(IrWalk, UsesAndHolders) {
  const Module m = parsed(text);
  EXPECT_EQ(use_counts(m.kernel()), (std::vector<std::uint32_t>{2, 2, 2, 1, 1, 1, 2}));
  EXPECT_EQ(holders(m.kernel()), (std::vector<RegionId>{0, 1, 1, 1, 0, 0}));
  EXPECT_EQ(terminator(m.kernel(), 1).op, Op::Continue);
}

TEST(IrWalk, SubstitutionFollowsChains) {
  Module m = parsed(text);
  Substitution s;
  EXPECT_TRUE(s.empty());
  s.replace(6, 5);
  s.replace(5, 1);
  s.replace(1, 1);
  EXPECT_EQ(s(6), 1u);
  EXPECT_EQ(s(5), 1u);
  EXPECT_EQ(s(0), 0u);
  EXPECT_EQ(s(1000), 1000u);
  s.apply(m.kernel());
  EXPECT_EQ(m.kernel().insts[1].operands, (std::vector<ValueId>{1, 1}));
  EXPECT_EQ(terminator(m.kernel(), 1).operands, (std::vector<ValueId>{1}));
  EXPECT_EQ(verify(m), "");
}

TEST(IrWalk, CloneOfALoopBodyWithoutItsTerminator) {
  Module m = parsed(text);
  Function& f = m.kernel();
  Builder b(f);
  f.regions[0].insts.pop_back();
  b.at(0);
  std::vector<ValueId> map(f.values.size(), none);
  map[4] = 0, map[5] = 1;
  const std::vector<ValueId> carried = clone_region(f, 1, b, map, false);
  EXPECT_EQ(carried, (std::vector<ValueId>{map[6]}));
  b.append(Op::Return, {}, {});
  EXPECT_EQ(verify(m), "");
  const std::string printed = print(m);
  EXPECT_NE(printed.find("  %7: f32 = add %1, %1\n  store.f32 %2, %0, %7\n  return\n"),
            std::string::npos)
      << printed;
}

TEST(IrWalk, CloneOfAWholeBodyIsEqual) {
  for (std::uint32_t seed = test::first_seed(), end = seed + 50; seed != end; ++seed) {
    SCOPED_TRACE(seed);
    const Module m = test::random_module(seed);
    const Function& f = m.kernel();
    Module copy;
    copy.functions.push_back(new_function(f.name));
    Function& c = copy.kernel();
    c.fp = f.fp, c.facts = f.facts, c.checked = f.checked, c.flat = f.flat, c.block = f.block,
    c.cluster = f.cluster;
    c.bounds = f.bounds;
    c.locations = f.locations;
    Builder b(c);
    std::vector<ValueId> map;
    map.resize(f.values.size(), none);
    for (const ValueId v : f.params()) map[v] = b.new_param(0, f.type_of(v));
    b.at(0);
    clone_region(f, f.body, b, map, true);
    EXPECT_EQ(print(c, {.names = true, .locations = true}),
              print(f, {.names = true, .locations = true}));
  }
}

}  // namespace
}  // namespace krait::ir
