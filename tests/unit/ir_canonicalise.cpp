// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Canonical order: texts without names are equal for every order in which a host compiler may have
// recorded, different for every other change.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <set>

#include "ir/text/text.h"
#include "ir/walk.h"
#include "random_ir.h"
#include "support/seed.h"

namespace krait::ir {
namespace {

std::string canonical(
    const std::string& body,
    const char* params = "%0: f32, %1: view<f32, 1, const>, %2: view<f32, 1>, %3: i64, %4: bool") {
  ParseResult r =
      parse("kir 1\nkernel fp(native) (" + std::string(params) + ") {\n" + body + "}\n");
  EXPECT_EQ(r.error, "") << body;
  EXPECT_EQ(verify(r.module), "") << body;
  canonicalise(r.module);
  EXPECT_EQ(verify(r.module), "") << body;
  std::string text = print(r.module);
  text.erase(0, text.find("{\n") + 2);
  return text.substr(0, text.size() - 2);
}

std::string text_alone(const Module& module) {
  return print(module, {.names = false, .locations = false});
}

TEST(IrCanonicalise, OperandOrderOfTheHostCompilerDoesNotShow) {
  const std::string expected =
      "  %5: f32 = load %1, %3\n"
      "  %6: f32 = mul %0, %5\n"
      "  %7: f32 = load %2, %3\n"
      "  %8: f32 = add %6, %7\n"
      "  store.f32 %2, %3, %8\n"
      "  return\n";
  EXPECT_EQ(canonical("%x: f32 = load %1, %3\n%m: f32 = mul %0, %x\n%y: f32 = load %2, %3\n"
                      "%a: f32 = add %m, %y\nstore.f32 %2, %3, %a\nreturn\n"),
            expected);
  EXPECT_EQ(canonical("%y: f32 = load %2, %3\n%x: f32 = load %1, %3\n%m: f32 = mul %0, %x\n"
                      "%a: f32 = add %m, %y\nstore.f32 %2, %3, %a\nreturn\n"),
            expected);
}

TEST(IrCanonicalise, WhatNothingNeedsVanishes) {
  EXPECT_EQ(
      canonical(
          "%a: f32 = neg %0\n%b: f32 = load %1, %3\n%c: f32 = add %a, %b\n%s: slot<f32> = slot %c\n%g: f32 = get %s\n"
          "%w: bool = warp_any %4\n%l: local<f32, 1> = local {4}\nreturn\n"),
      "  return\n");
}

TEST(IrCanonicalise, InstructionsStandJustBeforeTheirFirstUse) {
  EXPECT_EQ(
      canonical(
          "%a: f32 = neg %0\n%b: f32 = abs %0\nstore.f32 %2, %3, %b\nif %4 {\nstore.f32 %2, %3, %a\nyield\n}\nreturn\n"),
      "  %5: f32 = abs %0\n  store.f32 %2, %3, %5\n  %6: f32 = neg %0\n"
      "  if %4 {\n    store.f32 %2, %3, %6\n    yield\n  }\n  return\n")
      << "not in the nested region: instructions stay in theirs";
}

TEST(IrCanonicalise, LoadsStayBetweenTheirWrites) {
  const std::string early =
      "  %5: f32 = load %2, %3\n  store.f32 %2, %3, %0\n  store.f32 %2, %3, %5\n  return\n";
  EXPECT_EQ(
      canonical("%a: f32 = load %2, %3\nstore.f32 %2, %3, %0\nstore.f32 %2, %3, %a\nreturn\n"),
      early);
  const std::string late =
      "  store.f32 %2, %3, %0\n  %5: f32 = load %2, %3\n  store.f32 %2, %3, %5\n  return\n";
  EXPECT_EQ(
      canonical("store.f32 %2, %3, %0\n%a: f32 = load %2, %3\nstore.f32 %2, %3, %a\nreturn\n"),
      late);
  for (const char* writer : {"barrier\n", "fence {1}\n", "%o: f32 = atomic_add %2, %3, %0\n",
                             "if %4 {\nstore.f32 %2, %3, %0\nyield\n}\n",
                             "loop {\nif %4 {\nwarp_sync\nyield\n}\nbreak\n}\n"}) {
    const std::string text = canonical("%a: f32 = load %2, %3\n" + std::string(writer) +
                                       "store.f32 %2, %3, %a\nreturn\n");
    EXPECT_EQ(text.find("%5: f32 = load"), 2u) << text;
  }
  const std::string text =
      canonical("%a: f32 = load %2, %3\nif %4 {\nreturn\n}\nstore.f32 %2, %3, %a\nreturn\n");
  EXPECT_GT(text.find("load"), text.find("if")) << text;
}

TEST(IrCanonicalise, LoadsWithoutAWriteBetweenAreOrderedByTheirUses) {
  const std::string expected = canonical(
      "%a: f32 = load %1, %3\n%b: f32 = load %2, %3\nstore.f32 %2, %3, %0\nstore.f32 %2, %3, %b\nstore.f32 %2, %3, %a\nreturn\n");
  EXPECT_EQ(canonical("%b: f32 = load %2, %3\n%a: f32 = load %1, %3\nstore.f32 %2, %3, %0\n"
                      "store.f32 %2, %3, %b\nstore.f32 %2, %3, %a\nreturn\n"),
            expected);
  EXPECT_LT(expected.find("load %2"), expected.find("load %1")) << "the later uses decide";
}

TEST(IrCanonicalise, GetsStayBetweenTheirSets) {
  EXPECT_EQ(
      canonical(
          "%s: slot<f32> = slot %0\n%g: f32 = get %s\n%n: f32 = neg %0\nset %s, %n\n%h: f32 = get %s\n%d: f32 = sub %h, %g\n"
          "store.f32 %2, %3, %d\nreturn\n"),
      "  %5: slot<f32> = slot %0\n  %6: f32 = neg %0\n  %7: f32 = get %5\n  set %5, %6\n"
      "  %8: f32 = get %5\n  %9: f32 = sub %8, %7\n"
      "  store.f32 %2, %3, %9\n  return\n");
  const std::string other = canonical(
      "%s: slot<f32> = slot %0\n%t: slot<f32> = slot %0\n%g: f32 = get %s\nset %t, %0\nset %s, %g\nreturn\n");
  EXPECT_GT(other.find("get"), other.find("set")) << "another slot's assignment does not hold it\n"
                                                  << other;
  const std::string nested = canonical(
      "%s: slot<f32> = slot %0\n%g: f32 = get %s\nloop {\nset %s, %0\nbreak\n}\nset %s, %g\nreturn\n");
  EXPECT_LT(nested.find("get"), nested.find("loop")) << nested;
}

TEST(IrCanonicalise, WarpOperationsStayOnTheirSideOfControl) {
  const std::string text =
      canonical("%w: bool = warp_any %4\nif %4 {\nreturn\n}\nif %w {\nreturn\n}\nreturn\n");
  EXPECT_LT(text.find("warp_any"), text.find("if")) << text;
}

/// Whether two instructions of one region may not change places: the definition, pair by pair.
class Order {
 public:
  using Alive = std::function<bool(InstId)>;
  explicit Order(
      const Function& f, Alive alive = [](InstId) { return true; })
      : f_(f), alive_(std::move(alive)) {}
  static bool moves(const Inst& i) {
    const Effect e = info(i.op).effect;
    return e == Effect::Pure || e == Effect::Call /* pure ones */ || e == Effect::Read ||
           e == Effect::Cross || (e == Effect::Slot && i.op != Op::Set);
  }
  bool fixed(InstId x, InstId y) const {
    return uses(x, y) || uses(y, x) || conflict(x, y) || conflict(y, x);
  }

