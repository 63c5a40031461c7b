// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many threads run together, and why: the first line of the assembly, which `krait dump --emit
// stats` shows, too.
#include <gtest/gtest.h>

#include "targets.h"

namespace krait::test {
namespace {

/// The line of a kernel of one array %0 of i32, whose body ends with a return.
std::string gang(const std::string& facts, const std::string& body,
                 const std::string& target = "cpu x86-64 lanes=8 cpu=x86-64-v3") {
  const Compiled made =
      compile("kir 1\nkernel @k fp(strict) facts(contiguous, small, disjoint" + facts +
                  ") flat (%0: view<i32, 1>) {\n" + body + "  return\n}\n",
              target, "asm");
  EXPECT_EQ(made.status, 0) << made.log;
  return made.data.substr(0, made.data.find('\n'));
}

const std::string store_own =
    "  %1: i64 = block_idx {0}\n  %2: i64 = thread_idx {0}\n  %3: i64 = block_dim {0}\n"
    "  %4: i64 = mul %1, %3\n  %5: i64 = add %4, %2\n  %6: i32 = cast %1\n  store.i32 %0, %5, %6\n";
const std::string meet =
    "  %1: i64 = block_idx {0}\n  %2: i64 = thread_idx {0}\n  %3: i32 = cast %2\n"
    "  %4: shared<i32, 1> = shared {64}\n  store.i32 %4, %2, %3\n  barrier\n  %5: i64 = const 1\n"
    "  %6: i64 = xor %2, %5\n  %7: i32 = load %4, %6\n  store.i32 %0, %2, %7\n";

TEST(CpuGangs, SayWhy) {
  EXPECT_EQ(gang(", one_row, bricks(1, 1)", store_own),
            "# gang: 1 thread, as scalar code: blocks of one thread");
  EXPECT_EQ(gang(", one_row, bricks(4, 1)", store_own),
            "# gang: 16 threads, 2 vectors of 8 lanes: threads of several blocks of 4");
  EXPECT_EQ(gang(", one_row, bricks(4, 1)", meet),
            "# gang: 4 threads, 1 vector of 4 lanes: "
            "blocks have 4 threads, and share arrays or wait for each other");
  EXPECT_EQ(gang(", bricks(1, 4)", meet),
            "# gang: 4 threads, 1 vector of 4 lanes: blocks have planes of 4 threads");
  EXPECT_EQ(gang(") block(64, 1, 1", meet),
            "# gang: 64 threads, 8 vectors of 8 lanes: "
            "the whole block, without stops at its barriers");
  EXPECT_EQ(gang("", store_own),
            "# gang: 16 threads, 2 vectors of 8 lanes: "
            "a thread takes about 0 cycles as a lane, 2 as scalar code");
}

/// Of threads that data choose, each of which updates elements where data say: lanes would do so
/// one after the other.
TEST(CpuGangs, UpdateAloneWhereDataChooseThem) {
  const char* const votes =
      "  %1: i64 = global_id {0}\n  %2: i32 = cast %1\n  %3: i32 = load %0, %2\n"
      "  %4: i32 = const 0\n  %5: bool = gt %3, %4\n  if %5 {\n    %6: u32 = const 32\n"
      "    for %6 {\n    ^(%7: u32):\n      %8: i32 = cast %7\n      %9: i32 = add %3, %8\n"
      "      %10: i32 = const 1\n      %11: i32 = atomic_add %0, %9, %10\n      continue\n    }\n"
      "    yield\n  } else {\n    yield\n  }\n";
  EXPECT_EQ(gang("", votes).substr(0, 36), "# gang: 1 thread, as scalar code: a ");
}

/// Threads i take the lists of i >> `by`, of a length that is in memory.
std::string lists(const std::string& by) {
  return "  %1: i64 = global_id {0}\n  %2: i32 = cast %1\n  %3: i32 = const " + by +
         "\n  %4: i32 = shr %2, %3\n  %5: i32 = load %0, %4\n  %6: u32 = cast %5\n"
         "  %7: i32 = const 0\n  %8: i32 = for %6, %7 {\n  ^(%9: u32, %10: i32):\n"
         "    %11: i32 = cast %9\n    %12: i32 = add %4, %11\n    %13: i32 = load %0, %12\n"
         "    %14: i32 = add %10, %13\n    continue %14\n  }\n  store.i32 %0, %2, %8\n";
}

TEST(CpuGangs, AreAsNarrowAsGroupsThatDoTheSame) {
  EXPECT_EQ(gang("", lists("3")),
            "# gang: 8 threads, 1 vector of 8 lanes: 8 threads do the same: "
            "a thread takes about 64 cycles as a lane of a wider gang, 5 of this one, "
            "47 as scalar code");
  EXPECT_EQ(gang("", lists("2")).substr(0, 40), "# gang: 4 threads, 1 vector of 4 lanes: ");
  EXPECT_EQ(gang("", lists("0")).find("do the same"), std::string::npos);
}

TEST(CpuGangs, FillRegistersWithBytes) {
  std::string body =
      "  %1: i64 = global_id {0}\n  %2: i32 = cast %1\n  %3: i32 = load %0, %2\n"
      "  %10: u8 = cast %3\n";
  for (int k = 11; k < 91; ++k)
    body += "  %" + std::to_string(k) + ": u8 = " + (k % 2 ? "add" : "xor") + " %" +
            std::to_string(k - 1) + ", %10\n";
  const std::string store = "  %91: i32 = cast %90\n  store.i32 %0, %2, %91\n";
  EXPECT_EQ(gang("", body + store),
            "# gang: 64 threads, 2 vectors of 32 lanes: narrow numbers: "
            "a thread takes about 1.5 cycles, 2.7 in vectors of half as many lanes");
}

}  // namespace
}  // namespace krait::test
