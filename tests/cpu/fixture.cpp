// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.h"

#include <cmath>
#include <cstring>

#include <fmt/core.h>

#include "ir/abi.h"
#include "ir/shared_lengths.h"
#include "passes/passes.h"
#include "runtime/cpu/host.h"
#include "support/meaning.h"

namespace krait::test {
namespace {

runtime::Device& device() {
  static const std::unique_ptr<runtime::Device> cpu = std::move(runtime::cpu_devices().devices.front());
  return *cpu;
}

std::vector<std::byte> pack(const ir::Function& f, const std::vector<Arg>& args, const ir::SharedLengths::Sizes& sizes) {
  using What = ir::ArgumentSlot::What;
  ir::ArgumentLayout layout = ir::argument_layout(f);
  std::vector<std::byte> block(layout.size);
  for (const ir::ArgumentSlot& slot : layout.slots) {
    const bool length = slot.what == What::SharedLength;
    const Arg& arg = args[length ? 0 : slot.param];
    if (slot.what == What::Bytes) {
      std::memcpy(block.data() + slot.offset, arg.data.data(), slot.bytes);
      continue;
    }
    std::uint64_t value = length ? std::uint64_t(sizes.lengths[slot.param]) : arg.bits;
    if (slot.what == What::Address) value = reinterpret_cast<std::uint64_t>(arg.data.data());
    if (slot.what == What::Extent) value = std::uint64_t(arg.extents[slot.dimension]);
    if (slot.what == What::Stride) {
      value = 1;
      for (std::size_t d = slot.dimension + 1u; d < arg.extents.size(); ++d) value *= std::uint64_t(arg.extents[d]);
    }
    std::memcpy(block.data() + slot.offset, &value, slot.bytes);
  }
  return block;
}

std::vector<ir::Argument> interpreter_arguments(std::vector<Arg>& args) {
  std::vector<ir::Argument> result;
  for (Arg& arg : args) {
    ir::Argument a;
    a.bits = arg.bits;
    if (arg.array) {
      a.data = arg.data.data();
      std::int64_t stride = 1;
      for (std::size_t d = arg.extents.size(); d-- > 0;) {
        a.extents[d] = arg.extents[d], a.strides[d] = stride;
        stride *= arg.extents[d];
      }
    }
    result.push_back(a);
  }
  return result;
}

bool is_nan(const std::byte* p, ir::Scalar s) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, p, ir::size_of(s));
  return ir::is_nan(s, bits);
}

/// Empty, or the first place where they differ.
std::string difference(const Arg& mine, const Arg& expected, ir::Scalar s) {
  const std::size_t size = ir::size_of(s);
  for (std::size_t i = 0; i + size <= mine.data.size(); i += size) {
    const std::byte *a = &mine.data[i], *b = &expected.data[i];
    if (std::memcmp(a, b, size) == 0 || (is_nan(a, s) && is_nan(b, s))) continue;
    std::uint64_t x = 0, y = 0;
    std::memcpy(&x, a, size), std::memcpy(&y, b, size);
    return fmt::format("element {}: {:#x}, the interpreter has {:#x}", i / size, x, y);
  }
  return {};
}

}  // namespace

std::vector<std::string> targets() {
  std::vector<std::string> list = {"cpu x86-64 lanes=1 parts=1 cpu=x86-64-v2", "cpu x86-64 lanes=4 parts=1 cpu=x86-64-v2"};
  CpuLevel level = runtime::cpu::host_level();
  if (level >= CpuLevel::Avx2) {
    list.push_back("cpu x86-64 lanes=8 parts=1 cpu=x86-64-v3");
    list.push_back("cpu x86-64 lanes=8 parts=2 cpu=x86-64-v3");
  }
  if (level >= CpuLevel::Avx512) list.push_back("cpu x86-64 lanes=16 parts=2 cpu=x86-64-v4");
  list.push_back(list.back() + " effort=quick");
  return list;
}

ir::Launch grid(std::array<std::int64_t, 3> blocks, std::array<std::int64_t, 3> threads) {
  ir::Launch launch;
  launch.grid = blocks, launch.block = threads;
  return launch;
}

std::string run_once(const ir::Module& final, const std::string& target, const ir::Launch& launch, std::vector<Arg>& args) {
  Compiled code = compile(ir::print(final), target);
  if (code.status != 0) return fmt::format("status {}: {}", code.status, code.log);
  auto bytes = std::as_bytes(std::span(code.data.data(), code.data.size()));
  std::unique_ptr<runtime::Executable> loaded = device().load(bytes, "test");
  std::string wrong;
  const ir::SharedLengths::Sizes sizes = ir::SharedLengths(final.kernel(), wrong).at(launch, interpreter_arguments(args));
  if (!wrong.empty() || !sizes.wrong.empty()) return wrong + sizes.wrong;
  std::vector<std::byte> block = pack(final.kernel(), args, sizes);
  runtime::LaunchRequest request;
  request.grid = launch.grid, request.block = launch.block;
  request.dynamic_shared = sizes.total;
  request.args = block.data(), request.args_size = block.size();
  device().launch(*loaded, request);
  return {};
}

namespace {

void check_once(const ir::Module& module, const ir::Launch& launch, const std::vector<Arg>& args, const CheckOptions& options) {
  ir::Module final = module;
  final.kernel().facts = options.facts;
  if (options.pipeline) {
    std::string message = passes::run_pipeline(final, {support::TargetKind::Cpu});
    ASSERT_EQ(message, "");
  }
  ASSERT_EQ(ir::verify(final), "");
  std::vector<Arg> expected = args;
  const ir::Module meant = options.pipeline ? meaning_of(module) : final;
  std::string fault = ir::interpret(meant, launch, interpreter_arguments(expected));
  ASSERT_EQ(fault, "") << "\n" << ir::print(final);
  for (const std::string& target : targets()) {
    std::vector<Arg> mine = args;
    std::string problem = run_once(final, target, launch, mine);
    ASSERT_EQ(problem, "") << target << "\n" << ir::print(final);
    for (std::size_t i = 0; i < args.size(); ++i) {
      std::string where = args[i].array ? difference(mine[i], expected[i], args[i].type) : "";
      ASSERT_EQ(where, "") << "argument " << i << ", " << target << "\n"
                           << ir::print(final) << compile(ir::print(final), target, "llvm").data;
    }
  }
}

}  // namespace

void check(const ir::Module& module, const ir::Launch& launch, const std::vector<Arg>& args, CheckOptions options) {
  check_once(module, launch, args, options);
  const ir::Facts less = options.facts;
  options.facts.set_block(launch.block[0], launch.block[1], launch.block[2]);
  if (options.facts == less || testing::Test::HasFatalFailure()) return;
  check_once(module, launch, args, options);
}

void check(std::string_view kernel, const ir::Launch& launch, const std::vector<Arg>& args, CheckOptions options) {
  ir::ParseResult parsed = ir::parse("kir 1\n" + std::string(kernel));
  ASSERT_EQ(parsed.error, "");
  ASSERT_EQ(ir::verify(parsed.module), "");
  check(parsed.module, launch, args, options);
}

}  // namespace krait::test
