// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Golden tests of the passes: a file names its passes, then holds a module, a line `; ----`, and
// what the passes make of it. The environment variable BLESS=1 writes the expected part anew.
// Whatever a pass makes must verify, and print as it parses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/text/text.h"
#include "ir/walk.h"
#include "math/bodies.h"
#include "passes/passes.h"
#include "passes/analysis/uniformity.h"

namespace krait::math {

/// Small bodies instead of the library's, so that these tests are about the pass: exp branches,
/// tanh uses exp, erfc marks its reciprocal, sin and cos call a rare path, pow has products for 3.
bool has_products(ir::Op op, double second) { return op == ir::Op::Pow && second == 3; }
std::string_view body(ir::Op op, ir::Scalar scalar, bool fast, bool products) {
  if (scalar != ir::Scalar::F32) return {};
  if (op == ir::Op::Pow)
    return products
               ? "kir 1\nfunc @math.pow_products (%0: f32, %1: f32) -> f32 {\n  %2: f32 = mul %0, %0\n  %3: f32 = mul %2, %0\n  yield %3\n}\n"
               : "kir 1\nfunc @math.pow (%0: f32, %1: f32) -> f32 {\n  %2: f32 = add %0, %1\n  yield %2\n}\n";
  if (op == ir::Op::Exp && fast)
    return "kir 1\nfunc @math.exp (%0: f32) -> f32 {\n  %1: f32 = const 1\n  %2: f32 = add %0, %1\n  yield %2\n}\n";
  if (op == ir::Op::Exp)
    return "kir 1\nfunc @math.exp (%0: f32) -> f32 {\n  %1: f32 = const 1\n  %2: slot<f32> = slot %1\n  %3: bool = isinf "
           "%0\n"
           "  if %3 {\n    set %2, %0\n    yield\n  } else {\n    %4: f32 = mul %0, %0\n    %5: f32 = add %4, %1\n"
           "    %6: f32 = sqrt %5\n    set %2, %6\n    yield\n  }\n  %7: f32 = get %2\n  yield %7\n}\n";
  if (op == ir::Op::Sin || op == ir::Op::Cos)
    return op == ir::Op::Sin
               ? "kir 1\nfunc @math.sin (%0: f32) -> f32 {\n  %1: f32 = call @math.far(%0)\n  yield %1\n}\n"
                 "func @math.far rare (%0: f32) -> f32 {\n  %1: f32 = call @math.farther(%0)\n  yield %1\n}\n"
                 "func @math.farther rare (%0: f32) -> f32 {\n  %1: f32 = neg %0\n  yield %1\n}\n"
               : "kir 1\nfunc @math.cos (%0: f32) -> f32 {\n  %1: f32 = neg %0\n  %2: f32 = call @math.far(%1)\n  yield %2\n}\n"
                 "func @math.far rare (%0: f32) -> f32 {\n  %1: f32 = call @math.farther(%0)\n  yield %1\n}\n"
                 "func @math.farther rare (%0: f32) -> f32 {\n  %1: f32 = neg %0\n  yield %1\n}\n";
  if (op == ir::Op::Tanh)
    return "kir 1\nfunc @math.tanh (%0: f32) -> f32 {\n  %1: f32 = exp %0\n  %2: f32 = neg %1\n  yield %2\n}\n";
  if (op == ir::Op::Erfc)
    return "kir 1\nfunc @math.erfc (%0: f32) -> f32 {\n  %1: f32 = const 0x1p+0\n  %2: f32 = div.fast %1, %0\n  yield %2\n}\n";
  return {};
}

}  // namespace krait::math