 private:
  template <class Test>
  bool within(InstId i, Test&& test) const {
    if (test(f_.insts[i])) return true;
    bool found = false;
    for (const RegionId r : f_.insts[i].regions)
      for_each_inst(f_, r, [&](InstId inner, RegionId) {
        found = found || (alive_(inner) && test(f_.insts[inner]));
      });
    return found;
  }
  bool uses(InstId x, InstId y) const {
    return within(x, [&](const Inst& i) {
      for (const ValueId v : i.operands)
        for (const ValueId r : f_.insts[y].results)
          if (v == r) return true;
      return false;
    });
  }
  bool conflict(InstId x, InstId y) const {
    const Inst &a = f_.insts[x], &b = f_.insts[y];
    if ((!moves(a) && !moves(b)) || is_terminator(a.op)) return true;
    const Effect e = info(a.op).effect, other = info(b.op).effect;
    if (e == Effect::Read)
      return within(y, [](const Inst& i) {
        const Effect w = info(i.op).effect;
        return w == Effect::Write || w == Effect::Atomic || w == Effect::Sync;
      });
    if (e == Effect::Cross) return other == Effect::Control || other == Effect::Sync;
    if (a.op == Op::Get)
      return within(
          y, [&](const Inst& i) { return i.op == Op::Set && i.operands[0] == a.operands[0]; });
    return false;
  }

