// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/abi.h"

#include "ir/shared_lengths.h"

namespace krait::ir {

ArgumentLayout argument_layout(const Function& kernel) { return argument_layout(kernel, arrays_sized_at_launch(kernel).size()); }

ArgumentLayout argument_layout(const Function& kernel, std::size_t sized_at_launch) {
  ArgumentLayout layout;
  unsigned param = 0;
  const auto add = [&](ArgumentSlot::What what, unsigned dimension, unsigned bytes) {
    const unsigned alignment = what == ArgumentSlot::What::Bytes ? 16 : bytes;
    layout.size = (layout.size + alignment - 1) / alignment * alignment;
    layout.slots.push_back({what, std::uint8_t(param), std::uint8_t(dimension), bytes, layout.size});
    layout.size += bytes;
  };
  for (const ValueId v : kernel.params()) {
    const Type& t = kernel.type_of(v);
    if (t.space == Space::Argument) {
      add(ArgumentSlot::What::Bytes, 0, t.elem_bytes);
    } else if (t.is_array()) {
      add(ArgumentSlot::What::Address, 0, 8);
      for (unsigned d = 0; d < t.rank; ++d) add(ArgumentSlot::What::Extent, d, kernel.facts.small ? 4 : 8);
      if (!kernel.facts.contiguous)
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

support::Envelope envelope_of(const Function& kernel, support::TargetKind target) {
  support::Envelope e;
  e.kind = target, e.elements = kernel.elements, e.arguments = argument_layout(kernel);
  for (std::size_t d = 0; d < 3; ++d) e.block[d] = std::uint32_t(kernel.block[d]);
  std::string wrong;  // the driver has refused such a kernel
  e.lengths = SharedLengths(kernel, wrong).words();
  return e;
}

}  // namespace krait::ir
