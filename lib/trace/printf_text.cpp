// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/printf_text.h"

#include <string_view>

#include <fmt/format.h>

#include "ir/report.h"

namespace krait::trace {
namespace {

using ir::Scalar;
using ir::ScalarClass;

constexpr std::string_view integers = "diuxXoc", floats = "fFeEgGaA", bools = "s";

/// One conversion: %[flags][width][.precision][length]letter.
struct Conversion {
  std::string whole, flags, width, precision;
  char letter = 0;
  bool has(char flag) const { return flags.find(flag) != std::string::npos; }
};

/// Reads the conversion that begins at `at`, and moves `at` behind it.
Conversion read(const std::string& text, std::size_t& at) {
  const std::size_t start = at++;
  const auto run = [&](std::string_view of) {
    const std::size_t from = at;
    while (at < text.size() && of.find(text[at]) != of.npos) ++at;
    return text.substr(from, at - from);
  };
  Conversion c;
  c.flags = run("-+ #0");
  c.width = run("0123456789");
  if (at < text.size() && text[at] == '.') {
    ++at;
    c.precision = '.' + run("0123456789");
  }
  run("hlzjtL");
  if (at < text.size()) c.letter = text[at++];
  if (c.precision == ".") c.precision = ".0";
  c.whole = text.substr(start, at - start);
  return c;
}

const char* class_name(Scalar s) {
  return s == Scalar::Bool ? "a bool" : ir::is_float(s) ? "a floating-point number" : "an integer";
}

std::string wrong_letter(const Conversion& c, std::size_t index, Scalar s) {
  const char* takes = integers.find(c.letter) != integers.npos ? "an integer"
                      : floats.find(c.letter) != floats.npos   ? "a floating-point number"
                                                               : "a bool";
  return fmt::format("{} prints {}, but value {} is {}: use {}", c.whole, takes, index + 1,
                     class_name(s),
                     s == Scalar::Bool ? "%d or %s"
                     : ir::is_float(s) ? "%f, %e, %g or %a"
                                       : "%d, %u, %x, %o or %c");
}

/// Empty, or what is wrong with the conversion of a value of that type.
std::string misfit(const Conversion& c, std::size_t index, Scalar s) {
  const auto among = [&](std::string_view letters) {
    return c.letter && letters.find(c.letter) != letters.npos;
  };
  if (!among(integers) && !among(floats) && !among(bools))
    return fmt::format(
        "{} is not a conversion of kr::print. Use d i u x X o c for integers and bools, "
        "f F e E g G a A for floating-point numbers, s for bools, %% for a percent sign",
        c.whole);
  const bool number = among(floats);
  if (ir::is_float(s) != number || (c.letter == 's' && s != Scalar::Bool))
    return wrong_letter(c, index, s);
  if (!number && !c.precision.empty())
    return fmt::format(
        "{} has a precision, which only floating-point numbers have: "
        "a width with 0 pads with zeros, as in %04d",
        c.whole);
  return {};
}

/// What the value must be, so that fmt prints what printf prints.
Scalar converted(const Conversion& c, Scalar s) {
  if (c.letter == 'c') return Scalar::U8;
  const bool bits = std::string_view("uxXo").find(c.letter) != std::string_view::npos;
  if (bits && ir::is_signed_int(s)) return ir::to_unsigned(s);
  // fmt has signs for signed numbers alone.
  if ((c.has('+') || c.has(' ')) && ir::is_unsigned_int(s) && ir::size_of(s) < 8 && !bits)
    return Scalar::I64;
  return s;
}

std::string place(const Conversion& c, Scalar s) {
  const bool left = c.has('-'),
             number = std::string_view("cs").find(c.letter) == std::string_view::npos;
  std::string spec;
  const bool zeros = c.has('0') && !left && number;
  if (!c.width.empty() && !zeros) spec += left ? '<' : '>';
  if (number && (ir::is_float(s) || ir::is_signed_int(s)) && (c.has('+') || c.has(' ')))
    spec += c.has('+') ? '+' : ' ';
  if (c.has('#') && number && c.letter != 'd' && c.letter != 'i' && c.letter != 'u') spec += '#';
  if (zeros && !c.width.empty()) spec += '0';
  spec += c.width + c.precision;
  spec += c.letter == 'i' || c.letter == 'u' ? 'd' : c.letter;
  return "{:" + spec + "}";
}

}  // namespace

bool is_printf_text(const std::string& text) {
  return text.find('%') != std::string::npos && ir::places(text) == 0;
}

PrintfText of_printf(const std::string& text, std::span<const Scalar> types) {
  PrintfText out;
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '%') {
      out.text += text[at++];
    } else if (text.compare(at, 2, "%%") == 0) {
      out.text += '%', at += 2;
    } else {
      const Conversion c = read(text, at);
      const std::size_t index = count++;
      if (index >= types.size() || !out.wrong.empty()) continue;
      if (const std::string wrong = misfit(c, index, types[index]); !wrong.empty()) {
        out.wrong = fmt::format("the text \"{}\" does not fit its values: {}", text, wrong);
        continue;
      }
      out.types.push_back(converted(c, types[index]));
      out.text += place(c, out.types.back());
    }
  }
  if (count != types.size())
    out.wrong = fmt::format("the text \"{}\" has {} {} for {} {}", text, count,
                            count == 1 ? "conversion" : "conversions", types.size(),
                            types.size() == 1 ? "value" : "values");
  return out;
}

}  // namespace krait::trace
