// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every algorithm with its options, on data that lies at the ends: no element, one, as many as
// tiles take and one more, NaN, infinities, elements outside of ranges. The interpreter and checked
// mode must find nothing in them, and give what the unchecked CPU gives.
#pragma once

#include <krait/krait.h>

#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace krait::test::clean {

namespace kr = krait;

/// What the cases give, a line each: "name: numbers", or "name: error: message".
class Results {
 public:
  /// `make` gives arrays, numbers, tuples of them, or what has two of them.
  template <class Make>
  void add(const std::string& name, const Make& make) {
    std::string text;
    try {
      append(text, make());
      kr::synchronize();
    } catch (const kr::error& e) {
      text = std::string(" error: ") + e.message();
    }
    lines_.push_back(name + ":" + text);
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  template <class Elem, int Rank>
  static void append(std::string& to, const kr::array<Elem, Rank>& x) {
    for (int d = 0; d < Rank; ++d) to += (d ? "x" : " [") + std::to_string(x.extent(d));
    to += "]";
    const kr::array<std::remove_const_t<Elem>, Rank> dense = x.copy();
    const auto flat = dense.reshape(dense.size());
    for (const auto& e : flat.to_host()) append(to, e);
  }
  template <class... Parts>
  static void append(std::string& to, const std::tuple<Parts...>& x) {
    std::apply([&](const auto&... part) { (append(to, part), ...); }, x);
  }
  template <class Number>
  static void append(std::string& to, const Number& x) {
    if constexpr (requires { x.imag(); }) append(to, x.real()), append(to, x.imag());
    else if constexpr (std::is_floating_point_v<Number>) append_float(to, double(x));
    else if constexpr (std::is_arithmetic_v<Number>) to += " " + std::to_string((long long)(x));
    else {
      const auto& [first, second] = x;
      append(to, first), append(to, second);
    }
  }
  static void append_float(std::string& to, double x);

  std::vector<std::string> lines_;
};

/// Sizes that the loops over an array's length take.
inline const std::vector<std::int64_t> sizes{0, 1, 2, 31, 33, 256, 257, 1025};

/// So many elements; floats with NaN and infinities among them where `wild`, whole numbers with the
/// smallest and the largest.
template <class Elem>
std::vector<Elem> numbers(std::int64_t n, bool wild, unsigned seed = 1) {
  std::vector<Elem> x(static_cast<std::size_t>(n));
  unsigned state = seed * 2654435761u + 12345u;
  for (std::size_t i = 0; i < x.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    const int small = int(state >> 16) % 41 - 20;
    x[i] = Elem(std::is_unsigned_v<Elem> ? (small < 0 ? -small : small) : small);
    if (!wild || i % 7 != 3) continue;
    using limits = std::numeric_limits<Elem>;
    if constexpr (std::is_floating_point_v<Elem>) {
      const Elem ends[] = {limits::quiet_NaN(), limits::infinity(), -limits::infinity(), -Elem(0)};
      x[i] = ends[i / 7 % 4];
    } else {
      x[i] = i / 7 % 2 ? limits::max() : limits::min();
    }
  }
  return x;
}
template <class Elem>
kr::array<Elem> row(std::int64_t n, bool wild = false, unsigned seed = 1) {
  return kr::to_device(numbers<Elem>(n, wild, seed));
}
template <class Elem>
kr::array<Elem, 2> matrix(std::int64_t rows, std::int64_t columns, bool wild = false,
                          unsigned seed = 1) {
  return row<Elem>(rows * columns, wild, seed).reshape(rows, columns);
}

// A file each.
void reductions(Results& to);
void rows(Results& to);
void choices(Results& to);
void matrices(Results& to);
void transforms(Results& to);

}  // namespace krait::test::clean
