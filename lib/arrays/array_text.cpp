// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in text as NumPy's str() gives them: rows that align, lines of so many columns, `...` in
// place of what lies between the first few and the last few of each dimension where an array has
// many elements. Only what is shown is read from the device.
#include "krait/array_text.h"

#include <cstring>
#include <string>
#include <vector>

#include "devices/layout.h"
#include "arrays/number_format.h"
#include "ir/types.h"
#include "support/error.h"

namespace krait::host {
namespace {

using detail::elements;
using detail::layout;
using detail::max_rank;
using detail::printed_element;

/// The elements that are shown, in C order of their extents.
struct Shown {
  int rank;
  std::int64_t extents[max_rank];
  std::int64_t edge;
  bool cut[max_rank]{};  // the first `edge` and as many of the last
  std::size_t element_bytes;
  std::vector<std::byte> bytes;

  Shown(const elements& of, const print_options& how)
      : rank(of.at->rank), edge(how.edge_items), element_bytes(of.element_bytes) {
    const layout& all = *of.at;
    std::int64_t count = 1;
    for (int d = 0; d < rank; ++d) {
      cut[d] = size_of(all) > how.threshold && all.extents[d] > 2 * edge;
      extents[d] = cut[d] ? 2 * edge : all.extents[d];
      count *= extents[d];
    }
    bytes.resize(std::size_t(count) * element_bytes);
    read(of, all, 0, 0);
  }

 private:
  /// One block of neighbours after the other: of each dimension that is cut there are two.
  void read(const elements& of, const layout& part, int d, std::int64_t first) {
    if (d == rank) return read_block(of, part, first);
    std::int64_t step = 1;
    for (int inner = d + 1; inner < rank; ++inner) step *= extents[inner];
    if (!cut[d]) return read(of, part, d + 1, first);
    layout half = part;
    half.extents[d] = edge;
    read(of, half, d + 1, first);
    half.offset += (part.extents[d] - edge) * part.strides[d];
    read(of, half, d + 1, first + edge * step);
  }
  void read_block(const elements& of, const layout& part, std::int64_t first) {
    std::vector<std::byte> block(std::size_t(size_of(part)) * element_bytes);
    detail::copy_to_host({of.memory, &part, element_bytes}, block.data());
    std::size_t from = 0;
    place(block, part, 0, first, from);
  }
  void place(const std::vector<std::byte>& block, const layout& part, int d, std::int64_t to,
             std::size_t& from) {
    if (d == rank) {
      std::memcpy(bytes.data() + std::size_t(to) * element_bytes, block.data() + from,
                  element_bytes);
      from += element_bytes;
      return;
    }
    std::int64_t step = 1;
    for (int inner = d + 1; inner < rank; ++inner) step *= extents[inner];
    for (std::int64_t i = 0; i < part.extents[d]; ++i)
      place(block, part, d + 1, to + i * step, from);
  }
};

/// The bits of the elements, or of their two parts.
std::vector<std::uint64_t> bits_of(const Shown& shown, std::size_t bytes) {
  std::vector<std::uint64_t> bits(shown.bytes.size() / bytes);
  for (std::size_t i = 0; i < bits.size(); ++i)
    std::memcpy(&bits[i], shown.bytes.data() + i * bytes, bytes);
  return bits;
}
std::vector<std::string> integers(const Shown& shown, ir::Scalar type) {
  std::vector<std::string> words;
  std::size_t width = 0;
  const unsigned above = 64 - ir::bits_of(type);
  for (const std::uint64_t bits : bits_of(shown, ir::size_of(type))) {
    const std::string text = ir::is_signed_int(type)
                                 ? std::to_string(std::int64_t(bits << above) >> above)
                                 : std::to_string(bits);
    width = std::max(width, words.emplace_back(text).size());
  }
  for (std::string& w : words) w.insert(0, width - w.size(), ' ');
  return words;
}
std::vector<std::string> truths(const Shown& shown) {
  std::vector<std::string> words;
  for (const std::byte b : shown.bytes) words.push_back(b == std::byte(0) ? "False" : " True");
  return words;
}
std::vector<std::string> floats(const Shown& shown, const printed_element& as,
                                const print_options& how) {
  std::vector<double> parts[2];
  std::size_t i = 0;
  for (const std::uint64_t bits : bits_of(shown, ir::size_of(ir::Scalar(as.type))))
    parts[as.complex ? i++ % 2 : 0].push_back(float_of(bits, as.type));
  const FloatFormat real(parts[0], as.type, false, how.precision, how.suppress),
      imaginary(parts[1], as.type, true, how.precision, how.suppress);
  std::vector<std::string> words;
  for (std::size_t k = 0; k < parts[0].size(); ++k) {
    std::string& w = words.emplace_back(real(parts[0][k]));
    if (!as.complex) continue;
    w += imaginary(parts[1][k]);
    w.insert(w.find_last_not_of(' ') + 1, "j");
  }
  return words;
}

std::vector<std::string> words_of(const Shown& shown, const printed_element& as,
                                  const print_options& how) {
  const auto type = ir::Scalar(as.type);
  if (type == ir::Scalar::Bool) return truths(shown);
  return ir::is_float(type) ? floats(shown, as, how) : integers(shown, type);
}

/// Puts words together.
class Lines {
 public:
  Lines(const Shown& shown, std::vector<std::string> words, int width)
      : shown_(shown), words_(std::move(words)), width_(std::size_t(width)) {}

