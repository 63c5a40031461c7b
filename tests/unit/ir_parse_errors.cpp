// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parser says, and where.
#include <gtest/gtest.h>

#include "ir/text/text.h"

namespace krait::ir {
namespace {

std::string error(std::string_view text) { return parse(text).error; }
/// `lines` are those of a body that starts at line 3, with a float, an integer, a bool and a view
/// as parameters.
std::string body_error(const std::string& lines) {
  return error("kir 1\nkernel fp(native) (%0: f32, %1: i32, %2: bool, %3: view<f32, 1>) {\n" +
               lines + "\n}\n");
}

TEST(IrParseErrors, Module) {
  EXPECT_EQ(error(""), "1:1: expected 'kir 1'");
  EXPECT_EQ(error("kir 0\nkernel"),
            "1:5: 'kir 0' is another version of the text form, expected 'kir 1'");
  EXPECT_EQ(error("kir two"), "1:5: expected the version of the text form");
  EXPECT_EQ(error("kir 2"), "1:5: 'kir 2' is another version of the text form, expected 'kir 1'");
  EXPECT_EQ(error("kir 1"), "1:6: expected 'kernel'");
  EXPECT_EQ(error("kir 1\nfunction () {\nreturn\n}"), "2:1: expected 'kernel'");
  EXPECT_EQ(error("kir 1\nfunc fp(native) () {\nreturn\n}"), "2:6: expected 'rare', 'ptx' or '('");
  EXPECT_EQ(error("kir 1\nfunc () -> () {"), "2:13: expected a type");
  EXPECT_EQ(error("kir 1\nkernel fp(native) () {\ncall f\nreturn\n}"), "3:6: expected '@'");
  EXPECT_EQ(error("kir 1\nkernel fp(native) () {\ncall @f()\nreturn\n}"),
            "3:6: unknown function 'f'");
  EXPECT_EQ(error("kir 1\nkernel fp(native) () {\ncall #x\nreturn\n}"),
            "3:7: expected the number of a function");
  EXPECT_EQ(error("kir 1\nkernel fp(native) () {\nreturn\n}\nkernel"), "5:1: expected 'func'");
  EXPECT_EQ(error("kir 1\nkernel @ fp(native)"), "2:9: expected the function's name");
  EXPECT_EQ(error("kir 1\nkernel @\"ab"), "2:12: the name has no end");
  EXPECT_EQ(error("kir 1\nkernel @\"a\\g0\""), "2:11: expected two hexadecimal digits");
  EXPECT_EQ(error("kir 1\nkernel (%0: f32)"), "2:8: expected 'fp'");
  EXPECT_EQ(error("kir 1\nkernel fp(exact) ()"),
            "2:11: expected strict, reproducible, native or fast");
  EXPECT_EQ(
      error("kir 1\nkernel fp(native) facts(large) ()"),
      "2:25: expected contiguous, aligned, small, disjoint, whole_rows, one_row, aligned_rows, resident, pieces, dense_rows, bricks, whole_bricks or warp");
  constexpr auto wrong =
      "expected rows of at most 16 threads, and a power of two that makes no more than 32 with them";
  EXPECT_EQ(error("kir 1\nkernel fp(native) facts(bricks(3, 3)) ()"),
            std::string("2:32: ") + wrong);
  EXPECT_EQ(error("kir 1\nkernel fp(native) facts(bricks(17, 1)) ()"),
            std::string("2:32: ") + wrong);
  EXPECT_EQ(error("kir 1\nkernel fp(native) facts(whole_bricks(5, 8)) ()"),
            std::string("2:38: ") + wrong);
  EXPECT_EQ(error("kir 1\nkernel fp(native) facts(warp(many)) ()"),
            "2:30: expected lanes of a warp");
  EXPECT_EQ(error("kir 1\nkernel fp(native) facts(bricks(256, 1)) ()"),
            "2:32: threads of a row is out of range");
  EXPECT_EQ(error("kir 1\nkernel fp(native) facts(bricks(4, x)) ()"),
            "2:35: expected lanes along a column");
  EXPECT_EQ(error("kir 1\nkernel fp(native) elements(x) ()"),
            "2:28: expected a number of elements");
  EXPECT_EQ(
      error("kir 1\nkernel fp(native) big ()"),
      "2:19: expected facts, checked, flat, block, cluster, bounds, elements, first, second or the parameters");
  EXPECT_EQ(error("kir 1\nkernel fp(native) block(1, 2) ()"), "2:29: expected ','");
  EXPECT_EQ(error("kir 1\nkernel fp(native) bounds(1, 2) ()"), "2:30: expected ','");
  EXPECT_EQ(error("kir 1\nkernel fp(native) bounds(-1, 2, 3) ()"),
            "2:26: expected threads of a block");
  EXPECT_EQ(error("kir 1\nkernel fp(native) bounds(1, x, 3) ()"),
            "2:29: expected blocks of a multiprocessor");
  EXPECT_EQ(error("kir 1\nkernel fp(native) bounds(1, 2, 4294967296) ()"),
            "2:32: registers of a thread is out of range");
  EXPECT_EQ(error("kir 1\nkernel fp(native) bounds(1, 2, y) ()"),
            "2:32: expected registers of a thread");
  EXPECT_EQ(error("kir 1\nkernel fp(native) block(1, 2, 99999999999999999999) ()"),
            "2:31: a block size is out of range");
  EXPECT_EQ(error("kir 1\nkernel fp(native) cluster(x, 1, 1) ()"),
            "2:27: expected a number of blocks");
  EXPECT_EQ(error("kir 1\nkernel fp(native) (%0: f31) {"), "2:24: expected a type");
  EXPECT_EQ(error("kir 1\nkernel fp(native) (%0: f32, %0: f32) {"), "2:29: %0 is defined twice");
  EXPECT_EQ(error("kir 1\nkernel fp(native) (%0: view<f32, 1, constant>) {"),
            "2:37: expected 'const'");
  EXPECT_EQ(error("kir 1\nkernel fp(native) (%0: view<f32, 256>) {"),
            "2:34: a rank is out of range");
  EXPECT_EQ(error("kir 1\nkernel fp(native) (%0: view<bytes(4294967296), 1>) {"),
            "2:35: a size in bytes is out of range");
  EXPECT_EQ(error("kir 1\nkernel fp(native) () {\n  return\n"), "4:1: expected '}'");
}

TEST(IrParseErrors, Instructions) {
  EXPECT_EQ(body_error("  ad %0, %0"), "3:3: unknown operation 'ad'");
  EXPECT_EQ(body_error("  %4: f32 = = add"), "3:13: expected an instruction");
  EXPECT_EQ(body_error("  %4: f32 = add %0"), "3:13: add takes 2 operands, not 1");
  EXPECT_EQ(body_error("  %4: f32 = neg %0, %0"), "3:13: neg takes 1 operand, not 2");
  EXPECT_EQ(body_error("  %4: f32 = add %0, %5"), "3:21: %5 is not defined here");
  EXPECT_EQ(body_error("  %4: f32 = add %0, %4"), "3:21: %4 is not defined here");
  EXPECT_EQ(body_error("  %4: f32 = add %0, %"), "3:21: % is not defined here");
  EXPECT_EQ(body_error("  %0: f32 = neg %0"), "3:3: %0 is defined twice");
  EXPECT_EQ(
      body_error("  if %2 {\n    %4: f32 = neg %0\n    yield\n  }\n  %5: f32 = neg %4\n  return"),
      "7:17: %4 is not defined here");
  EXPECT_EQ(body_error("  %4: f32 = if %2 {\n    yield %4\n  }"), "4:11: %4 is not defined here");
  EXPECT_EQ(body_error("  return\n  return"),
            "4:3: expected '}' after yield, continue, break, return or unreachable");
  EXPECT_EQ(body_error("  %4: f32 = neg.f32 %0"), "3:17: the type is that of the results");
  EXPECT_EQ(body_error("  store.f33 %3, %1, %0"), "3:9: expected a type");
  EXPECT_EQ(body_error("  %4: i64 = extent %3 {x}"), "3:24: expected a number");
  EXPECT_EQ(body_error("  %4: i64 = extent %3 {0, 1}"), "3:25: expected '}'");
  EXPECT_EQ(body_error("  %4: i64 = extent %3 {18446744073709551616}"),
            "3:24: a number is out of range");
  EXPECT_EQ(body_error("  %4: shared<f32, 1> = shared {}"), "3:32: expected an extent");
  EXPECT_EQ(body_error("  switch %1 {\n    case 0 {"), "4:12: expected ':'");
  EXPECT_EQ(body_error("  switch %1 {\n  }"), "4:3: expected case or default");
  EXPECT_EQ(body_error("  loop {\n  ^():\n"), "4:5: expected '%'");
  EXPECT_EQ(body_error("  %: f32 = neg %0"), "3:4: expected a number after '%'");
  EXPECT_EQ(body_error("  loop\n  break"), "4:3: expected '{'");
  EXPECT_EQ(body_error("  %4: f32 = load.ahead(x) %3, %1"),
            "3:24: expected a number of iterations");
}

TEST(IrParseErrors, Constants) {
  EXPECT_EQ(body_error("  %4: i8 = const 128"), "3:18: an integer is out of range");
  EXPECT_EQ(body_error("  %4: i8 = const -129"), "3:18: an integer is out of range");
  EXPECT_EQ(body_error("  %4: u8 = const 256"), "3:18: an integer is out of range");
  EXPECT_EQ(body_error("  %4: u8 = const -1"), "3:18: expected an integer");
  EXPECT_EQ(body_error("  %4: i32 = const 1x"), "3:20: expected an integer");
  EXPECT_EQ(body_error("  %4: bool = const 1"), "3:20: expected true or false");
  EXPECT_EQ(body_error("  %4: f32 = const 0x1p+128"), "3:19: constant is too large for its type");
  EXPECT_EQ(body_error("  %4: f8e4m3 = const 0x1.ep+8"),
            "3:22: constant is too large for its type");
  EXPECT_EQ(body_error("  %4: f8e4m3 = const 0x1p+9"), "3:22: constant is too large for its type");
  EXPECT_EQ(body_error("  %4: f8e4m3 = const inf"), "3:22: the type has no infinity");
  EXPECT_EQ(body_error("  %4: f32 = const 0x1.000001p+0"),
            "3:19: constant is not exact in its type");
  EXPECT_EQ(body_error("  %4: f32 = const 0x1p-150"), "3:19: constant is not exact in its type");
  EXPECT_EQ(body_error("  %4: f64 = const 0x1.00000000000000000000000000000001p+0"),
            "3:19: constant is not exact in its type");
  EXPECT_EQ(body_error("  %4: f32 = const 0x" + std::string(65, '0') + "p+0"),
            "3:19: constant has too many digits");
  EXPECT_EQ(body_error("  %4: f32 = const 0x1.8"),
            "3:19: hexadecimal float must look like 0x1.8p+1");
  EXPECT_EQ(body_error("  %4: f32 = const 0x1p99999999999"), "3:19: constant has a bad exponent");
  EXPECT_EQ(body_error("  %4: f32 = const 1e999"), "3:19: constant is out of range of its type");
  EXPECT_EQ(body_error("  %4: f16 = const 1.5"),
            "3:19: constants of types below f32 are hexadecimal floats");
  EXPECT_EQ(body_error("  %4: f32 = const -nan"), "3:19: expected a floating-point constant");
  EXPECT_EQ(body_error("  %4: f32 = const bits(0x100000000)"),
            "3:19: expected bits(0x…) within the width of the type");
  EXPECT_EQ(body_error("  %4: slot<f32> = const 1"), "3:24: a constant needs a scalar result");
  EXPECT_EQ(body_error("  const 1"), "3:8: a constant needs a scalar result");
}

TEST(IrParseErrors, HiddenParameters) {
  const auto with = [](const std::string& params) {
    return error("kir 1\nkernel fp(native) (" + params + ") {\n  return\n}\n");
  };
  EXPECT_EQ(with("%0: view<f32, 1, const> = table(7), %1: u32 = kernel_number"), "");
  EXPECT_EQ(with("%0: u32 = tape"),
            "2:30: expected table, reports, kernel_number, tile_map or arrivals");
  EXPECT_EQ(with("%0: view<f32, 1, const> = table"), "2:51: expected '('");
  EXPECT_EQ(with("%0: u32 = kernel_number, %1: f32"),
            "2:52: expected '=' and a kind: a hidden parameter stands before this one");
}

TEST(IrParseErrors, TextsOfReports) {
  EXPECT_EQ(body_error("  print {1}"), "3:10: expected a text in quotes");
  EXPECT_EQ(body_error("  print {\"a}\n"), "3:13: the text has no end");
  EXPECT_EQ(body_error("  print {\"a\\zz\"}"), "3:12: expected two hexadecimal digits");
}

TEST(IrParseErrors, NestingIsBounded) {
  const auto nested = [](unsigned depth) {
    std::string lines;
    for (unsigned i = 0; i < depth; ++i) lines += "if %2 {\n";
    for (unsigned i = 0; i < depth; ++i) lines += "yield\n}\n";
    return lines + "return";
  };
  EXPECT_EQ(body_error(nested(max_region_depth)), "");
  EXPECT_EQ(body_error(nested(max_region_depth + 1)),
            std::to_string(max_region_depth + 3) + ":8: regions nest too deeply");
  EXPECT_EQ(body_error(std::string(1000000, '{')).substr(0, 4), "3:1:");
}

}  // namespace
}  // namespace krait::ir
