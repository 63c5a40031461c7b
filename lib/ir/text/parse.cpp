// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the text form. What comes back has sound tables whatever the text was: values are used
// where they are defined, ids are in range, counts of operands and regions are right. Types and the
// rest of the rules are verify's.
#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <unordered_map>
#include <utility>

#include "ir/builder.h"
#include "ir/text/float_text.h"
#include "ir/hidden.h"
#include "ir/text/text.h"
#include "ir/tiles.h"

namespace krait::ir {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct Failure {
  std::string text;
};

/// Characters, tokens and positions.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

 protected:
  ~Scanner() = default;

  [[noreturn]] void fail_at(std::size_t place, const std::string& what) const {
    std::size_t line = 1, start = 0;
    for (std::size_t i = 0; i < place; ++i)
      if (text_[i] == '\n') ++line, start = i + 1;
    throw Failure{std::to_string(line) + ':' + std::to_string(place - start + 1) + ": " + what};
  }
  [[noreturn]] void fail(const std::string& what) const { fail_at(at_, what); }

  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  bool accept(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("expected '") + c + "'");
  }
  /// Letters, digits and underscores; empty when there are none.
  std::string_view word() {
    skip();
    return run();
  }
  bool accept_word(std::string_view expected) {
    skip();
    const std::size_t start = at_;
    if (run() == expected) return true;
    at_ = start;
    return false;
  }
  void expect_word(std::string_view expected) {
    if (!accept_word(expected)) fail("expected '" + std::string(expected) + "'");
  }
  /// Word characters from here on, without skipping blanks before.
  std::string_view run() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  template <class T>
  T number(const char* what) {
    skip();
    T value{};
    const auto [end, failed] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (failed == std::errc::result_out_of_range) fail(std::string(what) + " is out of range");
    if (failed != std::errc()) fail(std::string("expected ") + what);
    at_ = std::size_t(end - text_.data());
    if (at_ < text_.size() && is_word(text_[at_])) fail(std::string("expected ") + what);
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  /// The first comment that was skipped since the parser cleared this.
  std::string_view comment_;

 private:
  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ';') {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        if (comment_.empty()) comment_ = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        ++at_;
      } else {
        return;
      }
    }
  }
};

class Parser : Scanner {
 public:
  explicit Parser(std::string_view text) : Scanner(text) {}

  Module module() {
    Module m;
    if (!accept_word("kir")) fail("expected 'kir 1'");
    peek();
    const std::size_t version_at = at_;
    if (const auto version = number<unsigned>("the version of the text form"); version != 1)
      fail_at(version_at, "'kir " + std::to_string(version) +
                              "' is another version of the text form, expected 'kir 1'");
    while (!at_end()) {
      const std::size_t place = at_;
      const std::string_view kind = word();
      const bool first = m.functions.empty();
      if (kind != "func" && !(first && kind == "kernel"))
        fail_at(place, first ? "expected 'kernel'" : "expected 'func'");
      m.functions.push_back(new_function({}));
      Function& f = m.functions.back();
      f.called = kind == "func";
      if (!first) f.inherit(m.kernel());
      function(f);
    }
    if (m.functions.empty()) fail("expected 'kernel'");
    resolve_calls(m);
    return m;
  }

 private:
  void function(Function& f) {
    f_ = &f;
    Builder builder(f);
    b_ = &builder;
    names_.clear(), places_.clear(), scope_.clear();
    headed_ = none;
    if (accept('@')) f.name = function_name();
    if (!f.called) attributes();
    else called_attributes(f);
    expect('(');
    if (!accept(')')) parameters(f), expect(')');
    if (f.called) results(f);
    region(f.body, 0);
    ++functions_;
  }

  void called_attributes(Function& f) {
    f.rare = accept_word("rare");
    if (peek() == '(') return;
    if (!accept_word("ptx")) fail("expected 'rare', 'ptx' or '('");
    expect('(');
    f.native.instructions = quoted_text();
    if (accept(',')) f.native.functions = quoted_text();
    expect(')');
    f.native.effects = accept_word("effects");
  }
  std::string quoted_text() {
    if (peek() != '"') fail("expected a text in quotes");
    return quoted("the text");
  }

