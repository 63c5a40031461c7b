// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subscripts of kr::einsum, which are read while compiling.
#pragma once

#include <krait/detail/emit.h>
#include <krait/detail/fixed_text.h>

namespace krait::detail {

/// The names of an operand's dimensions, in their order.
struct subscripts {
  static constexpr int most = 16;
  char letters[most]{};  // '.' stands for the dimensions that ... does
  int count = 0;

  constexpr int find(char letter) const {
    for (int i = 0; i < count; ++i)
      if (letters[i] == letter) return i;
    return -1;
  }
  constexpr bool has_ellipsis() const { return find('.') >= 0; }
  /// Dimensions that letters name.
  constexpr int named() const { return count - has_ellipsis(); }
};

enum class subscripts_problem { none, letter, ellipsis, arrow, unknown, repeated, many };

class subscripts_reader {
 public:
  static constexpr int max_operands = 8;

  template <std::size_t Size>
  constexpr explicit subscripts_reader(const fixed_text<Size>& text)
      : text_(text.at), size_(text.size()) {
    read();
  }
  subscripts operands[max_operands], output;
  int count = 1;
  bool has_output = false;  // is written
  subscripts_problem problem = subscripts_problem::none;
  std::size_t position = 0;

 private:
  constexpr void read() {
    for (; at_ < size_ && problem == subscripts_problem::none; ++at_) {
      const char c = text_[at_];
      if (c == ' ') continue;
      if (c == ',' && !has_output) {
        if (count == max_operands) return fail(subscripts_problem::many);
        ++count;
      } else if (c == '-') {
        if (has_output || at_ + 1 >= size_ || text_[at_ + 1] != '>')
          return fail(subscripts_problem::arrow);
        has_output = true, ++at_;
      } else {
        take(c, has_output ? output : operands[count - 1]);
      }
    }
    if (problem == subscripts_problem::none && !has_output) imply_output();
  }
  constexpr void take(char c, subscripts& to) {
    if (c == '.') {
      const bool whole = at_ + 2 < size_ && text_[at_ + 1] == '.' && text_[at_ + 2] == '.';
      if (!whole || to.has_ellipsis()) return fail(subscripts_problem::ellipsis);
    } else if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) {
      return fail(subscripts_problem::letter);
    }
    if (has_output && c != '.' && occurrences(c) == 0) return fail(subscripts_problem::unknown);
    if (has_output && output.find(c) >= 0) return fail(subscripts_problem::repeated);
    if (to.count == subscripts::most) return fail(subscripts_problem::many);
    to.letters[to.count++] = c;
    if (c == '.') at_ += 2;
  }
  constexpr int occurrences(char c) const {
    int n = 0;
    for (int o = 0; o < count; ++o)
      for (int i = 0; i < operands[o].count; ++i) n += operands[o].letters[i] == c;
    return n;
  }
  /// Adds the output if it is not written: ..., and the letters that occur once, in their order.
  constexpr void imply_output() {
    if (occurrences('.') > 0) output.letters[output.count++] = '.';
    for (int c = 'A'; c <= 'z'; ++c)
      if (occurrences(static_cast<char>(c)) == 1 && output.count < subscripts::most)
        output.letters[output.count++] = static_cast<char>(c);
  }
  constexpr void fail(subscripts_problem found) { problem = found, position = at_; }

  const char* text_;
  std::size_t size_, at_ = 0;
};

/// Says in the compiler's message what is wrong, and at which character, counted from 0. The words
/// are NumPy's.
template <subscripts_problem Problem, std::size_t Character>
struct wrong_subscripts {
  using enum subscripts_problem;
  static_assert(
      Problem != letter,
      "krait: invalid subscript in einstein sum subscripts string, subscripts must be letters: at "
      "the character that wrong_subscripts names, counted from 0");
  static_assert(
      Problem != ellipsis,
      "krait: einstein sum subscripts string contains a '.' that is not part of an ellipsis "
      "('...'), or two of them: at the character that wrong_subscripts names, counted from 0");
  static_assert(
      Problem != arrow,
      "krait: einstein sum subscripts string does not contain proper '->' output specified: at "
      "the character that wrong_subscripts names, counted from 0");
  static_assert(
      Problem != unknown,
      "krait: einstein sum subscripts string included an output subscript which never appeared in "
      "an input: at the character that wrong_subscripts names, counted from 0");
  static_assert(
      Problem != repeated,
      "krait: einstein sum subscripts string includes an output subscript multiple times: at the "
      "character that wrong_subscripts names, counted from 0");
  static_assert(Problem != many, "krait: einsum takes up to 8 operands of up to 6 dimensions");
  static constexpr bool none_is_wrong = Problem == none;
};

/// All dimensions of a sum: those of the result, then those that are summed over.
struct sum_dimensions {
  static constexpr int most = 32;
  int ellipsis = 0;  // dimensions that ... stands for, at most
  int results = 0, count = 0;
  char letters[most]{};

  constexpr void add(char letter) { letters[count < most ? count++ : count] = letter; }
  /// Where a letter's dimension is, or ...'s last but n.
  constexpr int find(char letter, int from_last = 0) const {
    for (int i = count - 1; i >= 0; --i)
      if (letters[i] == letter && from_last-- == 0) return i;
    return -1;
  }
};

template <fixed_text Text>
struct parsed_subscripts {
  static constexpr subscripts_reader text{Text};
  static_assert(wrong_subscripts<text.problem, text.position>::none_is_wrong);

  /// For operands of these ranks.
  template <std::size_t Count>
  static constexpr sum_dimensions dimensions(const int (&ranks)[Count]) {
    sum_dimensions all;
    for (std::size_t o = 0; o < Count; ++o)
      if (const int rest = ranks[o] - text.operands[o].named();
          text.operands[o].has_ellipsis() && rest > all.ellipsis)
        all.ellipsis = rest;
    for (int i = 0; i < text.output.count; ++i) {
      if (text.output.letters[i] != '.') all.add(text.output.letters[i]);
      else
        for (int d = 0; d < all.ellipsis; ++d) all.add('.');
    }
    all.results = all.count;
    for (std::size_t o = 0; o < Count; ++o)
      for (int i = 0; i < text.operands[o].count; ++i)
        if (const char c = text.operands[o].letters[i]; c != '.' && all.find(c) < 0) all.add(c);
    return all;
  }
};

}  // namespace krait::detail
