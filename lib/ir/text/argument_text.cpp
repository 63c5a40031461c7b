// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/text/argument_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <string>

#include "ir/text/float_text.h"
#include "support/error.h"
#include "support/float_environment.h"

namespace krait::ir {
namespace {

std::uint64_t integer(std::string_view text) {
  const std::string s(text);
  char* end = nullptr;
  const std::uint64_t value = s.starts_with('-') ? std::uint64_t(std::strtoll(s.c_str(), &end, 0))
                                                 : std::strtoull(s.c_str(), &end, 0);
  if (s.empty() || *end) support::fail_usage("a kernel's file: {} is not an integer", text);
  return value;
}

std::uint64_t masked(std::uint64_t bits, Scalar s) {
  const unsigned width = 8 * size_of(s);
  return width == 64 ? bits : bits & ((std::uint64_t(1) << width) - 1);
}

double real(std::string_view text) {
  std::uint64_t bits = 0;
  if (const char* wrong = parse_float(text, Scalar::F64, bits))
    support::fail_usage("a kernel's file: {}: {}", text, wrong);
  return std::bit_cast<double>(bits);
}

std::uint64_t of_real(double x, Scalar s) {
  if (s == Scalar::F64) return std::bit_cast<std::uint64_t>(x);
  const DefaultFloatEnvironment environment;
  const std::uint64_t operand = std::bit_cast<std::uint64_t>(x);
  return eval(Op::Cast, s, Scalar::F64, {&operand, 1});
}

std::uint64_t number(std::string_view text, Scalar s) {
  if (s == Scalar::Bool) return text == "true" || text == "1";
  return is_float(s) ? of_real(real(text), s) : masked(integer(text), s);
}

/// from + k * step in the arithmetic of the type.
std::uint64_t along(std::string_view from, std::string_view step, std::uint64_t k, Scalar s) {
  if (is_float(s)) return of_real(real(from) + double(k) * real(step), s);
  return masked(integer(from) + k * integer(step), s);
}

std::uint64_t mixed(std::uint64_t x) {  // splitmix64's finaliser
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

std::uint64_t random_float(std::uint64_t r, Scalar s) {
  const unsigned fraction = info(s).fraction, width = bits_of(s);
  const std::uint64_t sign = std::uint64_t(1) << (width - 1), unit = std::uint64_t(1) << fraction,
                      one = number("1", s), largest = largest_finite(s), way = r >> 60,
                      digits = mixed(r);
  const std::uint64_t edges[] = {0,    one,     1,           unit - 1,
                                 unit, largest, largest + 1, largest + 1 + unit / 2};
  const std::uint64_t negative = digits >> 63 ? sign : 0;
  if (way < 4) return edges[digits % std::size(edges)] | negative;
  // near one
  if (way < 9) return ((one + (digits % (8 * unit)) - 4 * unit) & (sign - 1)) | negative;
  if (way < 12) return of_real(double(digits % 20000000) / 1e6 - 10, s);
  return masked(digits, s);
}

std::uint64_t random_bits(std::uint64_t seed, std::size_t i, Scalar s) {
  const std::uint64_t r = mixed(mixed(seed) + i);
  if (s == Scalar::Bool) return r & 1;
  if (is_float(s)) return random_float(r, s);
  const unsigned width = 8 * size_of(s);
  return masked(std::uint64_t(std::int64_t(r) >> (i % width + 64 - width)), s);  // of every length
}

}  // namespace

std::int64_t product(std::string_view text) {
  std::int64_t result = 1;
  for (std::size_t end = 0; end != text.npos;) {
    end = text.find('*');
    result *= std::int64_t(integer(text.substr(0, end)));
    if (end != text.npos) text.remove_prefix(end + 1);
  }
  return result;
}

void ArgumentReader::refuse(std::string_view what) const {
  support::fail_usage("a kernel's file: {} before '{}'", what,
                      text_.substr(std::min(at_, text_.size()), 40));
}

bool ArgumentReader::accept(char c) {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  if (at_ == text_.size() || text_[at_] != c) return false;
  return ++at_, true;
}

void ArgumentReader::expect(char c) {
  if (!accept(c)) refuse(std::string("expected '") + c + "'");
}

std::string_view ArgumentReader::word() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  const std::size_t end = std::min(text_.find_first_of(" ,()[]{}", at_), text_.size());
  const std::string_view word = text_.substr(at_, end - at_);
  at_ = end;
  return word;
}

std::vector<std::string_view> ArgumentReader::list(char end) {
  std::vector<std::string_view> all;
  do all.push_back(word());
  while (accept(','));
  expect(end);
  return all;
}

HostArgument ArgumentReader::argument(const Type& type) {
  HostArgument a;
  if (!type.is_array()) {
    const std::string_view value = word();
    if (value.empty()) refuse("an argument is missing");
    if (value != "bits") return a.bits = number(value, type.scalar), a;
    expect('(');
    const std::string_view digits = list(')').front();
    std::from_chars(digits.data(), digits.data() + digits.size(), a.bits, 16);
    return a;
  }
  expect('[');
  std::size_t count = type.scalar == Scalar::Void ? type.elem_bytes : 1;
  for (const std::string_view extent : list(']')) {
    if (a.rank == a.extents.size()) refuse("a view has six dimensions at most");
    count *= std::size_t(a.extents[a.rank++] = product(extent));
  }
  expect('=');
  fill(a, type.scalar == Scalar::Void ? Scalar::U8 : type.scalar, count);
  return a;
}

void ArgumentReader::fill(HostArgument& a, Scalar s, std::size_t count) {
  const unsigned size = size_of(s);
  const auto put = [&](auto&& element) {
    a.bytes.resize(count * size);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t bits = element(i);
      std::memcpy(&a.bytes[i * size], &bits, size);
    }
  };
  // A list, repeated as often as it takes.
  if (accept('{')) {
    std::vector<std::uint64_t> values;
    for (const std::string_view value : list('}')) values.push_back(number(value, s));
    return put([&](std::size_t i) { return values[i % values.size()]; });
  }
  // One number for all, or a function of the element's place.
  const std::string_view name = word();
  if (!accept('(')) {
    const std::uint64_t all = number(name, s);
    return put([&](std::size_t) { return all; });
  }
  // Bytes are the only form that says how long the argument is: any other length is refused.
  if (name == "bytes") {
    while (!accept(')')) {
      unsigned byte = 0;
      const char* const begin = text_.data() + at_;
      if (at_ + 2 > text_.size() || std::from_chars(begin, begin + 2, byte, 16).ptr != begin + 2)
        refuse("expected two digits per byte");
      a.bytes.push_back(std::byte(byte)), at_ += 2;
    }
    if (a.bytes.size() != count * size) refuse("an argument does not fit the kernel's parameter");
    return;
  }
  const std::vector<std::string_view> of = list(')');
  const auto given = [&](std::size_t k, std::string_view otherwise) {
    return k < of.size() ? of[k] : otherwise;
  };
  if (name == "ramp")
    return put([&](std::size_t i) { return along(given(0, "0"), given(1, "1"), i, s); });
  if (name == "permuted")
    return put(
        [&](std::size_t i) { return number(std::to_string(i * integer(of[0]) % count), s); });
  if (name == "random")
    return put([&](std::size_t i) { return random_bits(integer(of[0]), i, s); });
  if (name != "hash") refuse("expected ramp, hash, permuted, random or bytes");
  put([&](std::size_t i) {
    return along(given(1, "0"), given(2, "1"),
                 (std::uint64_t(std::uint32_t(i * 2654435761u)) >> 9) % integer(of[0]), s);
  });
}

void ArgumentReader::end() {
  accept(' ');
  if (at_ != text_.size()) refuse("more arguments than the kernel takes");
}

}  // namespace krait::ir
