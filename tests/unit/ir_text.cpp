// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// print and parse are inverse.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "ir/builder.h"
#include "ir/text/text.h"
#include "ir/walk.h"
#include "random_ir.h"
#include "support/seed.h"

namespace krait::ir {
namespace {

void expect_same(const Function& a, const Function& b, bool locations) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.fp, b.fp);
  EXPECT_EQ(a.facts, b.facts);
  EXPECT_EQ(a.checked, b.checked);
  EXPECT_EQ(a.flat, b.flat);
  EXPECT_EQ(a.block, b.block);
  EXPECT_EQ(a.bounds, b.bounds);
  EXPECT_EQ(a.body, b.body);
  ASSERT_EQ(a.insts.size(), b.insts.size());
  ASSERT_EQ(a.values.size(), b.values.size());
  ASSERT_EQ(a.regions.size(), b.regions.size());
  for (std::size_t i = 0; i < a.insts.size(); ++i) {
    const Inst &x = a.insts[i], &y = b.insts[i];
    EXPECT_EQ(x.op, y.op);
    EXPECT_EQ(x.fast, y.fast);
    EXPECT_EQ(x.streaming, y.streaming);
    EXPECT_EQ(x.expected, y.expected);
    EXPECT_EQ(x.rolled, y.rolled);
    EXPECT_EQ(x.ahead, y.ahead);
    EXPECT_EQ(x.type, y.type);
    EXPECT_EQ(x.imm, y.imm);
    EXPECT_EQ(x.operands, y.operands);
    EXPECT_EQ(x.results, y.results);
    EXPECT_EQ(x.regions, y.regions);
    EXPECT_EQ(x.list, y.list);
    EXPECT_EQ(x.text, y.text);
    if (locations) {
      EXPECT_EQ(a.locations[x.loc].file, b.locations[y.loc].file);
      EXPECT_EQ(a.locations[x.loc].line, b.locations[y.loc].line);
    }
  }
  for (std::size_t v = 0; v < a.values.size(); ++v) {
    EXPECT_EQ(a.values[v].type, b.values[v].type);
    EXPECT_EQ(a.values[v].def, b.values[v].def);
    EXPECT_EQ(a.values[v].region, b.values[v].region);
  }
  for (std::size_t r = 0; r < a.regions.size(); ++r) {
    EXPECT_EQ(a.regions[r].params, b.regions[r].params);
    EXPECT_EQ(a.regions[r].insts, b.regions[r].insts);
    EXPECT_EQ(a.regions[r].parent, b.regions[r].parent);
  }
}

TEST(IrText, RandomModulesComeBackTheSame) {
  for (std::uint32_t seed = test::first_seed(), end = seed + 400; seed != end; ++seed) {
    Module m = test::random_module(seed);
    ASSERT_EQ(verify(m), "") << print(m);
    const std::string before = print(m);
    ParseResult again = parse(before);
    ASSERT_EQ(again.error, "") << before;
    EXPECT_EQ(print(again.module), before);

    canonicalise(m);  // numbers the tables in text order, as the parser does
    ASSERT_EQ(verify(m), "") << print(m);
    for (const bool locations : {false, true}) {
      again = parse(print(m, {.names = true, .locations = locations}));
      ASSERT_EQ(again.error, "");
      ASSERT_EQ(again.module.functions.size(), m.functions.size());
      for (std::size_t f = 0; f < m.functions.size(); ++f)
        expect_same(m.functions[f], again.module.functions[f], locations);
    }
    if (HasFailure()) FAIL() << "seed " << seed << '\n' << print(m);
  }
}

TEST(IrText, RandomModulesHoldEveryOperation) {
  std::set<Op> seen;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const Module m = test::random_module(seed);
    for (const Function& f : m.functions)
      for_each_inst(f, [&](InstId i, RegionId) { seen.insert(f.insts[i].op); });
  }
  // Operations on tiles need a fixed block and shared arrays of their form: below.
  for (unsigned op = 0; op < op_count; ++op)
    EXPECT_TRUE(seen.contains(Op(op)) || is_tile_operation(Op(op))) << info(Op(op)).name;
}

TEST(IrText, OperationsOnTiles) {
  const std::string text = R"(kir 1
kernel @k fp(native) block(32, 1, 1) (%0: view<f32, 2>, %1: f32) {
  %2: shared<f32, 1> = shared {512}
  %3: i32 = const 0
  %4: i64 = const 0
  copy_row %2, %3, %3, %0, %4, %4 {4}
  copy_tile %2, %3, %0, %4, %4 {8, 32, 1}
  copy_group
  copy_wait {0}
  barrier
  %5: f32, %6: f32, %7: f32, %8: f32 = product.fast %2, %3, %2, %3, %1, %1, %1, %1 {16, 8, 8, f32, f32, 6}
  %9: f32, %10: f32 = product_end %5, %6
  copy_back %0, %2, %3, %3, %4, %4 {4}
  return
}
)";
  const ParseResult parsed = parse(text);
  ASSERT_EQ(parsed.error, "");
  EXPECT_EQ(verify(parsed.module), "");
  EXPECT_EQ(print(parsed.module), text);
}

