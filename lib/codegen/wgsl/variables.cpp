// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/variables.h"

namespace krait::codegen::wgsl {

void Variables::declare(const ir::Inst& i) {
  const ir::ValueId v = i.results[0];
  const ir::Type& t = f_.type_of(v);
  const Use& use = unit_.uses.of(frame_.number, v);
  const bool shared = t.space == ir::Space::Shared;
  Array& a = unit_.arrays.emplace_back();
  frame_.arrays[v] = &a;
  a.space = t.space, a.element = t.scalar, a.rank = t.rank, a.element_bytes = t.elem_bytes,
  a.extents = i.list;
  a.words = t.scalar == Scalar::Void;
  a.atomic = shared && (use.atomic || (a.words && use.part_written));
  a.name = shared ? fmt::format("shared_{}", unit_.variables++) : new_name('a');
  const bool sized_at_launch = i.list[0] == 0;
  std::uint64_t elements = 1;
  for (std::size_t d = sized_at_launch; d < i.list.size(); ++d)
    elements *= std::uint64_t(i.list[d]);
  const std::uint64_t cells = a.words ? (elements * t.elem_bytes + 3) / 4 : elements,
                      bytes = cells * a.cell_bytes();
  std::string length = fmt::format("{}", cells);
  if (sized_at_launch) {
    a.param = unit_.shared_sized++;
    unit_.globals.line(fmt::format("override shared_rows_{}: u32 = 1u;", a.param));
    length = fmt::format("shared_rows_{} * {}u", a.param, cells);
  } else if (shared) {
    take_shared(bytes, 0);
  }
  std::string cell(a.atomic && !a.words ? (ir::is_signed_int(a.element) ? "i32" : "u32")
                                        : a.cell());
  if (a.atomic) cell = fmt::format("atomic<{}>", cell);
  if (shared)
    unit_.globals.line(fmt::format("var<workgroup> {}: array<{}, {}>;", a.name, cell, length));
  else out_.line(fmt::format("var {} = array<{}, {}>();", a.name, cell, length));
}

}  // namespace krait::codegen::wgsl
