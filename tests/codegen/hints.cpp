// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints across the plug-in's boundary, and how the generators for GPUs find them in kernels that
// DSL and passes seldom make.
#include <gtest/gtest.h>

#include "support/plugin.h"

namespace krait::test {
namespace {

constexpr const char* targets[] = {"cpu x86-64 lanes=8 parts=2 cpu=x86-64-v3", "ptx sm=90 isa=80",
                                   "spirv features=i64,i8,i16"};

/// Of a flat kernel on i32 arrays %0 to %1, whose body defines what it needs from %4 on; its lines
/// are numbered from 1.
std::string hints(const std::string& body, const char* target) {
  std::string text =
      "kir 1\nkernel @k fp(native) facts(contiguous, aligned, small, disjoint) flat (%0: view<i32, 1, const>, %1: view<i32, 1>, "
      "%2: i32) {\n"
      "  %3: i64 = global_id {0} ; k.cpp:1\n";
  unsigned line = 2;
  for (std::size_t at = 0; at < body.size(); at = body.find('\n', at) + 1, ++line)
    text += "  " + body.substr(at, body.find('\n', at) - at) + " ; k.cpp:" + std::to_string(line) +
            "\n";
  const Compiled c = compile(text + "  return\n}\n", target, "binary", true);
  EXPECT_EQ(c.status, 0) << c.log << text;
  EXPECT_TRUE(c.hints.has_value());
  return c.hints.value_or("");
}
std::string first_word(const std::string& line) {
  return line.substr(0, line.find('\t', line.find('\t') + 1));
}

TEST(Hints, AreToldWhereAskedFor) {
  const std::string kir =
      "kir 1\nkernel @k fp(native) facts(contiguous, aligned, small, disjoint) flat (%0: view<i32, 1>) {\n  return\n}\n";
  for (const char* target : targets) {
    EXPECT_FALSE(compile(kir, target).hints.has_value()) << target;
    EXPECT_EQ(compile(kir, target, "binary", true).hints, "") << target;
  }
}

TEST(Hints, AreLinesOfKindLineFileAndText) {
  const std::string body = "%4: i32 = load %0, %3\n%5: i32 = load %0, %4\nstore.i32 %1, %3, %5\n";
  for (const char* target : targets) {
    const std::string said = hints(body, target);
    EXPECT_EQ(said.substr(0, said.find("the index")),
              target == targets[0] ? "gather\t3\tk.cpp\tgather: "
                                   : "gather\t3\tk.cpp\tuncoalesced access: ")
        << target;
    EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
  }
}

TEST(Hints, LaneStepsOfGpus) {
  const struct {
    const char *index, *kind;  // %4 is loaded at; the hint's kind and line, or nothing
  } cases[] = {
      {"%5: i64 = const 3\n%6: i64 = mul %3, %5\n", "strided\t4"},
      {"%5: i64 = const 3\n%6: i64 = shl %3, %5\n", "strided\t4"},
      {"%5: i64 = cast %2\n%6: i64 = mul %3, %5\n", "gather\t4"},
      {"%5: i64 = cast %2\n%6: i64 = add %3, %5\n", ""},
      {"%5: i64 = const 31\n%6: i64 = and %3, %5\n", ""},
      {"%5: i64 = const 6\n%6: i64 = shr %3, %5\n", ""},
      {"%5: i64 = const 5\n%6: i64 = sub %5, %3\n", ""},
      {"%5: i64 = const 0\n%6: i64 = max %3, %5\n", ""},
      {"%5: i64 = global_id {1}\n%6: i64 = mul %5, %5\n", ""},
      {"%5: i32 = lane_id\n%6: i64 = cast %5\n", ""},
      {"%5: i32 = load %0, %3\n%6: i64 = cast %5\n", "gather\t4"},
  };
  for (const auto& c : cases)
    for (const char* target : {targets[1], targets[2]}) {
      // a feature of its own
      if (std::string(c.index).find("lane_id") != std::string::npos && target == targets[2])
        continue;
      EXPECT_EQ(
          first_word(hints(std::string(c.index) + "%7: i32 = load %0, %6\nstore.i32 %1, %3, %7\n",
                           target)),
          c.kind)
          << c.index << target;
    }
}

/// What is carried in a loop, and what ifs join.
TEST(Hints, LaneStepsThroughLoops) {
  const std::string text = R"(kir 1
kernel @k fp(native) facts(contiguous, aligned, small, disjoint) flat (%0: view<i32, 1, const>, %1: view<i32, 1>, %2: i64) {
  %3: i64 = global_id {0}
  %4: i64 = global_size {0}
  %5: i64 = loop %3 {
  ^(%6: i64):
    %7: i32 = load %0, %6 ; k.cpp:1
    store.i32 %1, %6, %7 ; k.cpp:2
    %8: i64 = add %6, %STEP
    %9: bool = lt %8, %2
    if %9 {
      yield
    } else {
      break %8
    }
    continue %8
  }
  return
}
)";
  for (const char* target : {targets[1], targets[2]}) {
    std::string even = text, odd = text;
    even.replace(even.find("%STEP"), 5, "%4");
    odd.replace(odd.find("%STEP"), 5, "%3");
    EXPECT_EQ(compile(even, target, "binary", true).hints, "") << target;
    EXPECT_EQ(compile(odd, target, "binary", true).hints, "")
        << "nothing is known, so nothing is said; " << target;
  }
}

// A column of a shared array whose rows are as long as there are banks, and one with a longer row;
// a float times a double.
TEST(Hints, BankConflictsAndDoublesOfGpus) {
  const auto told = [](const char* row, const char* divisor) {
    std::string text = R"(kir 1
kernel @k fp(native) flat facts(contiguous) (%0: view<f32, 1, const>, %1: view<f32, 1>) {
  %2: i64 = thread_idx {0}
  %3: shared<f32, 1> = shared {2048}
  %4: i64 = const ROW
  %5: i64 = mul %2, %4
  %6: f32 = load %0, %2
  %7: T = cast %6
  %8: T = const 0x1p-1
  %9: T = mul %7, %8 ; k.cpp:1
  %10: f32 = cast %9
  store.f32 %3, %5, %10 ; k.cpp:2
  barrier
  %11: f32 = load %3, %2 ; k.cpp:3
  store.f32 %1, %2, %11
  return
}
)";
    text = text.replace(text.find("ROW"), 3, row);
    for (std::size_t at; (at = text.find(": T")) != text.npos;)
      text.replace(at, 3, std::string(": ") + divisor);
    return compile(text, targets[1], "binary", true).hints.value_or("none");
  };
  EXPECT_EQ(told("33", "f32"), "");
  EXPECT_EQ(
      told("32", "f32"),
      "banks\t2\tk.cpp\tbank conflicts: neighbouring threads access places 128 bytes apart in a shared array, so 32 "
      "threads of a warp "
      "wait for one bank. Make the rows of the array one element longer, or let neighbours use neighbouring elements\n");
  EXPECT_NE(told("2", "f32").find("8 bytes apart in a shared array, so 2 threads"),
            std::string::npos);
  EXPECT_EQ(
      told("33", "f64"),
      "doubles\t1\tk.cpp\tdouble precision: a float is widened for this operation, and GPUs compute f64 at 1/2 to 1/64 of "
      "the speed of "
      "f32. Give constants their f (0.5f), and convert double values with kr::cast<float>\n");
}

}  // namespace
}  // namespace krait::test