TEST(IrText, EveryOperationIsFoundByItsName) {
  for (unsigned i = 0; i < op_count; ++i) {
    Op op{};
    ASSERT_TRUE(find_op(info(Op(i)).name, op)) << info(Op(i)).name;
    EXPECT_EQ(op, Op(i));
  }
  Op op{};
  EXPECT_FALSE(find_op("", op));
  EXPECT_FALSE(find_op("addd", op));
  EXPECT_FALSE(find_op("zzz", op));
}

/// The text of one constant, back through the parser.
std::uint64_t constant_again(Scalar s, std::uint64_t bits, std::string* text = nullptr) {
  Module m;
  m.functions.push_back(new_function("f"));
  Builder b(m.functions[0]);
  b.at(0);
  b.constant(s, bits);
  b.append(Op::Return, {}, {});
  const std::string printed = print(m);
  if (text) {
    const std::size_t at = printed.find("const ") + 6;
    *text = printed.substr(at, printed.find('\n', at) - at);
  }
  const ParseResult again = parse(printed);
  EXPECT_EQ(again.error, "") << printed;
  return again.error.empty() ? again.module.kernel().insts[0].imm : ~bits;
}

TEST(IrText, EveryHalfConstantIsExact) {
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits)
    ASSERT_EQ(constant_again(Scalar::F16, bits), bits);
}

TEST(IrText, FloatConstantsAreExact) {
  std::uint64_t random = 0x9e3779b97f4a7c15;
  for (int i = 0; i < 20000; ++i) {
    random = random * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX generator
    std::uint64_t bits = random ^ random >> 31;
    if (i % 4 == 1) bits &= 0x800fffff00000000 | 0x80000000 | (0xfffff >> i % 20);  // subnormals
    // NaNs and infinities
    if (i % 4 == 2) bits |= 0x7ff0000000000000 | 0x7f800000;
    if (i % 4 == 3) bits &= 0xfff0000000000000 | 0xff800000;  // few digits
    ASSERT_EQ(constant_again(Scalar::F64, bits), bits);
    ASSERT_EQ(constant_again(Scalar::F32, bits & 0xffffffff), bits & 0xffffffff);
  }
}

TEST(IrText, ConstantsReadAsDocumented) {
  const auto text = [](Scalar s, std::uint64_t bits) {
    std::string out;
    EXPECT_EQ(constant_again(s, bits, &out), bits);
    return out;
  };
  EXPECT_EQ(text(Scalar::F32, 0x40400000), "0x1.8p+1");
  EXPECT_EQ(text(Scalar::F32, 0x80000000), "-0x0p+0");
  EXPECT_EQ(text(Scalar::F32, 1), "0x1p-149");
  EXPECT_EQ(text(Scalar::F32, 0x7f7fffff), "0x1.fffffep+127");
  EXPECT_EQ(text(Scalar::F32, 0x7fc00000), "nan");
  EXPECT_EQ(text(Scalar::F32, 0xffc00000), "bits(0xffc00000)");
  EXPECT_EQ(text(Scalar::F32, 0x7fc00001), "bits(0x7fc00001)");
  EXPECT_EQ(text(Scalar::F32, 0xff800000), "-inf");
  EXPECT_EQ(text(Scalar::F64, 0x3ff0000000000000), "0x1p+0");
  EXPECT_EQ(text(Scalar::F64, 1), "0x1p-1074");
  EXPECT_EQ(text(Scalar::F16, 0x3c01), "0x1.004p+0");
  EXPECT_EQ(text(Scalar::I8, 0x80), "-128");
  EXPECT_EQ(text(Scalar::U8, 0x80), "128");
  EXPECT_EQ(text(Scalar::I64, 0x8000000000000000), "-9223372036854775808");
  EXPECT_EQ(text(Scalar::U64, ~std::uint64_t(0)), "18446744073709551615");
  EXPECT_EQ(text(Scalar::Bool, 1), "true");
}

TEST(IrText, DecimalFloatsRoundToNearest) {
  const ParseResult r = parse(
      "kir 1\nkernel fp(native) () {\n%a: f32 = const 0.1\n%b: f64 = const -2.5e-3\n%c: f32 = const 16777217\nreturn\n}\n");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.module.kernel().insts[0].imm, 0x3dcccccdu);
  EXPECT_EQ(r.module.kernel().insts[1].imm, 0xbf647ae147ae147bu);
  EXPECT_EQ(r.module.kernel().insts[2].imm, 0x4b800000u);
}

