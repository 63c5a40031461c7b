// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/abi.h"

#include <utility>

#include "ir/hidden.h"
#include "ir/shared_lengths.h"

namespace krait::ir {
namespace {

/// From the types alone.
ArgumentLayout layout_of(std::span<const Type> parameters, const Facts& facts,
                         std::vector<Hidden> hidden, std::size_t sized_at_launch) {
  ArgumentLayout layout;
  layout.given = std::uint32_t(parameters.size() - hidden.size()),
  layout.hidden = std::move(hidden);
  unsigned param = 0;
  const auto add = [&](ArgumentSlot::What what, unsigned dimension, unsigned bytes) {
    constexpr unsigned of_aggregates = 16;  // the only hidden ones are maps of tiles
    const unsigned alignment = what != ArgumentSlot::What::Bytes ? bytes
                               : param < layout.given            ? of_aggregates
                                                                 : support::tile_map_alignment;
    layout.size = (layout.size + alignment - 1) / alignment * alignment;
    layout.slots.push_back(
        {what, std::uint8_t(dimension), std::uint16_t(param), bytes, layout.size});
    layout.size += bytes;
  };
  for (const Type& t : parameters) {
    if (t.space == Space::Argument) {
      add(ArgumentSlot::What::Bytes, 0, t.elem_bytes);
    } else if (t.is_array()) {
      add(ArgumentSlot::What::Address, 0, 8);
      for (unsigned d = 0; d < t.rank; ++d) add(ArgumentSlot::What::Extent, d, facts.small ? 4 : 8);
      if (!facts.contiguous)
        for (unsigned d = 0; d < t.rank; ++d) add(ArgumentSlot::What::Stride, d, 8);
    } else {
      add(ArgumentSlot::What::Scalar, 0, size_of(t.scalar));
    }
    ++param;
  }
  for (param = 0; param < sized_at_launch; ++param) add(ArgumentSlot::What::SharedLength, 0, 8);
  layout.size = (layout.size + 7) / 8 * 8;
  return layout;
}

std::vector<Type> types_of(const Function& f, std::span<const ValueId> params) {
  std::vector<Type> types;
  for (const ValueId v : params) types.push_back(f.type_of(v));
  return types;
}

}  // namespace

ArgumentLayout argument_layout(const Function& kernel) {
  return layout_of(types_of(kernel, kernel.params()), kernel.facts, kernel.hidden,
                   arrays_sized_at_launch(kernel).size());
}

ArgumentLayout given_layout(const Function& recorded, const Facts& facts,
                            const ArgumentLayout& code) {
  std::vector<Type> types = types_of(recorded, recorded.params());
  std::vector<Hidden> hidden = recorded.hidden;
  for (std::size_t k = hidden.size(); k < code.hidden.size(); ++k) {  // those that passes added
    const Type type = type_of(code.hidden[k].kind);
    if (type == Type{}) break;  // no pass can: code of another recording
    types.push_back(type), hidden.push_back(code.hidden[k]);
  }
  return layout_of(types, facts, std::move(hidden), code.count(ArgumentSlot::What::SharedLength));
}

support::Envelope envelope_of(const Function& kernel, support::TargetKind target) {
  support::Envelope e;
  e.kind = target, e.elements = kernel.elements, e.arguments = argument_layout(kernel);
  for (std::size_t d = 0; d < 3; ++d) e.block[d] = std::uint32_t(kernel.block[d]);
  std::string wrong;  // the host has refused such a kernel
  e.lengths = SharedLengths(kernel, wrong).words();
  return e;
}

}  // namespace krait::ir
