// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "targets.h"

#include <gtest/gtest.h>

#include "ir/text/text.h"
#include "passes/passes.h"
#include "runtime/cpu/host.h"

namespace krait::test {

std::vector<std::string> targets() {
  std::vector<std::string> list = {"cpu x86-64 lanes=1 parts=1 cpu=x86-64-v2",
                                   "cpu x86-64 lanes=4 parts=1 cpu=x86-64-v2"};
  CpuLevel level = runtime::cpu::host_level();
  if (level >= CpuLevel::Avx2) {
    list.push_back("cpu x86-64 lanes=8 parts=1 cpu=x86-64-v3");
    list.push_back("cpu x86-64 lanes=8 parts=2 cpu=x86-64-v3");
  }
  if (level >= CpuLevel::Avx512) list.push_back("cpu x86-64 lanes=16 parts=2 cpu=x86-64-v4");
  list.push_back(list.back() + " effort=quick");
  return list;
}

ir::Module lowered(std::string_view name, const Choice& choice, const ir::Facts& facts) {
  ir::Module module = kernel_of(name, choice, facts);
  EXPECT_EQ(passes::run_pipeline(module, {support::TargetKind::Cpu}), "");
  return module;
}

std::string llvm_of(std::string_view name, const Choice& choice, const ir::Facts& facts,
                    const std::string& target) {
  const Compiled code = compile(ir::print(lowered(name, choice, facts)), target, "llvm");
  EXPECT_EQ(code.status, 0) << code.log;
  return code.data;
}

}  // namespace krait::test
