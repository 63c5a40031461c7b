// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SPIR-V that users give, for Vulkan: assembled, validated, and compared with what a launch gives
// (support/blobs/spirv.h). Drivers take what is wrong for right, so all is looked at here.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <spirv-tools/libspirv.hpp>

#include "codegen/spirv/module/given.h"
#include "codegen/spirv/spirv.h"
#include "support/blobs/spirv.h"

namespace krait::codegen::spirv {
namespace {

constexpr std::uint32_t magic = 0x07230203, swapped_magic = 0x03022307;
constexpr spv_target_env env = SPV_ENV_VULKAN_1_2;
/// Bytes of push constants that every device has. A kernel with more arguments finds them by their
/// address, whatever the device has.
constexpr std::uint32_t direct_bytes = 128;

Words words_of(std::string_view text) {
  std::uint32_t first = 0;
  if (text.size() >= sizeof first) std::memcpy(&first, text.data(), sizeof first);
  if (first == swapped_magic)
    unsupported("the SPIR-V is of the other byte order: swap the bytes of its words");
  spvtools::SpirvTools tools(env);
  std::string message;
  bool is_text = false;
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t& at, const char* what) {
        if (is_text)
          message += fmt::format("\n  line {}, column {}: {}", at.line + 1, at.column + 1, what);
        else message += fmt::format("\n  {}", what);
      });
  Words words;
  if (first == magic) {
    if (text.size() % 4)
      unsupported(fmt::format("the SPIR-V has {} bytes: expected words of 4", text.size()));
    words.resize(text.size() / 4);
    std::memcpy(words.data(), text.data(), text.size());
  } else {
    is_text = true;
    if (!tools.Assemble(text.data(), text.size(), &words))
      unsupported("the text of the SPIR-V does not assemble:" + message);
    is_text = false;
  }
  if (!tools.Validate(words.data(), words.size()))
    unsupported("the SPIR-V is not valid for Vulkan 1.2:" + message);
  return words;
}

void check_capabilities(const Given& given, const support::SpirvTarget& target) {
  using enum support::Feature;
  using spv::Capability;
  struct Needed {
    Capability capability;
    const char* name;
    support::Feature feature;
  };
  constexpr Needed known[] = {
      {Capability::Int64, "Int64", I64},
      {Capability::Float64, "Float64", F64},
      {Capability::Int16, "Int16", I16},
      {Capability::StorageBuffer16BitAccess, "StorageBuffer16BitAccess", I16},
      {Capability::Int8, "Int8", I8},
      {Capability::StorageBuffer8BitAccess, "StorageBuffer8BitAccess", I8},
      {Capability::Float16, "Float16", F16},
      {Capability::Int64Atomics, "Int64Atomics", A64},
      {Capability::AtomicFloat32AddEXT, "AtomicFloat32AddEXT", Fadd32},
      {Capability::AtomicFloat64AddEXT, "AtomicFloat64AddEXT", Fadd64},
      {Capability::VulkanMemoryModel, "VulkanMemoryModel", Vmm},
      {Capability::VulkanMemoryModelDeviceScope, "VulkanMemoryModelDeviceScope", Vmm},
      {Capability::GroupNonUniform, "GroupNonUniform", Warp},
      {Capability::GroupNonUniformBallot, "GroupNonUniformBallot", Warp},
      {Capability::GroupNonUniformVote, "GroupNonUniformVote", Warp},
      {Capability::GroupNonUniformShuffle, "GroupNonUniformShuffle", Warp}};
  for (const Capability c : given.capabilities()) {
    if (c == Capability::Shader || c == Capability::Matrix ||
        c == Capability::PhysicalStorageBufferAddresses)
      continue;
    const auto* const found = std::find_if(std::begin(known), std::end(known),
                                           [&](const Needed& n) { return n.capability == c; });
    if (found == std::end(known))
      unsupported(
          fmt::format("the SPIR-V needs the capability number {}, which Krait asks no device for",
                      std::uint32_t(c)));
    if (!target.features.has(found->feature))
      unsupported(
          fmt::format("the SPIR-V needs the capability {}, and the device lacks {} (krait devices)",
                      found->name, support::word_of(found->feature)));
  }
}