constexpr const char* saxpy =
    "kir 1\n"
    "kernel @saxpy fp(native) facts(contiguous, aligned) flat block(128, 1, 1) "
    "(%0: f32, %1: view<f32, 1, const>, %2: view<bytes(24), 2>) {\n"
    "  %3: i64 = extent %2 {0} ; a b.cpp:4\n"
    "  %4: shared<f32, 2> = shared {16, 17}\n"
    "  grid_stride %3 { ; x.cpp:5\n"
    "  ^(%5: i64):\n"
    "    %6: f32 = load %1, %5 ; x.cpp:6\n"
    "    %7: f32 = exp.fast %6\n"
    "    %8: f32 = load.streaming.ahead(8) %1, %5\n"
    "    store.streaming.f32 %2, %5, %8\n"
    "    store.f32 %2, %5, %7 {20} ; x.cpp:5\n"
    "    switch %5 { ; x.cpp:9\n"
    "      case -1: {\n"
    "        break\n"
    "      }\n"
    "      default: {\n"
    "        yield\n"
    "      }\n"
    "    }\n"
    "    continue ; x.cpp:10\n"
    "  }\n"
    "  return\n"
    "}\n";

TEST(IrText, TheDocumentedFormIsKept) {
  const ParseResult r = parse(saxpy);
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(verify(r.module), "");
  EXPECT_EQ(print(r.module, {.names = true, .locations = true}), saxpy);
  EXPECT_EQ(r.module.kernel().locations.size(), 6u) << "each place is stored once";
  EXPECT_EQ(text_of(r.module.kernel().type_of(2)), "view<bytes(24), 2>");
  EXPECT_EQ(print_inst(r.module.kernel(), r.module.kernel().regions[1].insts[4]),
            "store.f32 %2, %5, %7 {20}");
}

TEST(IrText, ThePrintedFormInTheDocumentsIsCanonical) {
  std::ifstream file(KRAIT_SOURCE_DIR "/docs/ir.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  unsigned examples = 0;
  for (std::size_t at = 0; (at = document.find("```\nkir 1\n", at)) != std::string::npos;
       ++examples) {
    at += 4;
    const std::string example = document.substr(at, document.find("```", at) - at);
    const ParseResult r = parse(example);
    ASSERT_EQ(r.error, "") << example;
    EXPECT_EQ(verify(r.module), "");
    EXPECT_EQ(print(r.module, {.names = true, .locations = true}), example);
  }
  EXPECT_GE(examples, 2u);
}

TEST(IrText, LayoutAndCommentsDoNotMatter) {
  std::string squeezed;
  bool blank = false;
  for (std::string_view rest = saxpy; !rest.empty(); rest.remove_prefix(1)) {
    if (rest.starts_with(" ;")) rest.remove_prefix(rest.find('\n'));
    const bool space = rest[0] == ' ' || rest[0] == '\n';
    if (!space || !blank) squeezed += space ? ' ' : rest[0];
    blank = space;
  }
  const ParseResult dense = parse(squeezed);
  ASSERT_EQ(dense.error, "") << squeezed;
  EXPECT_EQ(print(dense.module), print(parse(saxpy).module));
  const ParseResult loose = parse(
      "; about\r\nkir 1 ; version:1\n\nkernel fp(fast)\n(\n)\n{\n; nothing:2\n\n return\n ; end:3\n}\n; file:4");
  ASSERT_EQ(loose.error, "");
  EXPECT_EQ(print(loose.module, {.names = true, .locations = true}),
            "kir 1\nkernel fp(fast) () {\n  return\n}\n");
}

TEST(IrText, AnElseThatOnlyYieldsIsLeftOut) {
  const std::string text =
      "kir 1\nkernel fp(strict) (%0: bool) {\n  if %0 {\n    return\n  }\n  return\n}\n";
  const ParseResult r = parse(text);
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(verify(r.module), "");
  EXPECT_EQ(r.module.kernel().regions.size(), 3u);
  EXPECT_EQ(print(r.module), text);
}

TEST(IrText, NamesAreOutsideTheIdentity) {
  const ParseResult r = parse(saxpy);
  const std::string text = print(r.module, {.names = false, .locations = false});
  EXPECT_EQ(text.find("saxpy"), std::string::npos);
  EXPECT_EQ(text.find(".cpp"), std::string::npos);
  EXPECT_EQ(print(parse(text).module), text);
}

TEST(IrText, LongChainsPrintAndParse) {
  Module m;
  m.functions.push_back(new_function("chain"));
  Builder b(m.functions[0]);
  ValueId v = b.new_param(0, value_type(Scalar::F32));
  b.at(0);
  const ValueId first = v, slot = b.emit(Op::Slot, slot_type(Scalar::F32), std::span(&first, 1));
  for (int i = 0; i < 100000; ++i) v = b.binary(Op::Add, {v, first});
  const ValueId operands[] = {slot, v};
  b.append(Op::Set, {}, operands);
  b.append(Op::Return, {}, {});
  ASSERT_EQ(verify(m), "");
  const std::string text = print(m);
  const ParseResult again = parse(text);
  ASSERT_EQ(again.error, "");
  EXPECT_TRUE(print(again.module) == text);
  canonicalise(m);
  EXPECT_EQ(m.kernel().insts.size(), 100003u);
  EXPECT_TRUE(print(m) == text);  // no EXPECT_EQ: its report on texts of this size takes all memory
}

}  // namespace
}  // namespace krait::ir
