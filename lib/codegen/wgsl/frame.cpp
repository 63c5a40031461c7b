// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/frame.h"

#include "ir/walk.h"

namespace krait::codegen::wgsl {

Frame::Frame(Unit& all, std::size_t function)
    : unit(all),
      number(function),
      f(all.module.functions[function]),
      values(f.values.size()),
      arrays(f.values.size()),
      uses(ir::use_counts(f)),
      used_in(f.values.size(), ir::none) {
  ir::for_each_inst(f, [&](ir::InstId i, ir::RegionId r) {
    for (const ir::ValueId v : f.insts[i].operands) used_in[v] = r;
  });
}

std::string place_of(const ir::Function& f, const ir::Inst& i) {
  const ir::Location& at = f.locations[i.loc];
  return at.line ? fmt::format("operation {} ({}:{})", ir::info(i.op).name, at.file, at.line)
                 : fmt::format("operation {}", ir::info(i.op).name);
}

Expr Part::full(const Expr& e) {
  if (!e.from_narrow) return e;
  unit_.helpers.insert("extend");
  return call("extend({})", e.text);
}

Expr Part::low(ir::ValueId v) {
  const Expr& e = value(v);
  const Scalar s = scalar(v);
  if (is_const(v)) return number(std::uint32_t(f_.const_bits(v)));
  if (is_wide(s)) return e.from_narrow ? call("u32({})", e.text) : call("{}.x", e());
  return ir::is_signed_int(s) ? call("u32({})", e.text) : e;
}

void Part::take_shared(std::uint64_t array, std::uint64_t own) {
  std::uint64_t& all = unit_.envelope.fixed_shared;
  all += (array + own + 15) / 16 * 16;
  unit_.shared_of_decisions += own;
  if (all <= unit_.target.shared) return;
  const std::string decisions =
      unit_.shared_of_decisions
          ? fmt::format(" and the results of votes {}", unit_.shared_of_decisions)
          : "";
  unsupported(
      fmt::format("{}: the block's arrays take {} bytes{}, but the target has {}: "
                  "make them smaller, or give the target more by shared=",
                  frame_.where, all - unit_.shared_of_decisions, decisions, unit_.target.shared));
}

std::string Part::new_name(char letter) { return fmt::format("{}{}", letter, frame_.names++); }

Expr Part::named(const Expr& e) {
  Expr result = name(new_name());
  out_.line(fmt::format("let {} = {};", result.text, e.text));
  result.from_narrow = e.from_narrow;
  return result;
}

void Part::define(const ir::Inst& i, const Expr& e) {
  const ir::ValueId v = i.results[0];
  constexpr std::size_t longest = 48;
  if (frame_.uses[v] == 0) return;
  const bool nearby =
      frame_.uses[v] == 1 && frame_.used_in[v] == frame_.region && e.text.size() <= longest;
  const bool is_name = e.whole && e.text.find_first_of("( ") == std::string::npos;
  frame_.values[v] = nearby || is_name ? e : named(e);
}

}  // namespace krait::codegen::wgsl
