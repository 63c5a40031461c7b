// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe/text_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace krait::host {
namespace {

struct Line {
  std::string_view text;
  std::string same;  // without the numbers of values
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    Line& line = lines.emplace_back(Line{text.substr(at, end - at), {}});
    for (std::size_t k = 0; k < line.text.size(); ++k) {
      line.same += line.text[k];
      if (line.text[k] == '%')
        while (k + 1 < line.text.size() && line.text[k + 1] >= '0' && line.text[k + 1] <= '9') ++k;
    }
    at = end + 1;
  }
  return lines;
}

struct Marked {
  char mark;
  std::string_view text;
};

/// Longest common subsequences of what lies between equal beginnings and ends; texts beyond the
/// table's size count as all new.
class Comparison {
 public:
  Comparison(std::vector<Line> from, std::vector<Line> to)
      : from_(std::move(from)), to_(std::move(to)) {}

  std::vector<Marked> run() {
    std::size_t begin = 0, end = 0;
    const std::size_t shorter = std::min(from_.size(), to_.size());
    while (begin < shorter && from_[begin].same == to_[begin].same) ++begin;
    while (end < shorter - begin &&
           from_[from_.size() - 1 - end].same == to_[to_.size() - 1 - end].same)
      ++end;
    for (std::size_t k = 0; k < begin; ++k) out_.push_back({' ', to_[k].text});
    middle(begin, from_.size() - end, to_.size() - end);
    for (std::size_t k = to_.size() - end; k < to_.size(); ++k) out_.push_back({' ', to_[k].text});
    return std::move(out_);
  }

 private:
  void middle(std::size_t begin, std::size_t from_end, std::size_t to_end) {
    constexpr std::size_t largest = std::size_t(1) << 24;
    const std::size_t rows = from_end - begin, columns = to_end - begin, width = columns + 1;
    std::vector<std::uint32_t> common;
    if ((rows + 1) * width <= largest) common.resize((rows + 1) * width);
    for (std::size_t r = common.empty() ? 0 : rows; r-- > 0;)
      for (std::size_t c = columns; c-- > 0;)
        common[r * width + c] =
            from_[begin + r].same == to_[begin + c].same
                ? common[(r + 1) * width + c + 1] + 1
                : std::max(common[(r + 1) * width + c], common[r * width + c + 1]);
    std::size_t r = 0, c = 0;
    while (!common.empty() && r < rows && c < columns) {
      if (from_[begin + r].same == to_[begin + c].same)
        out_.push_back({' ', to_[begin + c].text}), ++r, ++c;
      else if (common[(r + 1) * width + c] >= common[r * width + c + 1])
        out_.push_back({'-', from_[begin + r++].text});
      else out_.push_back({'+', to_[begin + c++].text});
    }
    for (; r < rows; ++r) out_.push_back({'-', from_[begin + r].text});
    for (; c < columns; ++c) out_.push_back({'+', to_[begin + c].text});
  }

  std::vector<Line> from_, to_;
  std::vector<Marked> out_;
};

}  // namespace

std::string text_diff(std::string_view from, std::string_view to, bool short_) {
  const std::vector<Marked> all = Comparison(lines_of(from), lines_of(to)).run();
  constexpr std::ptrdiff_t around = 2;
  std::string out;
  bool left_out = false;
  for (auto line = all.begin(); line != all.end(); ++line) {
    const auto first = line - std::min(around, line - all.begin()),
               last = line + std::min(around + 1, all.end() - line);
    if (short_ && std::all_of(first, last, [](const Marked& m) { return m.mark == ' '; })) {
      if (!left_out) out += "  …\n";
      left_out = true;
      continue;
    }
    left_out = false;
    ((out += line->mark) += ' ').append(line->text) += '\n';
  }
  return out;
}

}  // namespace krait::host