/// The specialisation constants that a launch sets.
void check_constants(const Given& given) {
  for (std::uint32_t n = support::SpirvBlockX; n <= support::SpirvOneTrip; ++n) {
    const bool is_bool = n == support::SpirvFolded || n == support::SpirvOneTrip;
    if (given.has_spec_constant(n) && !given.is_spec_constant(n, is_bool))
      unsupported(fmt::format(
          "the specialisation constant {} of the SPIR-V is of another type than the launch "
          "sets it to, {}",
          n, is_bool ? "a bool" : "an integer of 32 bits"));
  }
}

/// Each number has to lie in one item, and floats have to be one.
void check_push_constants(const Given& given, const std::vector<RawItem>& items,
                          const support::SpirvCode& own) {
  const std::vector<Given::Number> numbers = given.push_constants();
  const std::uint32_t taken = numbers.empty() ? 0 : numbers.back().offset + numbers.back().bytes;
  const auto whole = [](std::uint32_t bytes) { return (bytes + 7) / 8 * 8; };
  if (whole(taken) != own.push_bytes)
    unsupported(fmt::format(
        "the push constants of the SPIR-V end at {}, and the launch gives {} bytes: "
        "the grid's 3 extents and a zero, of 4 bytes each, then {}{}",
        taken, own.push_bytes,
        own.arguments_in_memory ? "the address of the arguments, which are more than fit beside:"
                                : "the arguments, 16 bytes further:",
        list_of(items)));
  for (const Given::Number& n : numbers) {
    if (n.offset < support::spirv_launch_bytes) {
      if (n.is_float)
        unsupported(
            fmt::format("the push constants of the SPIR-V have a float at {}, "
                        "and the launch gives the grid there",
                        n.offset));
      continue;
    }
    if (own.arguments_in_memory) continue;
    const std::uint32_t begin = n.offset - support::spirv_launch_bytes, end = begin + n.bytes;
    const auto item = std::find_if(items.begin(), items.end(), [&](const RawItem& i) {
      return i.slot.offset <= begin && begin < i.slot.offset + i.slot.bytes;
    });
    const bool is_struct = item != items.end() && item->slot.what == ir::ArgumentSlot::What::Bytes;
    const bool fits =
        item != items.end() && end <= item->slot.offset + item->slot.bytes &&
        (is_struct || (n.is_float ? item->is_float && n.bytes == item->slot.bytes : true));
    // A word of integers may hold several small numbers.
    const bool is_word =
        !n.is_float && n.bytes == 4 && (item == items.end() || item->slot.bytes < 4);
    if (!fits && !is_word)
      unsupported(fmt::format(
          "the push constants of the SPIR-V have {} of {} bytes at {}, and the launch gives {}",
          n.is_float ? "a float" : "an integer", n.bytes, n.offset,
          item == items.end()
              ? "nothing there"
              : fmt::format("{} at {}: {}", item->type(),
                            item->slot.offset + support::spirv_launch_bytes, item->what)));
  }
}

}  // namespace

Reply compile_raw(const ir::Module& module, const support::SpirvTarget& target, const RawText& raw,
                  Emit emit) {
  if (emit == Emit::Llvm) unsupported("the kernel is given in SPIR-V: there is no LLVM IR to show");
  Reply reply;
  const Words words = words_of(raw.text);
  const Given given(words);
  if (!given.has_entry(raw.entry)) no_entry("SPIR-V", raw.entry, given.entries());
  check_capabilities(given, target);
  if (given.uses_descriptors())
    unsupported(
        "the SPIR-V has variables in descriptors, which a launch does not bind: "
        "reach arrays by the addresses among the arguments (PhysicalStorageBuffer)");
  check_constants(given);
  support::Envelope envelope = ir::envelope_of(module.kernel(), support::TargetKind::Spirv);
  support::SpirvCode own;
  own.arguments_in_memory = support::spirv_launch_bytes + envelope.arguments.size > direct_bytes;
  own.push_bytes =
      support::spirv_launch_bytes + (own.arguments_in_memory ? 8 : envelope.arguments.size);
  own.folds = given.has_spec_constant(support::SpirvFolded);
  check_push_constants(given, raw_items(module.kernel()), own);
  if (emit == Emit::Asm) {
    reply.data = disassembled(words);
    return reply;
  }
  envelope.entry = raw.entry;
  envelope.block = given.block_of(raw.entry);
  envelope.fixed_shared = given.shared_bytes();
  envelope.set_own(own);
  envelope.code = {reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]};
  reply.data = support::seal(envelope);
  return reply;
}

}  // namespace krait::codegen::spirv
