// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/spirv/module/given.h"

#include <algorithm>
#include <cstring>

namespace krait::codegen::spirv {
namespace {

std::string string_in(std::span<const std::uint32_t> words) {
  const auto* text = reinterpret_cast<const char*>(words.data());
  return std::string(text, strnlen(text, words.size_bytes()));
}

}  // namespace

Given::Given(const Words& words) {
  for (std::size_t at = 5; at < words.size();) {
    const std::size_t length = words[at] >> 16;
    if (length == 0 || at + length > words.size()) break;  // SPIRV-Tools have refused such words
    read(spv::Op(words[at] & 0xffff), std::span(words).subspan(at + 1, length - 1));
    at += length;
  }
}

void Given::read(spv::Op op, std::span<const std::uint32_t> a) {
  using spv::Op;
  switch (op) {
    case Op::OpCapability: capabilities_.insert(spv::Capability(a[0])); break;
    case Op::OpEntryPoint:
      if (spv::ExecutionModel(a[0]) == spv::ExecutionModel::GLCompute)
        entries_.emplace(string_in(a.subspan(2)), a[1]);
      break;
    case Op::OpExecutionMode:
      if (spv::ExecutionMode(a[1]) == spv::ExecutionMode::LocalSize)
        sizes_[a[0]] = {a[2], a[3], a[4]};
      break;
    case Op::OpExecutionModeId:
      if (spv::ExecutionMode(a[1]) == spv::ExecutionMode::LocalSizeId)
        size_ids_[a[0]] = {a[2], a[3], a[4]};
      break;
    case Op::OpDecorate:
      if (spv::Decoration(a[1]) == spv::Decoration::SpecId)
        spec_ids_[a[2]] = a[0], numbers_[a[0]] = a[2];
      if (spv::Decoration(a[1]) == spv::Decoration::ArrayStride) array_strides_[a[0]] = a[2];
      if (spv::Decoration(a[1]) == spv::Decoration::BuiltIn &&
          spv::BuiltIn(a[2]) == spv::BuiltIn::WorkgroupSize)
        workgroup_size_ = a[0];
      break;
    case Op::OpMemberDecorate:
      if (spv::Decoration(a[2]) == spv::Decoration::Offset) offsets_[{a[0], a[1]}] = a[3];
      break;
    case Op::OpTypeBool:
    case Op::OpTypeInt:
    case Op::OpTypeFloat:
    case Op::OpTypeVector:
    case Op::OpTypeMatrix:
    case Op::OpTypeArray:
    case Op::OpTypeStruct:
    case Op::OpTypePointer: types_[a[0]] = {op, {a.begin() + 1, a.end()}}; break;
    case Op::OpConstant:
    case Op::OpSpecConstant:
    case Op::OpSpecConstantTrue:
    case Op::OpSpecConstantFalse:
    case Op::OpConstantComposite:
    case Op::OpSpecConstantComposite: {
      Type& c = constants_[a[1]] = {op, {a.begin() + 2, a.end()}};
      c.operands.insert(c.operands.begin(), a[0]);
      break;
    }
    case Op::OpVariable:
      if (const auto pointer = types_.find(a[0]); pointer != types_.end())
        variables_.push_back({pointer->second.operands.at(1), spv::StorageClass(a[2])});
      break;
    default: break;  // what a launch does not ask about
  }
}

std::vector<std::string> Given::entries() const {
  std::vector<std::string> all;
  for (const auto& [name, id] : entries_) all.push_back(name);
  return all;
}

bool Given::is_spec_constant(std::uint32_t number, bool is_bool) const {
  const Type& type = types_.at(constants_.at(spec_ids_.at(number)).operands.at(0));
  return is_bool ? type.op == spv::Op::OpTypeBool
                 : type.op == spv::Op::OpTypeInt && type.operands.at(0) == 32;
}

/// The value of a constant of 32 bits, or the least significant of more; 0 for what is computed of
/// specialisation constants.
std::uint32_t Given::constant(Id id) const {
  const auto c = constants_.find(id);
  return c == constants_.end() || c->second.operands.size() < 2 ? 0 : c->second.operands[1];
}

std::uint32_t Given::dimension(Id constituent, unsigned d) const {
  const auto number = numbers_.find(constituent);
  return number != numbers_.end() && number->second == d ? 0 : constant(constituent);
}

std::array<std::uint32_t, 3> Given::block_of(std::string_view entry) const {
  const Id function = entries_.at(std::string(entry));
  std::array<std::uint32_t, 3> block{};
  if (workgroup_size_) {
    const auto& parts = constants_.at(*workgroup_size_).operands;
    for (unsigned d = 0; d < 3; ++d) block[d] = dimension(parts.at(d + 1), d);
  } else if (const auto ids = size_ids_.find(function); ids != size_ids_.end()) {
    for (unsigned d = 0; d < 3; ++d) block[d] = dimension(ids->second[d], d);
  } else if (const auto literal = sizes_.find(function); literal != sizes_.end()) {
    block = literal->second;
  }
  return block;
}

std::uint64_t Given::size_of(Id id) const {
  const auto found = types_.find(id);
  if (found == types_.end()) return 0;
  const auto& [op, a] = found->second;
  switch (op) {
    case spv::Op::OpTypeBool: return 4;
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat: return a[0] / 8;
    case spv::Op::OpTypePointer: return 8;
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix: return size_of(a[0]) * a[1];
    case spv::Op::OpTypeArray: {
      const auto stride = array_strides_.find(id);
      return (stride == array_strides_.end() ? size_of(a[0]) : stride->second) * constant(a[1]);
    }
    case spv::Op::OpTypeStruct: {
      std::uint64_t size = 0;
      for (std::uint32_t m = 0; m < a.size(); ++m) {
        const auto offset = offsets_.find({id, m});
        size = std::max(size, (offset == offsets_.end() ? size : offset->second) + size_of(a[m]));
      }
      return size;
    }
    default: return 0;
  }
}

void Given::add_numbers(Id id, std::uint32_t offset, std::vector<Number>& to) const {
  const auto found = types_.find(id);
  if (found == types_.end()) return;
  const auto& [op, a] = found->second;
  const auto repeat = [&](Id of, std::uint32_t count, std::uint64_t step) {
    for (std::uint32_t i = 0; i < count; ++i) add_numbers(of, offset + std::uint32_t(step) * i, to);
  };
  if (op == spv::Op::OpTypeStruct)
    for (std::uint32_t m = 0; m < a.size(); ++m)
      add_numbers(a[m], offset + offsets_.at({id, m}), to);
  else if (op == spv::Op::OpTypeVector || op == spv::Op::OpTypeMatrix)
    repeat(a[0], a[1], size_of(a[0]));
  else if (op == spv::Op::OpTypeArray)
    repeat(a[0], constant(a[1]), size_of(id) / std::max(constant(a[1]), 1u));
  else to.push_back({offset, std::uint32_t(size_of(id)), op == spv::Op::OpTypeFloat});
}

std::vector<Given::Number> Given::push_constants() const {
  std::vector<Number> all;
  for (const Variable& v : variables_)
    if (v.in == spv::StorageClass::PushConstant) add_numbers(v.type, 0, all);
  std::sort(all.begin(), all.end(),
            [](const Number& a, const Number& b) { return a.offset < b.offset; });
  return all;
}

std::uint64_t Given::shared_bytes() const {
  std::uint64_t bytes = 0;
  for (const Variable& v : variables_)
    if (v.in == spv::StorageClass::Workgroup) bytes += size_of(v.type);
  return bytes;
}

bool Given::uses_descriptors() const {
  return std::any_of(variables_.begin(), variables_.end(), [](const Variable& v) {
    return v.in == spv::StorageClass::UniformConstant || v.in == spv::StorageClass::Uniform ||
           v.in == spv::StorageClass::StorageBuffer;
  });
}

}  // namespace krait::codegen::spirv
