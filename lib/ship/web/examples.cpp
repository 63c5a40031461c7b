// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples of the page: calls with their arguments, and what is expected of them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ship/web/site.h"

namespace krait::host::web {
namespace {

/// A number as JavaScript writes it.
std::string number(ir::Scalar s, std::uint64_t bits) {
  if (s == ir::Scalar::Bool) return bits ? "true" : "false";
  if (s == ir::Scalar::I64) return fmt::format("{}n", std::int64_t(bits));
  if (s == ir::Scalar::U64) return fmt::format("{}n", bits);
  if (ir::is_signed_int(s))
    return fmt::format("{}", std::int64_t(bits << (64 - ir::bits_of(s))) >> (64 - ir::bits_of(s)));
  // floats of 8 bits are passed as their bits
  if (!ir::is_float(s) || ir::size_of(s) == 1) return fmt::format("{}", bits);
  const std::uint64_t wide =
      s == ir::Scalar::F64 ? bits : ir::eval(ir::Op::Cast, ir::Scalar::F64, s, {&bits, 1});
  const double x = std::bit_cast<double>(wide);
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x < 0 ? "-Infinity" : "Infinity";
  return fmt::format("{}", x);
}

std::string argument(const ir::Type& t, const ir::HostArgument& a) {
  if (t.space == ir::Space::Argument) return fmt::format("{{ bytes: '{}' }}", base64(a.bytes));
  if (!t.is_array()) return number(t.scalar, a.bits);
  const auto extents = std::span(a.extents).first(a.rank);
  std::string out =
      fmt::format("{{ type: '{}', shape: [{}]", type_name(t), fmt::join(extents, ", "));
  if (std::any_of(a.bytes.begin(), a.bytes.end(), [](std::byte b) { return b != std::byte{}; }))
    out += fmt::format(", data: '{}'", base64(a.bytes));
  return out + " }";
}

std::string example(const Module& m, const Example& e, std::size_t number_of_it) {
  const Kernel& k = m.kernel;
  std::vector<std::string> given, expected;
  for (unsigned p = 0; p < e.given.size(); ++p) {
    if (!m.is_result(p)) given.push_back(argument(m.type_of(p), e.given[p]));
    if (m.is_written(p))
      expected.push_back(fmt::format("{{ name: {}, type: '{}', data: '{}' }}", quoted(m.name_of(p)),
                                     type_name(m.type_of(p)), base64(e.expected[p].bytes)));
  }
  const std::string title =
      k.examples.size() > 1 ? fmt::format("{} {}", k.name, number_of_it + 1) : k.name;
  const std::string image = k.image[0] ? fmt::format("[{}, {}]", k.image[0], k.image[1]) : "null";
  return fmt::format(
      "  "
      "{{ title: {}, kernel: {}, launch: {{ grid: [{}], block: [{}] }}, image: {}, within: "
      "[{}],\n    given: [{}],\n    expected: [{}] }},\n",
      quoted(title), k.name, fmt::join(e.launch.grid, ", "), fmt::join(e.launch.block, ", "), image,
      fmt::join(k.within, ", "), fmt::join(given, ", "), fmt::join(expected, ", "));
}

}  // namespace

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < count; ++k) word |= std::uint32_t(bytes[at + k]) << (16 - 8 * k);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < ' ') out += fmt::format("\\u{:04x}", unsigned(c));
    else out += c;
  }
  return out + '"';
}

std::string examples_of(const std::vector<Module>& modules) {
  std::string imports, rows;
  for (const Module& m : modules) {
    imports += fmt::format("import {0} from './{0}.mjs';\n", m.kernel.name);
    for (std::size_t n = 0; n < m.kernel.examples.size(); ++n)
      rows += example(m, m.kernel.examples[n], n);
  }
  return fmt::format(
      "// Krait made this: calls of the kernels, and what they have to give.\n{}\nexport "
      "const examples = [\n{}];\n",
      imports, rows);
}

}  // namespace krait::host::web
