// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The canonical text. A value's number is its place in the order of definition, where an
// instruction's results come before what its regions hold; ids in the tables do not show.
#include <algorithm>
#include <charconv>

#include "ir/text/float_text.h"
#include "ir/text/text.h"

namespace krait::ir {
namespace {

bool is_name(std::string_view s) {
  if (s.empty() || (s[0] >= '0' && s[0] <= '9')) return false;
  for (const char c : s)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
          c == '.'))
      return false;
  return true;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') {
      out += '\\';
      out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
      out += "0123456789abcdef"[c & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_name(std::string& out, std::string_view name) {
  if (is_name(name)) out += name;
  else append_quoted(out, name);
}

template <class T>
void append_number(std::string& out, T x) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, x).ptr);
}

void append_type(std::string& out, const Type& t) {
  if (t.is_value()) {
    out += name_of(t.scalar);
    return;
  }
  if (t.is_slot()) {
    out += "slot<", out += name_of(t.scalar), out += '>';
    return;
  }
  out += t.space == Space::Global    ? "view<"
         : t.space == Space::Shared  ? "shared<"
         : t.space == Space::Cluster ? "cluster<"
         : t.space == Space::Local   ? "local<"
                                     : "argument<";
  if (t.scalar == Scalar::Void) {
    out += "bytes(", append_number(out, t.elem_bytes), out += ')';
  } else {
    out += name_of(t.scalar);
  }
  out += ", ";
  append_number(out, unsigned(t.rank));
  if (!t.writable) out += ", const";
  out += '>';
}

class Printer {
 public:
  /// `module`: null where what calls name is not known.
  Printer(const Module* module, const Function& f, PrintOptions options, std::string& out)
      : module_(module), f_(f), options_(options), out_(out), numbers_(f.values.size(), none) {}

  void function() {
    out_ += f_.called ? "func " : "kernel ";
    if (options_.names && !f_.name.empty()) out_ += '@', append_name(out_, f_.name), out_ += ' ';
    if (f_.rare) out_ += "rare ";
    if (!f_.native.instructions.empty()) native();
    if (!f_.called) attributes();
    out_ += '(';
    parameters();
    out_ += ')';
    results();
    out_ += " {\n";
    insts(f_.body);
    out_ += "}\n";
  }

  /// Numbers everything as `function` would, then prints one line.
  void line(InstId only) {
    number(f_.body);
    inst_head(f_.insts[only]);
  }

 private:
  void native() {
    out_ += "ptx(", append_quoted(out_, f_.native.instructions);
    if (!f_.native.functions.empty()) out_ += ", ", append_quoted(out_, f_.native.functions);
    out_ += f_.native.effects ? ") effects " : ") ";
  }

  void attributes() {
    out_ += "fp(", out_ += name_of(f_.fp), out_ += ") ";
    if (f_.facts != Facts{}) {
      const char* comma = "";
      const auto fact = [&](bool holds, std::string_view name) {
        if (holds) out_ += comma, out_ += name, comma = ", ";
      };
      out_ += "facts(";
      for (const FactName& n : fact_names) fact(f_.facts.*n.fact, n.name);
      if (const Brick& brick = f_.facts.brick; brick.x) {
        fact(true, brick.whole ? "whole_bricks" : "bricks");
        out_ += '(', append_number(out_, brick.x), out_ += ", ", append_number(out_, brick.y),
            out_ += ')';
      }
      if (f_.facts.warp) fact(true, "warp("), append_number(out_, f_.facts.warp), out_ += ')';
      out_ += ") ";
    }
    if (f_.checked) out_ += "checked ";
    if (f_.flat) out_ += "flat ";
    if (f_.block != std::array<std::int64_t, 3>{}) out_ += "block(", list(f_.block), out_ += ") ";
    if (f_.in_clusters()) out_ += "cluster(", list(f_.cluster), out_ += ") ";
    if (const Bounds& b = f_.bounds; b != Bounds{})
      out_ += "bounds(", list(std::array{b.threads, b.blocks, b.registers}), out_ += ") ";
    if (f_.overlap != Overlap::None) out_ += f_.overlap == Overlap::First ? "first " : "second ";
    if (f_.elements > 1) out_ += "elements(", append_number(out_, f_.elements), out_ += ") ";
  }

