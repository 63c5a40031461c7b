// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/memory.h"

#include "codegen/wgsl/arguments.h"

namespace krait::codegen::wgsl {

Expr to_word(Scalar s, const Expr& e) {
  if (s == Scalar::Bool) return call("select(0u, 1u, {})", e.text);
  if (s == Scalar::F32) return call("bitcast<u32>({})", e.text);
  if (s == Scalar::F16) return call("bitcast<u32>(vec2h({}, 0.0h))", e.text);
  return ir::is_signed_int(s) ? call("u32({})", e.text) : e;
}

Expr from_word(Scalar s, const Expr& word) {
  if (s == Scalar::Bool) return term("{} != 0u", word());
  if (s == Scalar::F32) return call("bitcast<f32>({})", word.text);
  if (s == Scalar::F16) return call("bitcast<vec2h>({}).x", word.text);
  return ir::is_signed_int(s) ? call("i32({})", word.text) : word;
}

Expr Memory::plus(const Expr& x, const Expr& y) const {
  if (x.text == "0u") return y;
  if (y.text == "0u") return x;
  return term("{} + {}", x(), y());
}

/// Of an array of words: the byte where the access begins.
Expr Memory::byte(const ir::Inst& i, std::uint32_t further) {
  const Array& a = array(i.operands[0]);
  Expr at = low(i.operands[1]);
  if (at.literal) at = number(std::uint32_t(f_.const_bits(i.operands[1])) * a.element_bytes);
  else if (a.element_bytes != 1) at = term("{} * {}u", at(), a.element_bytes);
  return plus(plus(arguments_.begin(a), at), number(std::uint32_t(i.imm) + further));
}

Expr Memory::index(const ir::Inst& i, std::uint32_t further) {
  const Array& a = array(i.operands[0]);
  if (a.words) return term("{} >> 2u", byte(i, further)());
  const std::uint32_t beyond = (std::uint32_t(i.imm) + further) / a.element_bytes;
  return plus(arguments_.begin(a), plus(low(i.operands[1]), number(beyond)));
}

Expr Memory::cell(const Array& a, const Expr& at) const {
  if (a.space == ir::Space::Argument) return arguments_.aggregate_word(a, at);
  return a.atomic ? call("atomicLoad(&{}[{}])", a.name, at.text) : call("{}[{}]", a.name, at.text);
}

Expr Memory::element(const ir::Inst& i, Scalar s, std::uint32_t further) {
  const Array& a = array(i.operands[0]);
  if (!a.words && a.space != ir::Space::Argument) {
    const bool as_bits = s == Scalar::Bool || (a.atomic && s == Scalar::F32);
    const Expr read = cell(a, index(i, further));
    if (s == Scalar::F64) return helper("f64_of_bits", read);
    return as_bits ? from_word(s, read) : read;
  }
  const unsigned bytes = ir::size_of(s);
  Expr at = byte(i, further);
  if (bytes == 8) {
    at = at.literal ? at : named(at);
    const Expr pair = call("vec2u({}, {})", cell(a, term("{} >> 2u", at())).text,
                           cell(a, term("({} >> 2u) + 1u", at())).text);
    return s == Scalar::F64 ? helper("f64_of_bits", pair) : pair;
  }
  if (bytes == 4) return from_word(s, cell(a, term("{} >> 2u", at())));
  at = at.literal ? at : named(at);
  const Expr whole = cell(a, term("{} >> 2u", at()));
  const std::string part = fmt::format("({} & {}u) << 3u, {}u", at(), 4 - bytes, bytes * 8);
  if (s == Scalar::Bool || s == Scalar::F16)
    return from_word(s, call("extractBits({}, {})", whole.text, part));
  return ir::is_signed_int(s) ? call("extractBits(i32({}), {})", whole.text, part)
                              : call("extractBits({}, {})", whole.text, part);
}

void Memory::load(const ir::Inst& i) {
  for (unsigned n = 0; n < i.results.size(); ++n) {
    const Scalar s = scalar(i.results[n]);
    frame_.values[i.results[n]] = named(element(i, s, n * ir::size_of(s)));
  }
}

void Memory::set_cell(const Array& a, const Expr& at, const Expr& e) {
  out_.line(a.atomic ? fmt::format("atomicStore(&{}[{}], {});", a.name, at.text, e.text)
                     : fmt::format("{}[{}] = {};", a.name, at.text, e.text));
}

void Memory::set_part(const Array& a, const Expr& byte, unsigned bits, const Expr& e) {
  const Expr at = named(term("{} >> 2u", byte())),
             shift = named(term("({} & {}u) << 3u", byte(), 4 - bits / 8));
  if (!a.atomic)
    return out_.line(fmt::format("{0}[{1}] = insertBits({0}[{1}], {2}, {3}, {4}u);", a.name,
                                 at.text, e.text, shift.text, bits));
  out_.line(fmt::format("atomicAnd(&{}[{}], ~({:#x}u << {}));", a.name, at.text, (1u << bits) - 1,
                        shift.text));
  out_.line(fmt::format("atomicOr(&{}[{}], ({} & {:#x}u) << {});", a.name, at.text, e(),
                        (1u << bits) - 1, shift.text));
}

void Memory::set_element(const ir::Inst& i, Scalar s, std::uint32_t further, const Expr& e) {
  const Array& a = array(i.operands[0]);
  if (!a.words) {
    const bool as_bits = s == Scalar::Bool || (a.atomic && s == Scalar::F32);
    return set_cell(a, index(i, further), as_bits ? to_word(s, e) : e);
  }
  const unsigned bytes = ir::size_of(s);
  if (bytes < 4) return set_part(a, named(byte(i, further)), bytes * 8, to_word(s, e));
  const Expr at = named(term("{} >> 2u", byte(i, further)()));
  if (bytes == 4) return set_cell(a, at, to_word(s, e));
  const Expr pair = named(e);
  set_cell(a, at, call("{}.x", pair.text));
  set_cell(a, term("{} + 1u", at.text), call("{}.y", pair.text));
}

void Memory::store(const ir::Inst& i) {
  for (std::size_t n = 2; n < i.operands.size(); ++n) {
    const Scalar s = i.type.scalar;
    const Expr e = full(i.operands[n]);
    set_element(i, s, unsigned(n - 2) * ir::size_of(s),
                s == Scalar::F64 ? helper("bits_of_f64", e) : e);
  }
}

}  // namespace krait::codegen::wgsl