  /// The hidden ones are the last, and have their kind behind their type.
  void parameters(Function& f) {
    do {
      const std::string_view name = new_name();
      expect(':');
      define({name, b_->new_param(f.body, type())});
      peek();
      const std::size_t place = at_;
      if (accept('=')) f.hidden.push_back(hidden());
      else if (!f.hidden.empty())
        fail_at(place, "expected '=' and a kind: a hidden parameter stands before this one");
    } while (accept(','));
  }
  Hidden hidden() {
    peek();
    const std::size_t place = at_;
    const std::string_view name = word();
    std::string known;
    for (unsigned k = 0; k < support::hidden_kinds; ++k) {
      const auto kind = HiddenKind(k);
      known += (k == 0                           ? ""
                : k + 1 == support::hidden_kinds ? " or "
                                                 : ", ") +
               std::string(support::info(kind).word);
      if (name != support::info(kind).word) continue;
      Hidden what{kind};
      if (support::info(kind).indexed)
        expect('('), what.index = number<std::uint32_t>("a number"), expect(')');
      return what;
    }
    fail_at(place, "expected " + known);
  }

  /// `-> f32`, `-> (f32, i32)`, or nothing.
  void results(Function& f) {
    if (!accept('-')) return;
    expect('>');
    if (!accept('(')) return f.results.push_back(scalar());
    do f.results.push_back(scalar());
    while (accept(','));
    expect(')');
  }

  /// `@name` or `#number`; names are looked up when all functions are there.
  void callee(InstId id) {
    if (accept('#')) {
      f_->insts[id].imm = number<std::uint32_t>("the number of a function");
      return;
    }
    expect('@');
    const std::size_t place = at_ - 1;
    calls_.push_back({functions_, id, place, function_name()});
  }
  void resolve_calls(Module& m) const {
    std::map<std::string_view, std::size_t> numbers;
    for (std::size_t i = 0; i < m.functions.size(); ++i) numbers.emplace(m.functions[i].name, i);
    for (const UnresolvedCall& call : calls_) {
      const auto found = numbers.find(call.name);
      if (found == numbers.end()) fail_at(call.place, "unknown function '" + call.name + "'");
      m.functions[call.function].insts[call.inst].imm = found->second;
    }
  }

  std::string function_name() {
    if (at_ >= text_.size() || text_[at_] != '"') {
      const std::size_t start = at_;
      while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.')) ++at_;
      if (at_ == start) fail("expected the function's name");
      return std::string(text_.substr(start, at_ - start));
    }
    return quoted("the name");
  }
  /// From the opening quote to the closing one.
  std::string quoted(const std::string& what) {
    ++at_;
    std::string text;
    for (;; ++at_) {
      if (at_ >= text_.size() || text_[at_] == '\n') fail(what + " has no end");
      if (text_[at_] == '"') break;
      if (text_[at_] != '\\') {
        text += text_[at_];
        continue;
      }
      unsigned code = 0;
      const char* digits = text_.data() + at_ + 1;
      if (text_.size() - at_ < 3 || std::from_chars(digits, digits + 2, code, 16).ptr != digits + 2)
        fail("expected two hexadecimal digits");
      text += char(code);
      at_ += 2;
    }
    ++at_;
    return text;
  }

  void attributes() {
    fp_mode();
    while (peek() != '(') {
      const std::size_t place = at_;
      const std::string_view name = word();
      if (name == "facts") facts();
      else if (name == "checked") f_->checked = true;
      else if (name == "flat") f_->flat = true;
      else if (name == "block") sizes(f_->block, "a block size");
      else if (name == "cluster") sizes(f_->cluster, "a number of blocks");
      else if (name == "bounds") bounds();
      else if (name == "elements") elements();
      else if (name == "first") f_->overlap = Overlap::First;
      else if (name == "second") f_->overlap = Overlap::Second;
      else
        fail_at(
            place,
            "expected facts, checked, flat, block, cluster, bounds, elements, first, second or the "
            "parameters");
    }
  }
  void fp_mode() {
    expect_word("fp"), expect('(');
    const std::size_t place = at_;
    const std::string_view name = word();
    expect(')');
    for (const FpMode mode : {FpMode::Strict, FpMode::Reproducible, FpMode::Native, FpMode::Fast})
      if (name == name_of(mode)) return void(f_->fp = mode);
    fail_at(place, "expected strict, reproducible, native or fast");
  }
  void facts() {
    expect('(');
    do {
      peek();
      const std::size_t place = at_;
      const std::string_view name = word();
      const auto* const known = std::find_if(std::begin(fact_names), std::end(fact_names),
                                             [&](const FactName& n) { return n.name == name; });
      if (known != std::end(fact_names)) f_->facts.*known->fact = true;
      else if (name == "bricks") brick();
      else if (name == "whole_bricks") f_->facts.brick.whole = true, brick();
      else if (name == "warp")
        expect('('), f_->facts.warp = number<std::uint8_t>("lanes of a warp"), expect(')');
      else
        fail_at(place,
                "expected contiguous, aligned, small, disjoint, whole_rows, one_row, "
                "aligned_rows, resident, pieces, dense_rows, bricks, whole_bricks or warp");
    } while (accept(','));
    expect(')');
  }
  void brick() {
    expect('(');
    Brick& brick = f_->facts.brick;
    const std::size_t place = at_;
    brick.x = number<std::uint8_t>("threads of a row"), expect(',');
    brick.y = number<std::uint8_t>("lanes along a column"), expect(')');
    if (brick.x == 0 || brick.x > 16 || !std::has_single_bit(brick.y) ||
        brick.width() * brick.y > Brick::threads)
      fail_at(place,
              "expected rows of at most 16 threads, and a power of two that makes no more than 32 "
              "with them");
  }
  void elements() {
    expect('(');
    f_->elements = number<unsigned>("a number of elements");
    expect(')');
  }
  void bounds() {
    expect('('), f_->bounds.threads = number<std::uint32_t>("threads of a block");
    expect(','), f_->bounds.blocks = number<std::uint32_t>("blocks of a multiprocessor");
    expect(','), f_->bounds.registers = number<std::uint32_t>("registers of a thread"), expect(')');
  }
  void sizes(std::array<std::int64_t, 3>& to, const char* what) {
    expect('(');
    for (unsigned d = 0; d < 3; ++d) {
      if (d) expect(',');
      to[d] = number<std::int64_t>(what);
    }
    expect(')');
  }

