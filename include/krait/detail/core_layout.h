// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts of kr::guvectorize, which are read while compiling.
#pragma once

#include <krait/detail/emit.h>
#include <krait/detail/fixed_text.h>

namespace krait::detail {

/// Operands of a function whose layout is a text.
inline constexpr int max_operands = 12;

/// The core dimensions of each operand: "(m,n),(n,p)->(m,p)".
struct core_layout {
  struct operand {
    int rank = 0;
    int names[max_rank]{};  // of its dimensions
  };
  int inputs = 0, outputs = 0, names = 0;
  operand operands[max_operands];                 // inputs, then outputs
  std::int64_t fixed[max_operands * max_rank]{};  // of a name that is a number, else -1

  constexpr bool named_by_inputs(int name) const {
    for (int o = 0; o < inputs; ++o)
      for (int d = 0; d < operands[o].rank; ++d)
        if (operands[o].names[d] == name) return true;
    return false;
  }
  /// The first name among an output's dimensions that no input has and that is not a number, or -1.
  constexpr int unknown() const {
    for (int o = inputs; o < inputs + outputs; ++o)
      for (int d = 0; d < operands[o].rank; ++d)
        if (const int name = operands[o].names[d]; fixed[name] < 0 && !named_by_inputs(name))
          return name;
    return -1;
  }
};

enum class layout_problem {
  none,
  expected_open_parenthesis,
  expected_name_or_size,
  expected_comma_or_close,
  expected_comma_or_arrow,
  expected_end,
  too_many_dimensions,
  too_many_operands
};

/// Reads a layout from left to right; what is wrong first, and at which character.
class core_layout_reader {
 public:
  template <std::size_t Size>
  constexpr explicit core_layout_reader(const fixed_text<Size>& text)
      : text_(text.at), size_(text.size()) {
    read();
  }
  core_layout layout;
  layout_problem problem = layout_problem::none;
  std::size_t position = 0;

 private:
  constexpr void read() {
    if (!list(layout.inputs)) return;
    if (!take('-') || at_ >= size_ || text_[at_] != '>')
      return fail(layout_problem::expected_comma_or_arrow);
    ++at_;
    if (!list(layout.outputs)) return;
    skip();
    if (at_ < size_) fail(layout_problem::expected_end);
  }
  constexpr bool list(int& count) {
    do {
      if (layout.inputs + layout.outputs == max_operands)
        return fail(layout_problem::too_many_operands), false;
      if (!one(layout.operands[layout.inputs + layout.outputs])) return false;
      ++count;
    } while (take(','));
    return true;
  }
  constexpr bool one(core_layout::operand& o) {
    if (!take('(')) return fail(layout_problem::expected_open_parenthesis), false;
    if (take(')')) return true;
    do {
      if (o.rank == max_rank) return fail(layout_problem::too_many_dimensions), false;
      const int name = dimension();
      if (name < 0) return fail(layout_problem::expected_name_or_size), false;
      o.names[o.rank++] = name;
    } while (take(','));
    if (!take(')')) return fail(layout_problem::expected_comma_or_close), false;
    return true;
  }
  /// A name, or a number, which is an extent.
  constexpr int dimension() {
    skip();
    const std::size_t first = at_;
    std::int64_t number = 0;
    if (at_ < size_ && digit(text_[at_])) {
      for (; at_ < size_ && digit(text_[at_]) && number < 1000000000; ++at_)
        number = number * 10 + (text_[at_] - '0');
    } else {
      number = -1;
      while (at_ < size_ && (letter(text_[at_]) || (at_ > first && digit(text_[at_])))) ++at_;
    }
    if (at_ == first) return -1;
    for (int n = 0; n < layout.names; ++n)
      if (same(first, n)) return n;
    starts_[layout.names] = first, lengths_[layout.names] = at_ - first;
    layout.fixed[layout.names] = number;
    return layout.names++;
  }
  constexpr bool same(std::size_t first, int name) const {
    if (at_ - first != lengths_[name]) return false;
    for (std::size_t i = 0; i < lengths_[name]; ++i)
      if (text_[first + i] != text_[starts_[name] + i]) return false;
    return true;
  }
  static constexpr bool digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  constexpr void skip() {
    while (at_ < size_ && text_[at_] == ' ') ++at_;
  }
  constexpr bool take(char c) {
    skip();
    if (at_ >= size_ || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  constexpr void fail(layout_problem found) { problem = found, position = at_; }

  const char* text_;
  std::size_t size_, at_ = 0;
  std::size_t starts_[max_operands * max_rank]{}, lengths_[max_operands * max_rank]{};
};

/// Says in the compiler's message what is wrong, and at which character, counted from 0.
template <layout_problem Problem, std::size_t Character>
struct wrong_layout {
  using enum layout_problem;
  static_assert(
      Problem != expected_open_parenthesis,
      "krait: guvectorize's layout needs a ( at the character that wrong_layout names, counted from 0");
  static_assert(
      Problem != expected_name_or_size,
      "krait: guvectorize's layout needs a dimension's name or size at the character that "
      "wrong_layout names, counted from 0");
  static_assert(
      Problem != expected_comma_or_close,
      "krait: guvectorize's layout needs a , or ) at the character that wrong_layout names, counted from 0");
  static_assert(
      Problem != expected_comma_or_arrow,
      "krait: guvectorize's layout needs a , or -> at the character that wrong_layout names, counted from 0");
  static_assert(
      Problem != expected_end,
      "krait: guvectorize's layout should end at the character that wrong_layout names, counted from 0");
  static_assert(Problem != too_many_dimensions,
                "krait: an operand of guvectorize's layout has more than 6 dimensions");
  static_assert(Problem != too_many_operands,
                "krait: guvectorize's layout has more than 12 operands");
  static constexpr bool none_is_wrong = Problem == none;
};

template <fixed_text Text>
constexpr core_layout read_core_layout() {
  constexpr core_layout_reader read(Text);
  static_assert(wrong_layout<read.problem, read.position>::none_is_wrong);
  return read.layout;
}

}  // namespace krait::detail
