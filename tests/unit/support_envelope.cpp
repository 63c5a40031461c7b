// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/blobs/envelope.h"

#include <gtest/gtest.h>

#include "ir/abi.h"
#include "ir/text/text.h"
#include "krait/error.h"
#include "support/cpu_blob.h"

namespace krait::support {
namespace {

Envelope example() {
  const ir::ParseResult parsed = ir::parse(
      "kir 1\nkernel @k fp(native) facts(small) flat block(32, 2, 1) elements(4) (%0: f32, %1: view<f32, 2>,\n"
      "    %2: view<u8, 1, const> = table(0), %3: u32 = kernel_number) {\n"
      "  %4: i64 = extent %1 {0}\n  %5: shared<f32, 1> = shared %4 {0}\n  return\n}\n");
  EXPECT_EQ(parsed.error, "");
  Envelope e = ir::envelope_of(parsed.module.kernel(), TargetKind::Cpu);
  e.registers = 32, e.fixed_shared = 128, e.entry = "entry", e.code = "code";
  e.set_own(CpuCode{});
  return e;
}

std::string wrong_with(std::string_view bytes, TargetKind expected = TargetKind::Cpu) {
  Envelope e;
  return open(bytes, expected, e);
}

TEST(SupportEnvelope, ComesOutAsItWentIn) {
  const Envelope in = example();
  const std::string bytes = seal(in);
  Envelope out;
  ASSERT_EQ(open(bytes, TargetKind::Cpu, out), "");
  EXPECT_EQ(out.kind, TargetKind::Cpu);
  EXPECT_EQ(out.elements, 4u);
  EXPECT_EQ(out.registers, 32u);
  EXPECT_EQ(out.fixed_shared, 128u);
  EXPECT_EQ(out.block, (std::array<std::uint32_t, 3>{32, 2, 1}));
  EXPECT_EQ(out.arguments, in.arguments);
  EXPECT_EQ(out.arguments.count(ArgumentSlot::What::SharedLength), 1u);
  EXPECT_EQ(out.arguments.given, 2u);
  EXPECT_EQ(out.arguments.hidden,
            (std::vector<Hidden>{{HiddenKind::Table, 0}, {HiddenKind::KernelNumber}}));
  EXPECT_FALSE(out.lengths.empty());
  EXPECT_EQ(out.lengths, in.lengths);
  EXPECT_EQ(out.entry, "entry");
  EXPECT_EQ(out.code, "code");
  CpuCode own{.lanes = 7};
  EXPECT_TRUE(out.get_own(own));
  EXPECT_EQ(own.lanes, 1u);
  std::uint64_t other = 0;
  EXPECT_FALSE(out.get_own(other));
  EXPECT_EQ(seal(out), bytes);
}

TEST(SupportEnvelope, DamageIsToldWithWhatWasExpected) {
  const std::string bytes = seal(example());
  EXPECT_EQ(wrong_with(""), "its code is damaged: 0 bytes, expected an envelope of at least 80");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(wrong_with(std::string_view(bytes).substr(0, size)), "") << size;
  EXPECT_NE(wrong_with(bytes + "x"), "");
  std::string other = bytes;
  other[0] = 'X';
  EXPECT_EQ(
      wrong_with(other),
      "its code is damaged, or of another build: it does not begin with KRAITENV. libkrait.so and "
      "libkrait_codegen.so are of different builds: reinstall both");
  EXPECT_EQ(wrong_with(bytes, TargetKind::Ptx), "its code is for target cpu, expected ptx");
  for (std::size_t at = 52; at < 80; ++at) {  // sizes of parts
    other = bytes;
    other[at] = char(other[at] ^ 0x7f);
    EXPECT_NE(wrong_with(other), "") << at;
  }
}

TEST(SupportEnvelope, NumbersThatDoNotFitAreDamage) {
  Envelope e = example();
  e.elements = 0;
  EXPECT_EQ(wrong_with(seal(e)),
            "its code is damaged: a thread handles 0 elements, expected 1 or more");
  e = example();
  e.arguments.size = 8;
  EXPECT_EQ(
      wrong_with(seal(e)),
      "its code is damaged: item 1 of its arguments is at 8 and takes 8 bytes, expected within 8");
}

TEST(SupportEnvelope, AnotherFormatIsToldWithTheCure) {
  std::string bytes = seal(example());
  const std::uint32_t later = Envelope::version + 1;
  std::memcpy(bytes.data() + 8, &later, sizeof later);
  const std::string expected =
      "its code is in format " + std::to_string(later) + ", expected " +
      std::to_string(Envelope::version) +
      ": libkrait.so and libkrait_codegen.so are of different builds: reinstall both";
  EXPECT_EQ(wrong_with(bytes), expected);
  try {
    open_or_fail(std::as_bytes(std::span(bytes)), TargetKind::Cpu, "saxpy (a.cpp:3)");
    FAIL();
  } catch (const error& e) {
    EXPECT_EQ(e.kind(), error::kind_type::device);
    EXPECT_EQ(std::string(e.message()), "kernel saxpy (a.cpp:3): " + expected);
  }
}

TEST(SupportEnvelope, OtherArgumentsAreTold) {
  const ArgumentLayout given = example().arguments;
  EXPECT_EQ(difference(given, given), "");
  ArgumentLayout taken = given;
  taken.slots[1].offset += 8;
  EXPECT_EQ(
      difference(taken, given),
      "item 1 of its arguments is the address 1.0 of 8 bytes at 16, expected the address 1.0 of 8 bytes at 8");
  taken = given;
  taken.slots.pop_back();
  EXPECT_EQ(
      difference(taken, given),
      "item 10 of its arguments is missing, expected the length of a shared array 0.0 of 8 bytes at 72");
  EXPECT_EQ(
      difference(given, taken),
      "item 10 of its arguments is the length of a shared array 0.0 of 8 bytes at 72, expected none");
  taken = given;
  taken.size += 8;
  EXPECT_EQ(difference(taken, given), "its arguments take 88 bytes, expected 80");
  taken = given;
  taken.given = 1;
  EXPECT_EQ(difference(taken, given), "it takes 1 parameters of a call, expected 2");
  taken = given;
  taken.hidden[0].index = 3;
  EXPECT_EQ(difference(taken, given), "hidden parameter 0 is table(3), expected table(0)");
  taken.hidden = {given.hidden[0]};
  EXPECT_EQ(difference(taken, given), "hidden parameter 1 is missing, expected kernel_number");
  EXPECT_EQ(difference(given, taken), "hidden parameter 1 is kernel_number, expected none");
}

TEST(SupportEnvelope, HiddenParametersOfNoKindAreDamage) {
  Envelope in = example();
  in.arguments.hidden[1].kind = HiddenKind(hidden_kinds);
  EXPECT_EQ(wrong_with(seal(in)),
            "its code is damaged: hidden parameter 1 is of kind 5, expected one below 5");
  in = example();
  in.arguments.slots[0].param = 4;
  EXPECT_EQ(wrong_with(seal(in)),
            "its code is damaged: item 0 of its arguments is of parameter 4, expected one below 4");
}

}  // namespace
}  // namespace krait::support