  Scalar scalar() {
    peek();
    const std::size_t place = at_;
    const std::string_view name = word();
    for (const Scalar s : all_scalars)
      if (name == name_of(s)) return s;
    fail_at(place, "expected a type");
  }
  Type type() {
    peek();
    const std::size_t start = at_;
    const std::string_view name = word();
    const bool is_slot = name == "slot", is_view = name == "view", is_shared = name == "shared",
               is_cluster = name == "cluster", is_local = name == "local",
               is_argument = name == "argument";
    if (!is_slot && !is_view && !is_shared && !is_cluster && !is_local && !is_argument) {
      at_ = start;
      return value_type(scalar());
    }
    expect('<');
    Type t{};
    if (is_slot) {
      t = slot_type(scalar());
    } else {
      t = array_type(Scalar::Void,
                     is_view      ? Space::Global
                     : is_shared  ? Space::Shared
                     : is_cluster ? Space::Cluster
                     : is_local   ? Space::Local
                                  : Space::Argument,
                     0);
      if (accept_word("bytes")) {
        expect('(');
        t.elem_bytes = number<std::uint32_t>("a size in bytes");
        expect(')');
      } else {
        t.scalar = scalar();
        t.elem_bytes = size_of(t.scalar);
      }
      expect(',');
      t.rank = number<std::uint8_t>("a rank");
      if (accept(',')) expect_word("const"), t.writable = false;
    }
    expect('>');
    return t;
  }

  struct Defined {
    std::string_view name;
    ValueId value;
  };
  /// A name appears once in a function, and is visible until its region ends.
  void define(const Defined& d) {
    names_[d.name] = d.value;
    scope_.push_back(d.name);
  }
  /// `%name` of a new value; reserved until it is defined.
  std::string_view new_name() {
    expect('%');
    const std::size_t place = at_ - 1;
    const std::string_view name = run();
    if (name.empty()) fail("expected a number after '%'");
    if (!names_.emplace(name, none).second)
      fail_at(place, "%" + std::string(name) + " is defined twice");
    return name;
  }
  ValueId use() {
    expect('%');
    const std::size_t place = at_ - 1;
    const auto it = names_.find(run());
    if (it == names_.end() || it->second == none)
      fail_at(place, std::string(text_.substr(place, at_ - place)) + " is not defined here");
    return it->second;
  }
  void params(RegionId r) {
    do {
      const std::string_view name = new_name();
      expect(':');
      define({name, b_->new_param(r, type())});
    } while (accept(','));
  }

  /// From the opening brace to the closing one.
  void region(RegionId r, unsigned depth) {
    expect('{');
    if (depth > max_region_depth) fail("regions nest too deeply");
    const std::size_t outer = scope_.size();
    comment_ = {};
    if (peek() == '^') {
      position();
      accept('^'), expect('(');
      params(r);
      expect(')'), expect(':');
    }
    bool ended = false;
    while (peek() != '}') {
      position();
      if (at_end()) fail("expected '}'");
      if (ended) fail("expected '}' after yield, continue, break, return or unreachable");
      b_->at(r);
      ended = is_terminator(inst(r, depth));
    }
    position();
    expect('}');
    for (; scope_.size() > outer; scope_.pop_back()) names_[scope_.back()] = none;
  }

