// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and moments.
#include <krait/algorithm/compare.h>
#include <krait/algorithm/loops.h>
#include <krait/algorithm/moments.h>
#include <krait/algorithm/reduce.h>

#include "arrays/clean.h"

namespace krait::test::clean {
namespace {

template <class Elem>
void of(Results& to, const std::string& type) {
  for (const std::int64_t n : sizes)
    for (const bool wild : {false, true}) {
      const std::string name = type + " " + std::to_string(n) + (wild ? " wild" : "");
      const auto x = row<Elem>(n, wild);
      to.add("sum " + name, [&] { return kr::sum(x); });
      to.add("prod " + name, [&] { return kr::prod(x); });
      to.add("any all " + name,
             [&] { return std::tuple(kr::any(x), kr::all(x), kr::count_nonzero(x)); });
      to.add("min max initial " + name, [&] {
        return std::tuple(kr::min(x, kr::initial(Elem(3))), kr::max(x, kr::initial(Elem(3))));
      });
      to.add("sum where " + name, [&] { return kr::sum(x, kr::where(x > Elem(0))); });
      to.add("min where " + name,
             [&] { return kr::min(x, kr::where(x > Elem(2)), kr::initial(Elem(9))); });
      if (n)
        to.add("min max " + name,
               [&] { return std::tuple(kr::min(x), kr::max(x), kr::argmin(x), kr::argmax(x)); });
      if (n)
        to.add("mean " + name,
               [&] { return std::tuple(kr::mean(x), kr::mean(x, kr::where(x > Elem(1)))); });
      if (n > 1 && !wild)
        to.add("variance " + name,
               [&] { return std::tuple(kr::variance(x), kr::stddev(x, kr::ddof(1))); });
      if (n)
        to.add("argmin where " + name, [&] {
          return std::tuple(kr::argmin(x, kr::where(x > Elem(2))),
                            kr::argmax(x, kr::where(x < Elem(0))));
        });
      to.add("strided " + name, [&] { return kr::sum(x(kr::range(0, n, 2))); });
    }
  for (const auto& [r, c] : {std::pair(1, 1), std::pair(3, 40), std::pair(40, 3), std::pair(33, 65),
                             std::pair(0, 4), std::pair(4, 0)})
    for (const bool wild : {false, true}) {
      const std::string name =
          type + " " + std::to_string(r) + "x" + std::to_string(c) + (wild ? " wild" : "");
      const auto x = matrix<Elem>(r, c, wild);
      for (const int axis : {0, 1, -1}) {
        const std::string along = name + " axis " + std::to_string(axis);
        to.add("sum " + along, [&] {
          return std::tuple(kr::sum(x, kr::axis(axis)), kr::sum(x, kr::axis(axis), kr::keepdims));
        });
        to.add("where " + along,
               [&] { return kr::sum(x, kr::axis(axis), kr::where(x > Elem(0))); });
        to.add("any " + along, [&] {
          return std::tuple(kr::any(x, kr::axis(axis)), kr::count_nonzero(x, kr::axis(axis)));
        });
        if ((axis == 0 ? r : c) == 0) continue;
        to.add("min " + along, [&] {
          return std::tuple(kr::min(x, kr::axis(axis)), kr::max(x, kr::axis(axis), kr::keepdims));
        });
        to.add("argmax " + along, [&] {
          return std::tuple(kr::argmin(x, kr::axis(axis)), kr::argmax(x, kr::axis(axis)));
        });
        to.add("mean " + along, [&] { return kr::mean(x, kr::axis(axis), kr::keepdims); });
        if (!wild)
          to.add("variance " + along, [&] {
            return std::tuple(kr::variance(x, kr::axis(axis)),
                              kr::stddev(x, kr::axis(axis), kr::keepdims));
          });
      }
      to.add("both " + name,
             [&] { return std::tuple(kr::sum(x, kr::axis(0, 1)), kr::prod(x, kr::keepdims)); });
      to.add("transposed " + name, [&] { return kr::sum(x.transpose(), kr::axis(0)); });
      to.add("array_equal " + name, [&] { return kr::array_equal(x, x); });
    }
}

}  // namespace

void reductions(Results& to) {
  of<float>(to, "f32"), of<int>(to, "i32");
  const auto x = row<double>(300, true), y = row<double>(300, false, 2);
  to.add("isclose", [&] { return kr::array<bool>(kr::isclose(x, x, {.equal_nan = true})); });
  to.add("allclose", [&] { return kr::allclose(y, y); });
  to.add("dot", [&] { return std::tuple(kr::dot(y, y), kr::norm(y)); });
  to.add("reduce", [&] {
    return kr::reduce(
        300, 0.0, [](auto a, auto b) { return a + b; },
        [](auto i, auto from) { return from[i] * from[i]; }, y);
  });
  to.add("parallel_for", [&] {
    auto g = kr::zeros<double>(300);
    kr::parallel_for(
        300, [](auto i, auto from, auto into) { into[i] = 2.0 * from[299 - i]; }, y, g);
    return g;
  });
}

}  // namespace krait::test::clean
