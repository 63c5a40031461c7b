// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random modules in the interpreter: no access leaves the memory it was given, and canonical order
// computes the same.
#include <algorithm>

#include "interp_fixture.h"
#include "random_ir.h"
#include "support/seed.h"

namespace krait::ir {
namespace {

struct Outcome {
  std::string fault;
  std::vector<std::vector<std::byte>> memory;
  bool ended_early() const {
    return fault.find("instructions ran") != std::string::npos ||
           fault.find("not been expanded") != std::string::npos;
  }
};

/// Views get exactly the memory that their extents need, so that a sanitizer sees every access
/// beside them.
Outcome outcome(const Module& module, std::uint32_t seed) {
  const Function& f = module.kernel();
  Outcome result;
  std::vector<Argument> arguments;
  for (const ValueId v : f.params()) {
    const Type& type = f.type_of(v);
    Argument a{.bits = seed * 0x9e3779b97f4a7c15u};
    if (type.is_array()) {
      std::size_t elements = 1;
      for (unsigned d = type.rank; d-- > 0;) {
        a.strides[d] = std::int64_t(elements);
        elements *= std::size_t(a.extents[d] = (seed >> d) % 3 + 1);
      }
      auto& data = result.memory.emplace_back(elements * type.elem_bytes);
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = std::byte(i * 37);
      a.data = data.data();
    }
    arguments.push_back(a);
  }
  Launch launch{.grid = {2, 1, 1}, .block = {5, 2, 1}, .warp_size = 4};
  for (unsigned d = 0; d < 3; ++d)
    if (f.block[d]) launch.block[d] = std::min<std::int64_t>(f.block[d], 16);
  result.fault = interpret(module, launch, arguments,
                           {.races = true, .uninitialised = true, .max_steps = 20000});
  return result;
}

TEST(InterpRandom, CanonicalOrderLeavesTheSameMemory) {
  int compared = 0;
  for (std::uint32_t seed = test::first_seed(), end = seed + 600; seed != end; ++seed) {
    Module module = test::random_module(seed, 25);
    const Outcome before = outcome(module, seed);
    canonicalise(module);
    const Outcome after = outcome(module, seed);
    if (before.ended_early() || after.ended_early()) continue;
    ++compared;
    ASSERT_TRUE(before.memory == after.memory) << "seed " << seed << '\n'
                                               << before.fault << '\n'
                                               << after.fault << '\n'
                                               << print(module);
  }
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace krait::ir