  Op inst(RegionId r, unsigned depth) {
    std::vector<std::string_view> names;
    std::vector<Type> types;
    if (peek() == '%') {
      do {
        names.push_back(new_name());
        expect(':');
        types.push_back(type());
      } while (accept(','));
      expect('=');
    }
    peek();
    const std::size_t place = at_;
    Op op;
    const std::string_view name = word();
    if (!find_op(name, op))
      fail_at(place, name.empty() ? "expected an instruction"
                                  : "unknown operation '" + std::string(name) + "'");
    const InstId id = b_->append(op, {}, {});
    std::vector<Defined> results;
    for (std::size_t i = 0; i < names.size(); ++i)
      results.push_back({names[i], b_->add_result(id, types[i])});
    suffixes(id, !names.empty());
    headed_ = id, headed_at_ = at_;
    comment_ = {};
    if (op == Op::Call) callee(id), expect('(');
    if (op == Op::Const) constant(id);
    else operands(id, place);
    if (op == Op::Call) expect(')');
    if (op == Op::If || op == Op::Switch || is_loop(op)) regions(id, depth);
    else if (op != Op::Const && op != Op::Call) attribute(id);
    b_->at(r);
    for (const Defined& d : results) define(d);
    return op;
  }

  /// True where it is one of an operation's suffixes, not a type.
  bool suffix(Inst& inst, std::string_view name) {
    if (name == "fast") return inst.fast = true;
    if (name == "streaming") return inst.streaming = true;
    if (name == "likely") return inst.expected = Expected::Likely, true;
    if (name == "unlikely") return inst.expected = Expected::Unlikely, true;
    if (name == "rolled") return inst.rolled = true;
    if (name == "ahead") {
      expect('(');
      inst.ahead = number<std::uint16_t>("a number of iterations");
      expect(')');
      return true;
    }
    for (const Order order :
         {Order::Relaxed, Order::Acquire, Order::Release, Order::AcquireRelease, Order::Sequential})
      if (name == name_of(order)) return inst.order = order, true;
    for (const Scope scope : {Scope::Block, Scope::Device, Scope::System})
      if (name == name_of(scope)) return inst.scope = scope, true;
    return false;
  }

  void suffixes(InstId id, bool results) {
    while (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      const std::size_t start = at_;
      if (suffix(f_->insts[id], run())) continue;
      at_ = start;
      if (results) fail("the type is that of the results");
      f_->insts[id].type = value_type(scalar());
    }
  }

  void operands(InstId id, std::size_t place) {
    const int arity = info(f_->insts[id].op).arity;
    if (arity != 0 && peek() == '%') {
      do {
        const ValueId v = use();
        f_->insts[id].operands.push_back(v);
      } while (accept(','));
    }
    const std::size_t given = f_->insts[id].operands.size();
    if (arity >= 0 && given != std::size_t(arity)) {
      fail_at(place, std::string(info(f_->insts[id].op).name) + " takes " + std::to_string(arity) +
                         (arity == 1 ? " operand, not " : " operands, not ") +
                         std::to_string(given));
    }
  }

  void attribute(InstId id) {
    if (!accept('{')) return;
    Inst& inst = f_->insts[id];
    if (info(inst.op).family == Family::Report) {
      if (peek() != '"') fail("expected a text in quotes");
      inst.text = quoted("the text");
    } else if (inst.op == Op::Product || inst.op == Op::WordProduct) {
      const int numbers = inst.op == Op::Product ? 6 : int(WordProduct::numbers);
      for (int i = 0; i < numbers; ++i) {
        if (i) expect(',');
        inst.list.push_back(i == 3 || i == 4 ? std::int64_t(scalar())
                                             : number<std::int64_t>("a number"));
      }
    } else if (inst.op != Op::Shared && inst.op != Op::Local && inst.op != Op::CopyRow &&
               inst.op != Op::CopyBack && inst.op != Op::CopyTile && inst.op != Op::CopyWait) {
      inst.imm = number<std::uint64_t>("a number");
    } else {
      do
        inst.list.push_back(
            number<std::int64_t>(is_tile_operation(inst.op) ? "a number" : "an extent"));
      while (accept(','));
    }
    expect('}');
  }