namespace krait::passes {
namespace {

using namespace ir;
namespace fs = std::filesystem;

constexpr std::string_view divider = "; ----\n";

struct Golden {
  std::vector<std::string> passes;
  std::string head, expected;
};

Golden read_golden(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  Golden g;
  const std::string all = text.str();
  const std::size_t at = all.find(divider);
  g.head = all.substr(0, at);
  if (at != std::string::npos) g.expected = all.substr(at + divider.size());
  std::istringstream names(all.substr(0, all.find('\n')));
  std::string word;
  names >> word >> word;  // "; pass:"
  while (names >> word) g.passes.push_back(word);
  return g;
}

std::string_view name_of(Uniform u) {
  constexpr std::string_view names[] = {"launch", "block", "warp", "varying"};
  return names[unsigned(u)];
}

/// The levels of all results and loop parameters, in order.
std::string print_uniformity(const Module& m) {
  const Function& f = m.kernel();
  const Uniformity u = uniformity(m);
  std::string out;
  for_each_inst(f, [&](InstId i, RegionId) {
    for (const ValueId v : f.insts[i].results)
      out += print_inst(f, i) + "  -> " + std::string(name_of(u.values[v])) + "\n";
    for (const RegionId inner : f.insts[i].regions) {
      out += "  region of " + std::string(info(f.insts[i].op).name) + ": " +
             std::string(name_of(u.regions[inner]));
      for (const ValueId v : f.regions[inner].params)
        out += ", parameter " + std::string(name_of(u.values[v]));
      out += "\n";
    }
  });
  return out;
}

/// False where `name` is no pass that changes the module.
bool run_pass(const std::string& name, Module& m) {
  for (const Pass& pass : all_passes())
    if (pass.name == name) return pass.run(m), true;
  return false;
}

support::Target target_of(const std::string& name) {
  for (const auto& [word, target] : {std::pair{"ptx", "sm_90"},
                                     {"spirv", "vulkan"},
                                     {"spirv_flushing", "spirv features=i64,f64,nfma32"},
                                     {"spirv_powers", "spirv features=i64,f64,nfma32,power32"},
                                     {"cpu", "cpu x86-64"}})
    if (name == std::string("pipeline:") + word) return support::parse_target(target).target;
  return {support::TargetKind::Interpreter};
}

std::string apply(const Golden& g, Module& m) {
  for (const std::string& name : g.passes) {
    if (name == "uniformity") return print_uniformity(m);
    if (name == "check_barriers") {
      const std::string message = check_barriers(m);
      return (message.empty() ? "every barrier is reached by whole blocks" : message) + "\n";
    }
    if (name == "lower_reports") {  // no pass of the table, as the next: it adds parameters
      lower_reports(m);
    } else if (name == "lower_grid_barriers") {
      lower_grid_barriers(m);
    } else if (name.starts_with("pipeline:")) {
      if (const std::string message = run_pipeline(m, target_of(name), true); !message.empty())
        return message + "\n";
    } else {
      EXPECT_TRUE(run_pass(name, m)) << "no pass " << name;
    }
    EXPECT_EQ(verify(m), "") << "after " << name << "\n" << print(m);
  }
  return print(m);
}

class GoldenTest : public testing::TestWithParam<fs::path> {};

TEST_P(GoldenTest, GivesWhatTheFileSays) {
  const Golden g = read_golden(GetParam());
  ASSERT_FALSE(g.passes.empty());
  ParseResult parsed = parse(g.head);
  ASSERT_EQ(parsed.error, "");
  ASSERT_EQ(verify(parsed.module), "");
  const std::string result = apply(g, parsed.module);
  if (result.starts_with("kir")) {
    ParseResult again = parse(result);
    ASSERT_EQ(again.error, "") << result;
    EXPECT_EQ(print(again.module), result);
  }
  if (std::getenv("BLESS")) {
    std::ofstream(GetParam(), std::ios::binary) << g.head << divider << result;
    return;
  }
  EXPECT_EQ(result, g.expected);
}

std::vector<fs::path> files() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(KRAIT_GOLDEN_DIR))
    if (entry.path().extension() == ".kir") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string test_name(const testing::TestParamInfo<fs::path>& test) {
  std::string name = test.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
      '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Passes, GoldenTest, testing::ValuesIn(files()), test_name);

}  // namespace
}  // namespace krait::passes