  void results() {
    if (f_.results.empty()) return;
    out_ += " -> ";
    if (f_.results.size() > 1) out_ += '(';
    const char* comma = "";
    for (const Scalar s : f_.results) out_ += comma, out_ += name_of(s), comma = ", ";
    if (f_.results.size() > 1) out_ += ')';
  }

  void number(RegionId r) {
    for (const ValueId v : f_.regions[r].params) define(v);
    for (const InstId i : f_.regions[r].insts) {
      for (const ValueId v : f_.insts[i].results) define(v);
      for (const RegionId inner : f_.insts[i].regions) number(inner);
    }
  }
  void define(ValueId v) {
    if (v < numbers_.size() && numbers_[v] == none) numbers_[v] = next_++;
  }
  void define_typed(ValueId v) {
    define(v);
    use(v), out_ += ": ";
    append_type(out_, v < f_.values.size() ? f_.values[v].type : Type{});
  }
  void define_list(std::span<const ValueId> values) {
    const char* comma = "";
    for (const ValueId v : values) out_ += comma, define_typed(v), comma = ", ";
  }
  /// The function's: hidden ones with their kind.
  void parameters() {
    const std::vector<ValueId>& all = f_.regions[f_.body].params;
    const std::size_t given = all.size() - std::min(all.size(), f_.hidden.size());
    const char* comma = "";
    for (std::size_t k = 0; k < all.size(); ++k) {
      out_ += comma, define_typed(all[k]), comma = ", ";
      if (k >= given) out_ += " = ", out_ += support::text_of(f_.hidden[k - given]);
    }
  }
  void use(ValueId v) {
    out_ += '%';
    if (v < numbers_.size() && numbers_[v] != none) append_number(out_, numbers_[v]);
    else out_ += '?';
  }
  template <class List>
  void list(const List& numbers) {
    const char* comma = "";
    for (const std::int64_t x : numbers) out_ += comma, append_number(out_, x), comma = ", ";
  }
  void indent() { out_.append(2 * depth_, ' '); }

  void insts(RegionId r) {
    ++depth_;
    for (const InstId i : f_.regions[r].insts) {
      const Inst& inst = f_.insts[i];
      indent();
      inst_head(inst);
      if (inst.regions.empty()) location(inst), out_ += '\n';
      else if (inst.op == Op::Switch) cases(inst);
      else regions(inst);
    }
    --depth_;
  }

  void inst_head(const Inst& inst) {
    if (!inst.results.empty()) define_list(inst.results), out_ += " = ";
    out_ += info(inst.op).name;
    if (inst.fast) out_ += ".fast";
    if (inst.streaming) out_ += ".streaming";
    if (inst.expected != Expected::Nothing)
      out_ += inst.expected == Expected::Likely ? ".likely" : ".unlikely";
    if (inst.rolled) out_ += ".rolled";
    if (inst.ahead) out_ += ".ahead(", append_number(out_, unsigned(inst.ahead)), out_ += ')';
    if (inst.order != Order::Relaxed) out_ += '.', out_ += name_of(inst.order);
    if (inst.scope != Scope::Device) out_ += '.', out_ += name_of(inst.scope);
    if (inst.results.empty() && inst.type.scalar != Scalar::Void)
      out_ += '.', append_type(out_, inst.type);
    if (inst.op == Op::Const) {
      out_ += ' ', constant(inst);
      return;
    }
    if (inst.op == Op::Call) callee(inst);
    const char* comma = inst.op == Op::Call ? "(" : " ";
    for (const ValueId v : inst.operands) out_ += comma, use(v), comma = ", ";
    if (inst.op == Op::Call) {
      out_ += inst.operands.empty() ? "()" : ")";
      return;
    }
    const Number number = info(inst.op).number;
    const bool numbered =
        number == Number::Dimension || number == Number::Scope || number == Number::Combination;
    if (info(inst.op).family == Family::Report)
      out_ += " {", append_quoted(out_, inst.text), out_ += '}';
    else if (inst.op == Op::Product || inst.op == Op::WordProduct) product(inst.list);
    else if (inst.op != Op::Switch && !inst.list.empty())
      out_ += " {", list(inst.list), out_ += '}';
    else if (numbered || inst.imm != 0) out_ += " {", append_number(out_, inst.imm), out_ += '}';
  }