  void constant(InstId id) {
    Inst& inst = f_->insts[id];
    const Scalar s = inst.type.scalar;
    if (!inst.type.is_value() || s == Scalar::Void) fail("a constant needs a scalar result");
    if (s == Scalar::Bool) {
      inst.imm = accept_word("true") ? 1 : 0;
      if (!inst.imm && !accept_word("false")) fail("expected true or false");
    } else if (is_float(s)) {
      float_constant(inst, s);
    } else if (is_signed_int(s)) {
      peek();
      const std::size_t place = at_;
      const auto value = number<std::int64_t>("an integer");
      const unsigned unused = 64 - bits_of(s);
      inst.imm = std::uint64_t(value) << unused >> unused;
      if (std::int64_t(inst.imm << unused) >> unused != value)
        fail_at(place, "an integer is out of range");
    } else {
      peek();
      const std::size_t place = at_;
      inst.imm = number<std::uint64_t>("an integer");
      if (bits_of(s) < 64 && inst.imm >> bits_of(s)) fail_at(place, "an integer is out of range");
    }
  }
  void float_constant(Inst& inst, Scalar s) {
    peek();
    const std::size_t place = at_;
    if (accept_word("bits")) {
      expect('(');
      const std::string_view digits = word();
      const auto [end, failed] = std::from_chars(digits.data() + (digits.size() > 2 ? 2 : 0),
                                                 digits.data() + digits.size(), inst.imm, 16);
      if (!digits.starts_with("0x") || failed != std::errc() ||
          end != digits.data() + digits.size() || (bits_of(s) < 64 && inst.imm >> bits_of(s)))
        fail_at(place, "expected bits(0x…) within the width of the type");
      expect(')');
      return;
    }
    while (at_ < text_.size() &&
           (is_word(text_[at_]) || text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '.'))
      ++at_;
    if (const char* wrong = parse_float(text_.substr(place, at_ - place), s, inst.imm))
      fail_at(place, wrong);
  }

  void regions(InstId id, unsigned depth) {
    const Op op = f_->insts[id].op;
    if (op == Op::Switch) return cases(id, depth);
    region(b_->new_region(id), depth + 1);
    if (op != Op::If) return;
    const RegionId otherwise = b_->new_region(id);
    if (accept_word("else")) return region(otherwise, depth + 1);
    b_->at(otherwise);
    b_->append(Op::Yield, {}, {});
  }

  void cases(InstId id, unsigned depth) {
    expect('{');
    comment_ = {};
    while (accept_word("case")) {
      position();
      const auto value = number<std::int64_t>("a case value");
      f_->insts[id].list.push_back(value);
      expect(':');
      region(b_->new_region(id), depth + 1);
    }
    position();
    if (!accept_word("default")) fail("expected case or default");
    expect(':');
    region(b_->new_region(id), depth + 1);
    expect('}');
  }

  /// Takes the comment last skipped as the position of the instruction whose head it follows on the
  /// same line.
  void position() {
    const std::string_view comment = std::exchange(comment_, {});
    if (headed_ == none || comment.empty()) return;
    const InstId id = std::exchange(headed_, none);
    const std::size_t colon = comment.rfind(':'), start = comment.find_first_not_of(" \t");
    if (colon == std::string_view::npos || start >= colon) return;
    if (text_.substr(headed_at_, std::size_t(comment.data() - text_.data()) - headed_at_)
            .find('\n') != std::string_view::npos)
      return;
    std::string_view digits = comment.substr(colon + 1);
    if (digits.ends_with('\r')) digits.remove_suffix(1);
    std::uint32_t line = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
    if (failed != std::errc() || end != digits.data() + digits.size()) return;
    const std::string_view file = comment.substr(start, colon - start);
    const auto [it, fresh] =
        places_.emplace(std::pair(file, line), std::uint32_t(f_->locations.size()));
    if (fresh) f_->locations.push_back({std::string(file), line});
    f_->insts[id].loc = it->second;
  }

  struct UnresolvedCall {
    std::size_t function;
    InstId inst;
    std::size_t place;
    std::string name;
  };

  Function* f_ = nullptr;
  Builder* b_ = nullptr;
  std::unordered_map<std::string_view, ValueId> names_;  // none: reserved, or out of scope
  // names defined in open regions, outermost first
  std::vector<std::string_view> scope_;
  std::map<std::pair<std::string_view, std::uint32_t>, std::uint32_t> places_;
  InstId headed_ = none;       // the instruction that a comment may follow
  std::size_t headed_at_ = 0;  // where its name ended
  std::vector<UnresolvedCall> calls_;
  std::size_t functions_ = 0;  // parsed so far
};

}  // namespace

ParseResult parse(std::string_view text) {
  ParseResult result;
  try {
    result.module = Parser(text).module();
  } catch (const Failure& failure) {
    result.error = failure.text;
  }
  return result;
}

}  // namespace krait::ir
