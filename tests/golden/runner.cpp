// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass that leaves a broken module is named: where that is asked for, and in every build with
// assertions.
#include "passes/runner.h"

#include <gtest/gtest.h>

#include "ir/builder.h"

namespace krait::passes {
namespace {

ir::Module empty_kernel() {
  ir::Function f = ir::new_function("empty");
  ir::Builder b(f);
  b.at(f.body);
  b.append(ir::Op::Return, {}, {});
  ir::Module m;
  m.functions.push_back(std::move(f));
  return m;
}

void lose_the_return(ir::Module& m) {
  ir::Function& f = m.functions[0];
  f.regions[f.body].insts.clear();
}

void leave(ir::Module&) {}

/// What is said after passes of which the last but one loses the kernel's end; empty where nobody
/// looks.
std::string said(Runner& run) {
  try {
    run("leave", leave)("lose_the_return", lose_the_return)("leave", leave);
    return {};
  } catch (const error& e) {
    EXPECT_EQ(e.kind(), error::kind_type::internal);
    return e.what();
  }
}

TEST(Runner, NamesThePassThatLeftABrokenModule) {
  ir::Module m = empty_kernel();
  Runner run(m, true);
  const std::string text = said(run);
  EXPECT_NE(text.find("kernel empty is broken after lose_the_return: "), std::string::npos) << text;
}

TEST(Runner, LooksInBuildsWithAssertionsWithoutBeingAsked) {
#ifdef NDEBUG
  constexpr bool assertions = false;
#else
  constexpr bool assertions = true;
#endif
  ir::Module m = empty_kernel();
  Runner run(m);
  EXPECT_EQ(!said(run).empty(), assertions);
}

}  // namespace
}  // namespace krait::passes
