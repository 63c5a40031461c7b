// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/atomics.h"

#include "codegen/wgsl/memory.h"

namespace krait::codegen::wgsl {
namespace {

/// The built-in function; null: there is none.
const char* function_of(ir::Op op, Scalar s) {
  const bool integer = ir::is_int(s);
  switch (op) {
    case ir::Op::AtomicAdd: return integer ? "atomicAdd" : nullptr;
    case ir::Op::AtomicMin: return integer ? "atomicMin" : nullptr;
    case ir::Op::AtomicMax: return integer ? "atomicMax" : nullptr;
    case ir::Op::AtomicAnd: return "atomicAnd";
    case ir::Op::AtomicOr: return "atomicOr";
    case ir::Op::AtomicXor: return "atomicXor";
    case ir::Op::AtomicExchange: return "atomicExchange";
    default: return nullptr;
  }
}

}  // namespace

void Atomics::check(const ir::Inst& i, Scalar s) const {
  if (ir::bits_of(s) != 32)
    unsupported(
        fmt::format("{}: an atomic of {}, but WebGPU has only 32-bit atomics: use i32, u32 or f32",
                    frame_.where, ir::name_of(s)));
  if (i.order != ir::Order::Relaxed)
    unsupported(
        fmt::format("{}: the order {}, but WebGPU's atomics are always relaxed: "
                    "use relaxed ones, with barriers or several launches",
                    frame_.where, ir::name_of(i.order)));
}

Expr Atomics::to_cell(const Array& a, Scalar s, const Expr& e) const {
  if (!a.words && ir::is_int(s)) return e;
  return to_word(s, e);
}
Expr Atomics::from_cell(const Array& a, Scalar s, const Expr& cell) const {
  if (!a.words && ir::is_int(s)) return cell;
  return from_word(s, cell);
}

Expr Atomics::updated(const ir::Inst& i, Scalar s, const Expr& old) {
  const Expr& v = value(i.operands.back());
  if (ir::is_int(s)) {
    const Expr x = to_word(s, old), bound = to_word(s, v);
    const Expr next = i.op == ir::Op::AtomicInc
                          ? call("select({0} + 1u, 0u, {0} >= {1})", x(), bound())
                          : call("select({0} - 1u, {1}, {0} == 0u || {0} > {1})", x(), bound());
    return from_word(s, next);
  }
  if (i.op == ir::Op::AtomicAdd)
    return exact() ? helper("add_f32", old, v) : term("{} + {}", old(), v());
  return helper(i.op == ir::Op::AtomicMin ? "min_f32" : "max_f32", old, v);
}

/// Until nobody came between. WGSL's compare-and-swap may fail without a reason, too.
void Atomics::by_exchange(const ir::Inst& i, Scalar s, const Expr& cell) {
  const Array& a = array(i.operands[0]);
  const std::string old = new_name();
  out_.line(fmt::format("var {} = atomicLoad(&{});", old, cell.text));
  out_.open("loop {");
  const Expr wanted = to_cell(a, s, updated(i, s, from_cell(a, s, name(old))));
  const std::string swapped = new_name();
  out_.line(fmt::format("let {} = atomicCompareExchangeWeak(&{}, {}, {});", swapped, cell.text, old,
                        wanted.text));
  out_.open(fmt::format("if ({}.exchanged) {{", swapped));
  out_.line("break;");
  out_.close();
  out_.line(fmt::format("{} = {}.old_value;", old, swapped));
  out_.close();
  define_here(i, from_cell(a, s, name(old)));
}

void Atomics::swap_if_equal(const ir::Inst& i, Scalar s, const Expr& cell) {
  const Array& a = array(i.operands[0]);
  const Expr expected = named(to_cell(a, s, value(i.operands[i.operands.size() - 2]))),
             wanted = named(to_cell(a, s, value(i.operands.back())));
  const std::string old = new_name(), swapped = new_name();
  out_.line(fmt::format("var {} = {};", old, expected.text));
  out_.open("loop {");
  out_.line(fmt::format("let {} = atomicCompareExchangeWeak(&{}, {}, {});", swapped, cell.text,
                        expected.text, wanted.text));
  out_.line(fmt::format("{} = {}.old_value;", old, swapped));
  out_.open(fmt::format("if ({}.exchanged || {} != {}) {{", swapped, old, expected.text));
  out_.line("break;");
  out_.close();
  out_.close();
  define_here(i, from_cell(a, s, name(old)));
}

void Atomics::atomic(const ir::Inst& i) {
  const Scalar s = i.type.scalar;
  check(i, s);
  const Array& a = array(i.operands[0]);
  Expr at = memory_.index(i);
  if (!at.whole) at = named(at);
  const Expr cell = call("{}[{}]", a.name, at.text);
  if (i.op == ir::Op::AtomicLoad)
    return define_here(i, from_cell(a, s, call("atomicLoad(&{})", cell.text)));
  if (i.op == ir::Op::AtomicCas) return swap_if_equal(i, s, cell);
  const char* const function = function_of(i.op, s);
  if (!function) return by_exchange(i, s, cell);
  // A word has no sign, which minima and maxima of signed numbers need.
  if (a.words && ir::is_signed_int(s) && (i.op == ir::Op::AtomicMin || i.op == ir::Op::AtomicMax))
    unsupported(
        fmt::format("{}: a signed {} in an aggregate, but WebGPU has only unsigned words there: "
                    "use an array of i32",
                    frame_.where, ir::info(i.op).name));
  const Expr result =
      call("{}(&{}, {})", function, cell.text, to_cell(a, s, value(i.operands.back())).text);
  if (frame_.uses[i.results[0]] == 0) return out_.line(result.text + ";");
  define_here(i, from_cell(a, s, result));
}

}  // namespace krait::codegen::wgsl
