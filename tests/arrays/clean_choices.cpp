// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices, segments, searches, histograms, sets, indices.
#include <krait/algorithm/histogram.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/search.h>
#include <krait/algorithm/select.h>
#include <krait/algorithm/sets.h>

#include "arrays/clean.h"

namespace krait::test::clean {
namespace {

template <class Elem>
void of(Results& to, const std::string& type) {
  const auto large = [](auto v) { return v > Elem(2); };
  const auto plus = [](auto a, auto b) { return a + b; };
  const auto some = kr::to_device(std::vector<Elem>{Elem(3), Elem(-4), Elem(20), Elem(7)});
  for (const std::int64_t n : sizes)
    for (const bool wild : {false, true}) {
      const std::string name = type + " " + std::to_string(n) + (wild ? " wild" : "");
      const auto x = row<Elem>(n, wild);
      to.add("copy_if " + name, [&] { return kr::copy_if(x, large); });
      to.add("partition " + name, [&] { return kr::partition(x, large); });
      to.add("unique " + name, [&] { return kr::unique(x); });
      to.add("runs " + name, [&] { return kr::run_length_encode(x); });
      for (const std::int64_t k : {std::int64_t(0), std::int64_t(1), n / 2, n})
        if (k <= n)
          to.add("top_k " + std::to_string(k) + " of " + name, [&] { return kr::top_k(x, k); });
      const auto offsets =
          kr::to_device(std::vector<std::int64_t>{0, 0, n / 3, n / 3, n / 2, n, n});
      to.add("segmented " + name, [&] {
        return std::tuple(kr::segmented_reduce(x, offsets, plus, Elem(1)),
                          kr::segmented_scan(x, offsets, plus));
      });
      to.add("segmented_sort " + name, [&] { return kr::segmented_sort(x, offsets); });
      const auto ascending = kr::sort(x);
      to.add("searchsorted " + name, [&] {
        return std::tuple(kr::searchsorted(ascending, x),
                          kr::searchsorted(ascending, some, kr::side::right));
      });
      to.add("sets " + name, [&] {
        return std::tuple(kr::union1d(x, some), kr::intersect1d(x, some), kr::setdiff1d(x, some),
                          kr::setxor1d(x, some), kr::isin(x, some));
      });
      to.add("histogram " + name, [&] {
        return std::tuple(kr::histogram(x, 5, -10.0, 10.0), kr::histogram(x, 1, 0.0, 1.0));
      });
      const auto edges = kr::to_device(std::vector<Elem>{Elem(-5), Elem(0), Elem(0), Elem(12)});
      to.add("histogram by edges " + name, [&] { return kr::histogram(x, edges); });
      to.add("flatnonzero " + name, [&] {
        return std::tuple(kr::flatnonzero(x > Elem(0)), kr::compress(x > Elem(0), x));
      });
      to.add("where " + name, [&] { return kr::array<Elem>(kr::where(x > Elem(0), x, Elem(7))); });
      if (!n) continue;
      const auto places = kr::to_device(std::vector<std::int64_t>{0, n - 1, -1, n / 2});
      to.add("take " + name, [&] { return kr::take(x, places); });
      to.add("gather " + name, [&] {
        return kr::gather(x, kr::to_device(std::vector<int>{0, int(n - 1), int(n / 2)}));
      });
      to.add("put scatter " + name, [&] {
        auto y = x.copy();
        kr::put(y, kr::to_device(std::vector<std::int64_t>{n - 1}), Elem(5));
        auto z = kr::zeros<Elem>(n + 1);
        kr::scatter(x, kr::arange(n), z);
        return std::tuple(std::move(y), std::move(z));
      });
    }
}

}  // namespace

void choices(Results& to) {
  of<float>(to, "f32"), of<int>(to, "i32");
  const auto many = row<double>(700, true);
  to.add("histogram of many bins", [&] { return kr::histogram(many, 5000, -10.0, 10.0); });
  const auto m = matrix<float>(33, 40, true);
  to.add("take rows", [&] {
    return std::tuple(kr::take(m, kr::to_device(std::vector<int>{3, -1, 0}), 0),
                      kr::take(m, kr::to_device(std::vector<int>{3, -1}), 1));
  });
  to.add("top_k along axes", [&] { return kr::top_k(m, 3, kr::axis(0)); });
}

}  // namespace krait::test::clean
