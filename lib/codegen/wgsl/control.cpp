// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/control.h"

#include <algorithm>

#include "codegen/wgsl/calls.h"
#include "codegen/wgsl/positions.h"
#include "codegen/wgsl/straight.h"
#include "codegen/wgsl/sync.h"
#include "ir/walk.h"

namespace krait::codegen::wgsl {

/// What cannot be reached is dropped: Tint warns of it.
void Control::region(ir::RegionId r) {
  const ir::RegionId outer = std::exchange(frame_.region, r);
  reachable_ = true;
  for (const ir::InstId id : f_.regions[r].insts) {
    instruction(f_.insts[id]);
    if (!reachable_) break;
  }
  frame_.region = outer;
}

void Control::instruction(const ir::Inst& i) {
  straight_.begin(i);
  if (i.op == ir::Op::If) return lower_if(i);
  if (i.op == ir::Op::Switch) return lower_switch(i);
  if (ir::is_loop(i.op)) return lower_loop(i);
  if (ir::is_terminator(i.op)) return terminate(i);
  straight_.lower(i);
}

Control::Exit& Control::innermost_loop() {
  return *std::find_if(exits_.rbegin(), exits_.rend(), [](const Exit& e) { return e.loop; });
}

/// What a trip got and hands on is in its variable already.
void Control::assign(const Exit& exit, const ir::Inst& i) {
  for (std::size_t n = 0; n < exit.variables.size(); ++n)
    if (n < exit.carried.size() && exit.carried[n] == i.operands[n]) continue;
    else if (const std::string text = full(i.operands[n]).text; text != exit.variables[n])
      out_.line(fmt::format("{} = {};", exit.variables[n], text));
}

void Control::terminate(const ir::Inst& i) {
  reachable_ = false;
  switch (i.op) {
    case ir::Op::Yield:
      if (exits_.empty()) return calls_.give_results(i);
      assign(exits_.back(), i);
      exits_.back().reached = true;
      return;
    case ir::Op::Return:
      if (!exits_.empty()) out_.line("return;");
      return;
    case ir::Op::Break:
      assign(innermost_loop(), i);
      innermost_loop().reached = true;
      return out_.line("break;");
    case ir::Op::Continue:
      assign(innermost_loop(), i);
      if (!exits_.back().loop) out_.line("continue;");
      return;
    default: return;
  }
}

void Control::declare_results(const ir::Inst& i, Exit& exit) {
  for (const ir::ValueId v : i.results) {
    exit.variables.push_back(new_name());
    out_.line(fmt::format("var {}: {};", exit.variables.back(), type_of(scalar(v))));
  }
}

/// The end of the innermost construct, whose results are its variables.
void Control::leave(const ir::Inst& i) {
  const Exit exit = std::move(exits_.back());
  exits_.pop_back();
  reachable_ = exit.reached;
  for (std::size_t n = 0; n < i.results.size(); ++n)
    frame_.values[i.results[n]] = name(exit.variables[n]);
}

void Control::lower_if(const ir::Inst& i) {
  const Expr condition = sync_.decision(i);
  exits_.emplace_back();
  declare_results(i, exits_.back());
  const auto is_empty = [&](ir::RegionId r) {
    const ir::Inst& last = ir::terminator(f_, r);
    return f_.regions[r].insts.size() == 1 && last.op == ir::Op::Yield && last.operands.empty();
  };
  if (is_empty(i.regions[0])) {
    out_.open(fmt::format("if (!{}) {{", condition()));
    region(i.regions[1]);
    exits_.back().reached = true;
    out_.close();
    return leave(i);
  }
  out_.open(fmt::format("if ({}) {{", condition.text));
  region(i.regions[0]);
  if (is_empty(i.regions[1])) {
    exits_.back().reached = true;
  } else {
    out_.between("} else {");
    region(i.regions[1]);
  }
  out_.close();
  leave(i);
}

bool Control::breaks_a_loop(ir::RegionId r) const {
  return std::any_of(f_.regions[r].insts.begin(), f_.regions[r].insts.end(), [&](ir::InstId id) {
    const ir::Inst& i = f_.insts[id];
    return i.op == ir::Op::Break ||
           (!ir::is_loop(i.op) &&
            std::any_of(i.regions.begin(), i.regions.end(),
                        [&](ir::RegionId inner) { return breaks_a_loop(inner); }));
  });
}

/// A switch of WGSL takes 32 bits, and a break in it for its own: others are a chain of ifs.
void Control::lower_switch(const ir::Inst& i) {
  const Expr selector = sync_.decision(i);
  exits_.emplace_back();
  declare_results(i, exits_.back());
  const Scalar s = scalar(i.operands[0]);
  if (is_wide(s) || std::any_of(i.regions.begin(), i.regions.end(),
                                [&](ir::RegionId r) { return breaks_a_loop(r); })) {
    lower_cases(i, named(selector));
    return leave(i);
  }
  out_.open(fmt::format("switch ({}) {{", selector.literal ? named(selector).text : selector.text));
  for (std::size_t n = 0; n < i.regions.size(); ++n) {
    out_.open(n < i.list.size()
                  ? fmt::format("case {}: {{", literal(s, std::uint64_t(i.list[n])).text)
                  : "default: {");
    region(i.regions[n]);
    out_.close();
  }
  out_.close();
  leave(i);
}

void Control::lower_cases(const ir::Inst& i, const Expr& selector) {
  const Scalar s = scalar(i.operands[0]);
  for (std::size_t n = 0; n < i.list.size(); ++n) {
    const Expr is = literal(s, std::uint64_t(i.list[n]));
    const std::string test = !is_wide(s) ? fmt::format("{} == {}", selector.text, is())
                             : selector.from_narrow && is.from_narrow
                                 ? fmt::format("{} == {}", selector.text, is())
                                 : fmt::format("all({} == {})", full(selector).text, full(is).text);
    if (n == 0) out_.open(fmt::format("if ({}) {{", test));
    else out_.between(fmt::format("}} else if ({}) {{", test));
    region(i.regions[n]);
  }
  if (i.list.empty()) out_.open("{");
  else out_.between("} else {");
  region(i.regions.back());
  out_.close();
}

/// The head of a counted loop; `index` is what a trip has of it.
std::string Control::loop_head(const ir::Inst& i, Expr& index) {
  const std::string counter = new_name('k');
  index = name(counter);
  const Scalar s = scalar(f_.regions[i.regions[0]].params[0]);
  const Expr bound = sync_.decision(i);
  if (i.op == ir::Op::GridStride) {
    const std::string start = positions_.small(ir::Op::GlobalId, 0).text,
                      step = named(positions_.small(ir::Op::GlobalSize, 0)).text;
    if (bound.from_narrow) {
      // First index and step are below 2^31, and so is their sum below 2^32.
      index = wgsl::call("i32({})", counter), index.from_narrow = true;
      const Expr last = named(wgsl::call("u32(max({}, 0i))", bound.text));
      return fmt::format("for (var {0} = {1}; {0} < {2}; {0} += {3}) {{", counter, start, last.text,
                         step);
    }
    const Expr at = name(counter), by = wgsl::call("vec2u({}, 0u)", step), last = named(bound);
    return fmt::format("for (var {} = vec2u({}, 0u); {}; {} = {}) {{", counter, start,
                       helper("lt_i64", at, last).text, counter, helper("add_64", at, by).text);
  }
  if (!is_wide(s)) {
    const Expr last = bound.literal ? bound : named(bound);
    return fmt::format("for (var {0} = 0u; {0} < {1}; {0}++) {{", counter, last.text);
  }
  const Expr at = name(counter), last = named(full(bound)), one = name("vec2u(1u, 0u)");
  return fmt::format("for (var {} = vec2u(); {}; {} = {}) {{", counter,
                     helper("lt_u64", at, last).text, counter, helper("add_64", at, one).text);
}

void Control::lower_loop(const ir::Inst& i) {
  const bool counted = i.op != ir::Op::Loop;
  const std::vector<ir::ValueId>& params = f_.regions[i.regions[0]].params;
  const std::size_t first = counted ? 1 : 0;
  Exit exit;
  exit.loop = true, exit.reached = counted;
  for (std::size_t n = 0; n < i.results.size(); ++n) {
    exit.variables.push_back(new_name());
    out_.line(fmt::format("var {} = {};", exit.variables[n], full(i.operands[first + n]).text));
  }
  Expr index;
  out_.open(counted ? loop_head(i, index) : "loop {");
  // A loop without an end is none of WGSL's.
  if (!counted && !breaks_a_loop(i.regions[0])) {
    out_.open("if (arguments.zero != 0u) {");
    out_.line("break;");
    out_.close();
  }
  if (counted) frame_.values[params[0]] = frame_.uses[params[0]] ? named(index) : index;
  for (std::size_t n = 0; n < i.results.size(); ++n)
    if (frame_.uses[params[first + n]])
      frame_.values[params[first + n]] = named(name(exit.variables[n]));
  exit.carried.assign(params.begin() + std::ptrdiff_t(first), params.end());
  exits_.push_back(std::move(exit));
  region(i.regions[0]);
  out_.close();
  leave(i);
}

}  // namespace krait::codegen::wgsl