  const Function& f_;
  Alive alive_;  // what vanishes does not hold others in their places
};

/// Exchanges neighbours that may be exchanged, many times. Arrays that are sized at launch stay
/// even when nothing uses them; those come last, in the order of the original text.
void shuffle(Function& f, std::mt19937& rng) {
  const Order order(f);
  const auto sized_at_launch = [&](InstId i) {
    return f.insts[i].op == Op::Shared && !f.insts[i].operands.empty();
  };
  for (Region& r : f.regions) {
    for (std::size_t k = 0; r.insts.size() > 1 && k < r.insts.size() * r.insts.size() && k < 4000;
         ++k) {
      const std::size_t at = rng() % (r.insts.size() - 1);
      if (sized_at_launch(r.insts[at]) && sized_at_launch(r.insts[at + 1])) continue;
      if (!order.fixed(r.insts[at], r.insts[at + 1])) std::swap(r.insts[at], r.insts[at + 1]);
    }
  }
}

TEST(IrCanonicalise, EveryPermittedOrderGivesOneText) {
  std::mt19937 rng(test::first_seed());
  unsigned moved = 0;
  for (std::uint32_t seed = test::first_seed(), end = seed + 150; seed != end; ++seed) {
    const Module original = test::random_module(seed);
    Module first = original;
    canonicalise(first);
    const std::string text = print(first);
    for (int again = 0; again < 3; ++again) {
      Module m = original;
      for (Function& f : m.functions) shuffle(f, rng);
      ASSERT_EQ(verify(m), "");
      moved += print(m) != print(original);
      canonicalise(m);
      ASSERT_EQ(print(m), text) << "seed " << seed << '\n' << print(original);
      ASSERT_EQ(text_alone(m), text_alone(first));
    }
    canonicalise(first);
    ASSERT_EQ(print(first), text) << "seed " << seed << ": once is enough";
  }
  EXPECT_GT(moved, 400u);
}

TEST(IrCanonicalise, ConflictingInstructionsKeepTheirOrder) {
  for (std::uint32_t seed = test::first_seed(), end = seed + 150; seed != end; ++seed) {
    Module m = test::random_module(seed);
    Function& f = m.kernel();
    f.locations.assign(1, {});
    for (Inst& i : f.insts)
      i.loc = std::uint32_t(f.locations.size()), f.locations.push_back({"i", i.loc});
    Module result = m;
    canonicalise(result);
    std::map<std::uint32_t, std::size_t> place;  // by original instruction, in text order
    for_each_inst(result.kernel(), [&](InstId i, RegionId) {
      place.emplace(result.kernel().locations[result.kernel().insts[i].loc].line - 1, place.size());
    });
    const Order order(f, [&](InstId i) { return place.contains(i); });
    for (const Region& r : f.regions)
      for (std::size_t x = 0; x < r.insts.size(); ++x)
        for (std::size_t y = x + 1; y < r.insts.size(); ++y) {
          const auto a = place.find(r.insts[x]), b = place.find(r.insts[y]);
          if (a == place.end() || b == place.end() || !order.fixed(r.insts[x], r.insts[y]))
            continue;
          ASSERT_LT(a->second, b->second) << "seed " << seed << ": " << print_inst(f, r.insts[x])
                                          << " and " << print_inst(f, r.insts[y]);
        }
    for_each_inst(f, [&](InstId i, RegionId) {
      EXPECT_TRUE(Order::moves(f.insts[i]) || place.contains(i))
          << "seed " << seed << ": lost " << print_inst(f, i);
    });
  }
}

TEST(IrCanonicalise, TablesAreCompact) {
  for (std::uint32_t seed = test::first_seed(), end = seed + 50; seed != end; ++seed) {
    SCOPED_TRACE(seed);
    Module m = test::random_module(seed);
    canonicalise(m);
    for (const Function& f : m.functions) {
      std::size_t insts = 0, values = f.params().size(), regions = 1;
      std::set<std::uint32_t> locations{0};
      for_each_inst(f, [&](InstId i, RegionId) {
        EXPECT_EQ(i, insts++);
        values += f.insts[i].results.size();
        regions += f.insts[i].regions.size();
        locations.insert(f.insts[i].loc);
        for (const RegionId r : f.insts[i].regions) values += f.regions[r].params.size();
      });
      EXPECT_EQ(f.insts.size(), insts);
      EXPECT_EQ(f.values.size(), values);
      EXPECT_EQ(f.regions.size(), regions);
      EXPECT_EQ(f.locations.size(), locations.size());
    }
  }
}

Module parsed() {
  ParseResult r = parse(
      "kir 1\n"
      "kernel @k fp(native) (%0: f32, %1: view<f32, 1>, %2: i32, %3: view<bytes(24), 1>) {\n"
      "  %4: i64 = thread_idx {0} ; a.cpp:1\n"
      "  %5: f32 = const 0x1p+0\n"
      "  %6: f32 = add %0, %5\n"
      "  %7: local<f32, 1> = local {8}\n"
      "  switch %2 {\n"
      "    case 1: {\n      yield\n    }\n"
      "    default: {\n      barrier\n      yield\n    }\n"
      "  }\n"
      "  store.f32 %1, %4, %6\n"
      "  store.f32 %3, %4, %6 {4}\n"
      "  store.f32 %7, %4, %0\n"
      "  return\n}\n");
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(verify(r.module), "");
  return std::move(r.module);
}

TEST(IrText, ChangesWithEverythingThatMeansSomething) {
  const std::string before = text_alone(parsed());
  const std::vector<std::pair<const char*, std::function<void(Function&)>>> changes = {
      {"mode", [](Function& f) { f.fp = FpMode::Strict; }},
      {"contiguous", [](Function& f) { f.facts.contiguous = true; }},
      {"aligned", [](Function& f) { f.facts.aligned = true; }},
      {"small", [](Function& f) { f.facts.small = true; }},
      {"disjoint", [](Function& f) { f.facts.disjoint = true; }},
      {"whole_rows", [](Function& f) { f.facts.whole_rows = true; }},
      {"one_row", [](Function& f) { f.facts.one_row = true; }},
      {"aligned_rows", [](Function& f) { f.facts.aligned_rows = true; }},
      {"resident", [](Function& f) { f.facts.resident = true; }},
      {"pieces", [](Function& f) { f.facts.pieces = true; }},
      {"dense_rows", [](Function& f) { f.facts.dense_rows = true; }},
      {"warp", [](Function& f) { f.facts.warp = 32; }},
      {"bricks", [](Function& f) { f.facts.set_block(4, 9, 1); }},
      {"partial rows", [](Function& f) { f.facts.set_block(3, 9, 1); }},
      {"whole bricks", [](Function& f) { f.facts.set_block(4, 8, 1); }},
      {"narrow bricks", [](Function& f) { f.facts.set_block(2, 16, 1); }},
      {"checked", [](Function& f) { f.checked = true; }},
      {"flat", [](Function& f) { f.flat = true; }},
      {"block",
       [](Function& f) {
         f.block = {128, 1, 1};
       }},
      {"dimension", [](Function& f) { f.insts[0].imm = 1; }},
      {"constant", [](Function& f) { f.insts[1].imm ^= 1; }},
      {"operation", [](Function& f) { f.insts[2].op = Op::Sub; }},
      {"fast", [](Function& f) { f.insts[2].fast = true; }},
      {"operands", [](Function& f) { std::swap(f.insts[2].operands[0], f.insts[2].operands[1]); }},
      {"extent", [](Function& f) { f.insts[3].list[0] = 9; }},
      {"case", [](Function& f) { f.insts[4].list[0] = 2; }},
      {"parameter", [](Function& f) { f.values[2].type = value_type(Scalar::U32); }},
      {"read-only", [](Function& f) { f.values[1].type.writable = false; }},
      {"rank", [](Function& f) { f.values[1].type.rank = 2; }},
      {"element size", [](Function& f) { f.values[3].type.elem_bytes = 32; }},
      {"byte offset", [](Function& f) { f.insts[9].imm = 8; }},
      {"order of effects",
       [](Function& f) { std::swap(f.regions[0].insts[5], f.regions[0].insts[6]); }},
      {"region", [](Function& f) { std::swap(f.regions[1].insts, f.regions[2].insts); }},
  };
  std::set<std::string> texts{before};
  for (const auto& [what, change] : changes) {
    Module m = parsed();
    change(m.kernel());
    EXPECT_TRUE(texts.insert(text_alone(m)).second) << what;
  }
  Module two = parsed();
  two.functions.push_back(two.functions[0]);
  two.functions[1].called = true;
  EXPECT_NE(text_alone(two), before);
}

TEST(IrCanonicalise, FunctionsAreSortedAndEqualOnesAreOne) {
  const std::string body = " (%0: f32) -> f32 {\n  %1: f32 = call @inner(%0)\n  yield %1\n}\n";
  Module m =
      parse(
          "kir 1\nkernel @k fp(strict) (%0: f32, %1: view<f32, 1>) {\n"
          "  %2: f32 = call @b(%0)\n  %3: f32 = call @a(%2)\n  %4: f32 = call @unused(%0)\n  %5: i64 = const 0\n"
          "  store.f32 %1, %5, %3\n  return\n}\n"
          "func @unused" +
          body + "func @a" + body + "func @b" + body +
          "func @inner (%0: f32) -> f32 {\n  %1: f32 = neg %0\n  yield %1\n}\n")
          .module;
  ASSERT_EQ(verify(m), "");
  canonicalise(m);
  EXPECT_EQ(print(m),
            "kir 1\nkernel @k fp(strict) (%0: f32, %1: view<f32, 1>) {\n"
            "  %2: i64 = const 0\n  %3: f32 = call @a(%0)\n  %4: f32 = call @a(%3)\n"
            "  store.f32 %1, %2, %4\n  return\n}\n"
            "func @a" +
                body + "func @inner (%0: f32) -> f32 {\n  %1: f32 = neg %0\n  yield %1\n}\n");
}

TEST(IrText, IgnoresNamesAndPlaces) {
  const std::string before = text_alone(parsed());
  Module m = parsed();
  m.kernel().name = "other";
  for (Inst& i : m.kernel().insts) i.loc = 0;
  EXPECT_EQ(text_alone(m), before);
  m.kernel().name.clear();
  EXPECT_EQ(text_alone(m), before);
}

}  // namespace
}  // namespace krait::ir
