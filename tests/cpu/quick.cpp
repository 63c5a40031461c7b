// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of first launches: how little of it there is. That its bits are right is shown by `check`, which runs it, too.
#include <fmt/format.h>

#include "fixture.h"
#include "passes/passes.h"

namespace krait::test {
namespace {

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

/// The machine's own code of final IR, for the widest target that loads numbers from any places.
std::string llvm_of(std::string_view kernel, const char* effort) {
  ir::ParseResult parsed = ir::parse("kir 1\n" + std::string(kernel));
  EXPECT_EQ(parsed.error, "");
  parsed.module.kernel().facts = {true, false, true, true};
  EXPECT_EQ(passes::run_pipeline(parsed.module, {support::TargetKind::Cpu}), "");
  const Compiled code =
      compile(ir::print(parsed.module), fmt::format("cpu x86-64 lanes=8 parts=4 cpu=x86-64-v3 effort={}", effort), "llvm");
  EXPECT_EQ(code.status, 0) << code.log;
  return code.data;
}

/// y[i] = bits of x[3 i] and of x[3 i + 1]: lanes lie apart.
std::string bits_of_every_third(const char* type) {
  return fmt::format(R"(kernel @bits fp(strict) (%0: view<{0}, 1, const>, %1: view<i32, 1>) {{
  %2: i64 = global_id {{0}}
  %3: i64 = const 3
  %4: i64 = mul %2, %3
  %5: {0} = load %0, %4
  %6: i64 = const 1
  %7: i64 = add %4, %6
  %8: {0} = load %0, %7
  %9: i32 = popcount %5
  %10: i32 = popcount %8
  %11: i32 = add %9, %10
  store.i32 %1, %2, %11
  return
}}
)",
                     type);
}

TEST(CpuQuick, LanesThatLieApart) {
  std::vector<std::uint8_t> bytes(300);
  std::vector<std::uint64_t> words(300);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::uint8_t(i * 77), words[i] = i * 0x9e3779b97f4a7c15u;
  const std::vector<std::int32_t> none(100, 3);
  check(bits_of_every_third("u8"), line(4, 25), {array(bytes), array(none)});
  check(bits_of_every_third("u64"), line(4, 25), {array(words), array(none)});
}

TEST(CpuQuick, BytesThatLieApartAreLoadedInALoop) {
  EXPECT_EQ(count(llvm_of(bits_of_every_third("u8"), "quick"), " = load i8,"), 2u);
  EXPECT_GT(count(llvm_of(bits_of_every_third("u8"), "best"), " = load i8,"), 16u);
}

TEST(CpuQuick, WordsThatLieApartAreGathered) {
  EXPECT_EQ(count(llvm_of(bits_of_every_third("u64"), "quick"), " = load i64, ptr %lanes"), 0u);
  EXPECT_GT(count(llvm_of(bits_of_every_third("u64"), "quick"), "@llvm.masked.gather"), 0u);
}

TEST(CpuQuick, LongOperationsAreCalled) {
  const std::string quick = llvm_of(bits_of_every_third("u64"), "quick");
  EXPECT_EQ(count(quick, "@llvm.ctpop.v8i64(<8 x i64> %"), 1u);
  EXPECT_GT(count(quick, "@popcount.u64("), 2u);
}

}  // namespace
}  // namespace krait::test