  /// Types of factors by their names.
  void product(std::span<const std::int64_t> numbers) {
    const char* comma = " {";
    for (std::size_t i = 0; i < numbers.size(); ++i, comma = ", ") {
      out_ += comma;
      if (i == 3 || i == 4) out_ += name_of(Scalar(numbers[i]));
      else append_number(out_, numbers[i]);
    }
    out_ += '}';
  }

  /// By its name, or its number where names do not count.
  void callee(const Inst& inst) {
    const bool named = options_.names && module_ && inst.imm < module_->functions.size() &&
                       !module_->callee(inst).name.empty();
    if (named) out_ += " @", append_name(out_, module_->callee(inst).name);
    else out_ += " #", append_number(out_, inst.imm);
  }

  void constant(const Inst& inst) {
    const Scalar s = inst.type.scalar;
    const unsigned unused = 64 - (bits_of(s) ? bits_of(s) : 64);
    if (is_float(s)) append_float(out_, s, inst.imm);
    else if (s == Scalar::Bool) out_ += inst.imm ? "true" : "false";
    else if (is_signed_int(s)) append_number(out_, std::int64_t(inst.imm << unused) >> unused);
    else append_number(out_, inst.imm);
  }

  void location(const Inst& inst) {
    if (!options_.locations || inst.loc == 0) return;
    out_ += " ; ";
    for (const char c : f_.locations[inst.loc].file)
      out_ += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    out_ += ':', append_number(out_, f_.locations[inst.loc].line);
  }

  /// ` {`, the parameters and the instructions, up to the closing brace.
  void region(RegionId r, const Inst* located) {
    out_ += '{';
    if (located) location(*located);
    out_ += '\n';
    if (!f_.regions[r].params.empty()) {
      indent(), out_ += "^(", define_list(f_.regions[r].params), out_ += "):\n";
    }
    insts(r);
    indent(), out_ += '}';
  }

  bool only_yields(RegionId r) const {
    const Region& region = f_.regions[r];
    if (!region.params.empty() || region.insts.size() != 1) return false;
    const Inst& last = f_.insts[region.insts[0]];
    return last.op == Op::Yield && last.operands.empty() && !last.fast &&
           !(options_.locations && last.loc != 0);
  }

  void regions(const Inst& inst) {
    out_ += ' ';
    region(inst.regions[0], &inst);
    if (inst.op == Op::If && inst.regions.size() == 2 && !only_yields(inst.regions[1]))
      out_ += " else ", region(inst.regions[1], nullptr);
    out_ += '\n';
  }

  void cases(const Inst& inst) {
    out_ += " {";
    location(inst);
    out_ += '\n';
    ++depth_;
    for (std::size_t c = 0; c < inst.regions.size(); ++c) {
      indent();
      if (c + 1 == inst.regions.size()) out_ += "default: ";
      else
        out_ += "case ", append_number(out_, c < inst.list.size() ? inst.list[c] : 0), out_ += ": ";
      region(inst.regions[c], nullptr);
      out_ += '\n';
    }
    --depth_;
    indent(), out_ += "}\n";
  }

  const Module* module_;
  const Function& f_;
  PrintOptions options_;
  std::string& out_;
  std::vector<std::uint32_t> numbers_;
  std::uint32_t next_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

std::string print(const Module& module, PrintOptions options) {
  std::string out = "kir 1\n";
  for (const Function& f : module.functions) Printer(&module, f, options, out).function();
  return out;
}

std::string print(const Function& function, PrintOptions options) {
  std::string out;
  Printer(nullptr, function, options, out).function();
  return out;
}

std::string print_inst(const Function& function, InstId inst, const Module* module) {
  std::string out;
  Printer(module, function, {}, out).line(inst);
  return out;
}

std::string text_of(const Type& type) {
  std::string out;
  append_type(out, type);
  return out;
}

}  // namespace krait::ir