  /// Of dimension d and the rest, whose lines after the first begin so. The brackets behind take
  /// `closing` columns.
  std::string text(int d, std::int64_t first, const std::string& indent, std::size_t closing) {
    const bool row = d == shown_.rank - 1;
    std::int64_t step = 1;
    for (int inner = d + 1; inner < shown_.rank; ++inner) step *= shown_.extents[inner];
    std::string all, line = indent;
    for (std::int64_t i = 0; i < shown_.extents[d]; ++i) {
      if (shown_.cut[d] && i == shown_.edge) {
        if (row) append(all, line, "...", indent, closing), line += ' ';
        else all += indent + "..." + between(d);
      }
      const bool last = i + 1 == shown_.extents[d];
      if (row) {
        append(all, line, words_[std::size_t(first + i)], indent, closing);
        if (!last) line += ' ';
      } else {
        all += indent + text(d + 1, first + i * step, indent + ' ', closing + 1) +
               (last ? "" : between(d));
      }
    }
    if (row) all += line;
    return "[" + all.substr(indent.size()) + "]";
  }

 private:
  std::string between(int d) const { return std::string(std::size_t(shown_.rank - 1 - d), '\n'); }
  void append(std::string& all, std::string& line, const std::string& word,
              const std::string& indent, std::size_t closing) const {
    if (line.size() + word.size() + closing > width_ && line.size() > indent.size()) {
      line.erase(line.find_last_not_of(' ') + 1);
      all += line + '\n';
      line = indent;
    }
    line += word;
  }

  const Shown& shown_;
  std::vector<std::string> words_;
  std::size_t width_;
};

void check(const print_options& how) {
  const auto refuse = [](const char* option, std::int64_t least, std::int64_t is) {
    if (is < least)
      support::fail_usage("print_options: {} is {} or more, not {}", option, least, is);
  };
  refuse("precision", 0, how.precision), refuse("threshold", 0, how.threshold);
  refuse("edge_items", 1, how.edge_items), refuse("line_width", 1, how.line_width);
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

text print_elements(const elements& of, const printed_element& as, const print_options& how) {
  host::check(how);
  if (host::size_of(*of.at) == 0) return {"[]", 2};
  const host::Shown shown(of, how);
  const std::string s =
      host::Lines(shown, host::words_of(shown, as, how), how.line_width).text(0, 0, " ", 1);
  return {s.data(), s.size()};
}

}  // namespace krait::detail
