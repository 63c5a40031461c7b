// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged texts: the parser answers with a module that verify, print and canonicalise can handle,
// or with an error; it never crashes.
#include <gtest/gtest.h>

#include <random>

#include "ir/text/text.h"
#include "random_ir.h"
#include "support/seed.h"

namespace krait::ir {
namespace {

std::string damaged(std::string text, std::mt19937& rng) {
  static constexpr const char* pieces[] = {
      "%",     "{",      "}",       "(",      ")",    "<",     ">",           ",",
      ":",     "^",      "=",       ".",      ";",    "-",     "\n",          "\"",
      "\\",    "%1",     "-1",      "0x",     "p-",   "bits(", "99999999999", "if %0 {",
      "yield", "else {", "case 1:", "switch", "loop", "view<", ".fast",       "const "};
  for (unsigned edits = 1 + unsigned(rng() % 3); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = rng() % text.size(),
                      length = std::min<std::size_t>(rng() % 12, text.size() - at);
    switch (rng() % 5) {
      case 0: text[at] = char(rng()); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, pieces[rng() % std::size(pieces)]); break;
      case 3: text.insert(at, text.substr(rng() % text.size(), length)); break;
      case 4: text.resize(at); break;
    }
  }
  return text;
}

TEST(IrMutation, DamagedTextsNeverCrash) {
  std::mt19937 rng(test::first_seed());
  unsigned parsed = 0, verified = 0;
  for (unsigned k = 0; k < 20000; ++k) {
    const Module original = test::random_module(k % 64, 6);
    const std::string text = damaged(print(original), rng);
    ParseResult r = parse(text);
    if (!r.error.empty()) {
      EXPECT_TRUE(r.error[0] >= '1' && r.error[0] <= '9') << r.error;
      continue;
    }
    ++parsed;
    const std::string printed = print(r.module);
    const ParseResult again = parse(printed);
    ASSERT_EQ(again.error, "") << text << "\nprinted as\n" << printed;
    if (!verify(r.module).empty()) continue;
    ++verified;
    ASSERT_EQ(print(again.module), printed) << text;
    canonicalise(r.module);
    ASSERT_EQ(verify(r.module), "") << text;
  }
  EXPECT_GT(parsed, 300u);
  EXPECT_GT(verified, 100u);
}

TEST(IrMutation, ArbitraryBytesNeverCrash) {
  std::mt19937 rng(test::first_seed());
  for (unsigned k = 0; k < 5000; ++k) {
    std::string bytes = k % 2 ? "kir 1\nkernel fp(native) (" : "";
    for (unsigned n = unsigned(rng() % 64); n > 0; --n) bytes += char(rng());
    EXPECT_NE(parse(bytes).error, "");
  }
}

}  // namespace
}  // namespace krait::ir
