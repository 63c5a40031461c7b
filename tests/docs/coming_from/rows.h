// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of the rows in tests/docs/coming_from: each row's code runs, and what it gives is compared.
#pragma once

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <utility>
#include <vector>

namespace rows {

inline int checked = 0, wrong = 0;

inline void expect(bool right, int line = __builtin_LINE()) {
  ++checked;
  if (!right) ++wrong, std::printf("line %d: another result\n", line);
}

template <class Elem>
double number(const Elem& x) {
  return static_cast<double>(x);
}

/// The elements of an array or a container, in C order, are these; `off` is how far each may lie apart.
template <class Elements>
void has(const Elements& elements, std::initializer_list<double> expected, double off = 0, int line = __builtin_LINE()) {
  std::vector<double> found;
  if constexpr (requires { elements.to_host(); }) {
    for (const auto& x : elements.to_host()) found.push_back(number(x));
  } else {
    for (const auto& x : elements) found.push_back(number(x));
  }
  bool right = found.size() == expected.size();
  for (std::size_t i = 0; right && i < found.size(); ++i) {
    const double e = expected.begin()[i];
    right = std::abs(found[i] - e) <= off || (std::isnan(e) && std::isnan(found[i]));
  }
  expect(right, line);
  if (!right) {
    for (const double x : found) std::printf(" %.9g", x);
    std::printf("\n");
  }
}

/// What main returns.
inline int result() {
  std::printf("%d results, %d wrong\n", checked, wrong);
  return checked > 0 && wrong == 0 ? 0 : 1;
}

}  // namespace rows
