// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans and sorts.
#include <krait/algorithm/scan.h>
#include <krait/algorithm/sort.h>

#include "arrays/clean.h"

namespace krait::test::clean {
namespace {

template <class Elem>
void of(Results& to, const std::string& type) {
  const auto largest = [](auto a, auto b) { return kr::max(a, b); };
  const auto by_size = [](auto a, auto b) { return a * a < b * b; };
  for (const std::int64_t n : sizes)
    for (const bool wild : {false, true}) {
      const std::string name = type + " " + std::to_string(n) + (wild ? " wild" : "");
      const auto x = row<Elem>(n, wild);
      to.add("cumsum " + name, [&] { return kr::cumsum(x); });
      to.add("inclusive " + name, [&] {
        return std::tuple(kr::inclusive_scan(x, largest),
                          kr::inclusive_scan(x, largest, kr::initial(Elem(3))));
      });
      to.add("exclusive " + name, [&] { return kr::exclusive_scan(x, Elem(1), largest); });
      to.add("sort " + name, [&] { return std::tuple(kr::sort(x), kr::sort(x, kr::descending)); });
      to.add("argsort " + name,
             [&] { return std::tuple(kr::argsort(x), kr::argsort(x, kr::descending)); });
      to.add("sort_by_key " + name, [&] { return kr::sort_by_key(x, kr::arange(n)); });
      if (!wild) to.add("sort by " + name, [&] { return kr::sort(x, by_size); });
    }
  for (const auto& [r, c] : {std::pair(1, 1), std::pair(3, 40), std::pair(40, 3), std::pair(33, 65),
                             std::pair(0, 4), std::pair(4, 0)})
    for (const bool wild : {false, true}) {
      const std::string name =
          type + " " + std::to_string(r) + "x" + std::to_string(c) + (wild ? " wild" : "");
      const auto x = matrix<Elem>(r, c, wild);
      for (const int axis : {0, 1}) {
        const std::string along = name + " axis " + std::to_string(axis);
        to.add("cumsum " + along, [&] {
          return std::tuple(kr::cumsum(x, kr::axis(axis)),
                            kr::inclusive_scan(x, largest, kr::axis(axis)));
        });
        to.add("sort " + along, [&] {
          return std::tuple(kr::sort(x, kr::axis(axis)),
                            kr::sort(x, kr::axis(axis), kr::descending));
        });
        to.add("argsort " + along, [&] { return kr::argsort(x, kr::axis(axis)); });
        to.add("into " + along, [&] {
          kr::array<Elem, 2> y(r, c);
          kr::sort(x, kr::axis(axis), kr::into(y));
          return y;
        });
      }
    }
}

}  // namespace

void rows(Results& to) {
  of<float>(to, "f32"), of<std::int64_t>(to, "i64");
  for (const std::int64_t n : {2048, 2049, 4097}) {
    const auto x = row<unsigned char>(n, true);
    to.add("bytes " + std::to_string(n),
           [&] { return std::tuple(kr::sort(x), kr::argsort(x), kr::cumsum(x)); });
    const auto y = row<int>(n, true);
    to.add("numbers " + std::to_string(n),
           [&] { return std::tuple(kr::sort(y), kr::argsort(y, kr::descending), kr::cumprod(y)); });
  }
}

}  // namespace krait::test::clean
