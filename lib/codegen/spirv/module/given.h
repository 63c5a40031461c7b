// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module of SPIR-V that users give says of itself, as far as a launch asks. The module is
// valid.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/spirv/module/words.h"

namespace krait::codegen::spirv {

class Given {
 public:
  explicit Given(const Words& words);

  /// Kernels: names of entries of execution model GLCompute.
  std::vector<std::string> entries() const;
  bool has_entry(std::string_view name) const { return entries_.contains(std::string(name)); }
  const std::set<spv::Capability>& capabilities() const { return capabilities_; }
  bool has_spec_constant(std::uint32_t number) const { return spec_ids_.contains(number); }
  /// Whether a specialisation constant is of that type, a bool or else an integer of 32 bits.
  bool is_spec_constant(std::uint32_t number, bool is_bool) const;
  /// The block that an entry is made for; 0 for what the launch chooses, as the specialisation
  /// constant of the dimension's number.
  std::array<std::uint32_t, 3> block_of(std::string_view entry) const;
  /// A number that lies in the push constants.
  struct Number {
    std::uint32_t offset, bytes;
    bool is_float;
  };
  /// Empty: there are none.
  std::vector<Number> push_constants() const;
  /// Of arrays of the block.
  std::uint64_t shared_bytes() const;
  /// Whether a variable needs a descriptor.
  bool uses_descriptors() const;

 private:
  struct Type {
    spv::Op op;
    std::vector<std::uint32_t> operands;  // behind its id
  };
  struct Variable {
    Id type;  // it points to this
    spv::StorageClass in;
  };
  void read(spv::Op op, std::span<const std::uint32_t> a);
  std::uint64_t size_of(Id type) const;
  void add_numbers(Id type, std::uint32_t offset, std::vector<Number>& to) const;
  std::uint32_t constant(Id id) const;
  std::uint32_t dimension(Id constituent, unsigned d) const;

  std::map<std::string, Id> entries_;
  std::set<spv::Capability> capabilities_;
  std::map<Id, std::array<std::uint32_t, 3>> sizes_;  // of execution modes, by function
  std::map<Id, std::array<Id, 3>> size_ids_;
  std::map<std::uint32_t, Id> spec_ids_;  // by number
  std::map<Id, std::uint32_t> numbers_;   // of specialisation constants
  // a constant's operands begin with its type
  std::map<Id, Type> types_, constants_;
  std::map<std::pair<Id, std::uint32_t>, std::uint32_t> offsets_;  // of members
  std::map<Id, std::uint32_t> array_strides_;
  std::optional<Id> workgroup_size_;
  std::vector<Variable> variables_;
};

}  // namespace krait::codegen::spirv
