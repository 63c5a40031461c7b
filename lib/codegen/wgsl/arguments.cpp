// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/arguments.h"

namespace krait::codegen::wgsl {

const support::ArgumentSlot& Arguments::slot(What what, unsigned param, unsigned dimension) const {
  for (const support::ArgumentSlot& s : layout_.slots)
    if (s.what == what && s.param == param && s.dimension == dimension) return s;
  defect("WGSL: an argument that the layout lacks");
}

std::string Arguments::name_of(const support::ArgumentSlot& s) const {
  switch (s.what) {
    case What::Scalar: return fmt::format("p{}", s.param);
    case What::Address: return fmt::format("p{}_begin", s.param);
    case What::Extent: return fmt::format("p{}_extent{}", s.param, s.dimension);
    case What::Stride: return fmt::format("p{}_stride{}", s.param, s.dimension);
    case What::SharedLength: return fmt::format("shared_{}_extent", s.param);
    case What::Bytes: break;
  }
  defect("WGSL: an aggregate has no name of its own");
}

/// Items of less than 32 bits share a word; the others have members of their type.
void Arguments::declare_members() {
  std::uint32_t at = 0;
  const auto member = [&](std::uint32_t offset, std::uint32_t bytes, const std::string& name,
                          std::string_view type) {
    for (; at < offset; at += 4) unit_.globals.line(fmt::format("unused_{}: u32,", at));
    if (offset < at) return;
    unit_.globals.line(fmt::format("{}: {},", name, type));
    at = offset + bytes;
  };
  for (const support::ArgumentSlot& s : layout_.slots) {
    if (s.bytes < 4) {
      member(s.offset / 4 * 4, 4, fmt::format("packed_{}", s.offset / 4 * 4), "u32");
    } else if (s.what == What::Address) {
      member(s.offset, 4, name_of(s), "u32");
    } else {
      const Scalar type = s.what == What::Scalar ? scalar(f_.params()[s.param])
                          : s.bytes == 4         ? Scalar::U32
                                                 : Scalar::I64;
      member(s.offset, s.bytes, name_of(s), cell_type(type));
    }
  }
}

void Arguments::declare_block() {
  Text& out = unit_.globals;
  out.open("struct Arguments {");
  out.line("grid: vec3u,");
  out.line("zero: u32,");
  if (as_words()) out.line(fmt::format("words: array<vec4u, {}>,", (layout_.size + 15) / 16));
  else declare_members();
  out.close();
  out.line("@group(0) @binding(0) var<uniform> arguments: Arguments;");
}

std::string Arguments::word(std::uint32_t offset) const {
  return fmt::format("arguments.words[{}].{}", offset / 16, "xyzw"[offset / 4 % 4]);
}

Expr Arguments::argument(const support::ArgumentSlot& at, std::string text) {
  const std::string named = name_of(at);
  frame_.arguments.emplace(named, std::move(text));
  return name(named);
}

Expr Arguments::scalar_argument(Scalar s, const support::ArgumentSlot& at) {
  Expr e = scalar_of_block(s, at);
  if (s == Scalar::F64) e = helper("f64_of_bits", e);
  return frame_.number == 0 ? argument(at, e.text) : e;
}

Expr Arguments::scalar_of_block(Scalar s, const support::ArgumentSlot& at) const {
  const std::uint32_t offset = at.offset;
  if (at.bytes < 4) {
    const std::string whole =
        as_words() ? word(offset / 4 * 4) : fmt::format("arguments.packed_{}", offset / 4 * 4);
    const unsigned first = offset % 4 * 8, count = at.bytes * 8;
    if (s == Scalar::Bool) return term("extractBits({}, {}u, 8u) != 0u", whole, first);
    if (s == Scalar::F16) return call("bitcast<vec2h>({}).{}", whole, first ? "y" : "x");
    return ir::is_signed_int(s) ? call("extractBits(i32({}), {}u, {}u)", whole, first, count)
                                : call("extractBits({}, {}u, {}u)", whole, first, count);
  }
  if (!as_words()) return name("arguments." + name_of(at));
  if (at.bytes == 8) return call("vec2u({}, {})", word(offset), word(offset + 4));
  if (s == Scalar::F32) return call("bitcast<f32>({})", word(offset));
  return ir::is_signed_int(s) ? call("i32({})", word(offset)) : name(word(offset));
}

void Arguments::bind_array(ir::ValueId v, unsigned p) {
  const ir::Type& t = f_.type_of(v);
  const Use& use = unit_.uses.of(frame_.number, v);
  Array& a = unit_.arrays.emplace_back();
  frame_.arrays[v] = &a;
  a.space = t.space, a.element = t.scalar, a.param = p, a.rank = t.rank,
  a.element_bytes = t.index_bytes();
  a.name = fmt::format("p{}", p), a.writable = use.written;
  if (t.space == ir::Space::Argument) return;
  a.words = t.scalar == Scalar::Void || (ir::size_of(t.scalar) < 4 && t.scalar != Scalar::F16);
  a.atomic = use.atomic || (a.words && use.part_written);
  if (!use.any()) return;
  support::WebGpuCode::Binding& binding = unit_.own.bindings[p];
  binding.cell_bytes = std::uint8_t(a.words ? 1 : a.cell_bytes());
  binding.written = a.writable || a.atomic;
  std::string cell(a.atomic && !a.words ? (ir::is_signed_int(a.element) ? "i32" : "u32")
                                        : a.cell());
  if (a.atomic) cell = fmt::format("atomic<{}>", cell);
  unit_.globals.line(fmt::format("@group(0) @binding({}) var<storage, {}> {}: array<{}>;", 1 + p,
                                 binding.written ? "read_write" : "read", a.name, cell));
}

void Arguments::bind() {
  if (f_.params().size() > support::WebGpuCode::max_parameters)
    unsupported(
        fmt::format("the kernel has {} parameters, but WebGPU takes {} at most: combine arrays",
                    f_.params().size(), support::WebGpuCode::max_parameters));
  declare_block();
  unsigned buffers = 0;
  for (unsigned p = 0; p < f_.params().size(); ++p) {
    const ir::ValueId v = f_.params()[p];
    const ir::Type& t = f_.type_of(v);
    frame_.where = fmt::format("parameter {}", p);
    if (t.is_array()) {
      bind_array(v, p);
      buffers += unit_.own.bindings[p].cell_bytes > 0;
    } else {
      const support::ArgumentSlot& at = slot(What::Scalar, p);
      frame_.values[v] = scalar_argument(t.scalar, at);
    }
  }
  if (buffers > unit_.target.buffers)
    unsupported(fmt::format(
        "the kernel uses {} arrays, but the target \"{}\" has {} storage buffers for a "
        "kernel: combine arrays, or give the target more by buffers=",
        buffers, support::print({.kind = support::TargetKind::WebGpu, .web = unit_.target}),
        unit_.target.buffers));
}

Expr Arguments::extent(const Array& a, unsigned d) {
  if (a.space != ir::Space::Global) {
    if (d > 0 || a.extents[0] != 0) return literal(Scalar::I64, std::uint64_t(a.extents[d]));
    const support::ArgumentSlot& at = slot(What::SharedLength, a.param);
    return scalar_argument(Scalar::I64, at);
  }
  const support::ArgumentSlot& at = slot(What::Extent, a.param, d);
  const Expr whole = scalar_argument(at.bytes == 4 ? Scalar::U32 : Scalar::I64, at);
  Expr e = call("i32({}{})", whole.text, at.bytes == 4 ? "" : ".x");
  e.from_narrow = true;
  return e;
}

Expr Arguments::stride(const Array& a, unsigned d) {
  if (a.space == ir::Space::Global && !f_.facts.contiguous) {
    const support::ArgumentSlot& at = slot(What::Stride, a.param, d);
    return scalar_argument(Scalar::I64, at);
  }
  // C order: the product of the extents behind. It is below 2^31, as the number of elements is.
  Expr product = literal(Scalar::I64, 1);
  for (unsigned k = a.rank; k-- > d + 1;) {
    const Expr factor = extent(a, k);
    product = k + 1 == a.rank ? factor : term("{} * {}", product(), factor());
  }
  product.from_narrow = true;
  return product;
}

Expr Arguments::begin(const Array& a) {
  if (a.space != ir::Space::Global) return number(0);
  const support::ArgumentSlot& at = slot(What::Address, a.param);
  const std::string text = as_words() ? word(at.offset) : "arguments." + name_of(at);
  return frame_.number == 0 ? argument(at, text) : name(text);
}

Expr Arguments::aggregate_word(const Array& a, const Expr& at) const {
  return call("arguments.words[({} >> 2u) + {}u][{} & 3u]", at(),
              slot(What::Bytes, a.param).offset / 16, at());
}

}  // namespace krait::codegen::wgsl
