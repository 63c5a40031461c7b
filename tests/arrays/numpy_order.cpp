// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts, scans, sets and choices of cases.py.
#include "arrays/numpy_order.h"

#include <krait/algorithm/histogram.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/sets.h>

namespace krait::test {
namespace {

/// The arrays of up to three dimensions, which cases have.
template <class T>
Any<double> of_rank(const Any<T>& a, const auto& run) {
  return std::visit(
      [&](const auto& x) -> Any<double> {
        if constexpr (std::remove_cvref_t<decltype(x)>::rank <= 3) return run(x);
        else throw std::runtime_error("cases have up to three dimensions");
      },
      a);
}

}  // namespace

template <class T>
Any<double> run_order(std::istream& in) {
  std::string name;
  std::int64_t axis = 0, k = 0;
  in >> name >> axis >> k;
  return of_rank(read_given<T>(in), [&](const auto& x) -> Any<double> {
    if (name == "sort") return as_doubles(kr::sort(x, kr::axis(axis)));
    if (name == "argsort") return as_doubles(kr::argsort(x, kr::axis(axis)));
    if (name == "descending") return as_doubles(kr::sort(x, kr::axis(axis), kr::descending));
    if (name == "top_k") return as_doubles(kr::top_k(x, k, kr::axis(axis)).places);
    if (name == "cumsum") return as_doubles(kr::cumsum(x, kr::axis(axis)));
    if (name == "cumsum_of_all") return as_doubles(kr::cumsum(x));
    throw std::runtime_error("no order is called " + name);
  });
}

template <class T>
Any<double> run_choice(std::istream& in) {
  std::string name;
  in >> name;
  const kr::array<T> a = read_some<T>(in);
  if (name == "segmented_sort") {
    const kr::array<std::int64_t> cuts = [&] {
      std::int64_t size = 0;
      in >> size;
      std::vector<std::int64_t> offsets{0};
      for (const std::int64_t cut : read_list(in)) offsets.push_back(cut);
      offsets.push_back(size);
      return kr::to_device(offsets);
    }();
    return as_doubles(kr::segmented_sort(a, cuts));
  }
  const kr::array<T> b = read_some<T>(in);
  if (name == "unique") return as_doubles(kr::unique(a));
  if (name == "union1d") return as_doubles(kr::union1d(a, b));
  if (name == "intersect1d") return as_doubles(kr::intersect1d(a, b));
  if (name == "setdiff1d") return as_doubles(kr::setdiff1d(a, b));
  if (name == "setxor1d") return as_doubles(kr::setxor1d(a, b));
  if (name == "isin") return as_doubles(kr::isin(a, b));
  if (name == "left") return as_doubles(kr::searchsorted(b, a));
  if (name == "right") return as_doubles(kr::searchsorted(b, a, kr::side::right));
  if (name == "edges") return as_doubles(kr::histogram(a, b));
  if (name == "even")
    return as_doubles(kr::histogram(a, b.size() < 2 ? 0 : 7, b.size() < 2 ? 0.0 : double(T(b(0))),
                                    b.size() < 2 ? 1.0 : double(T(b(-1)))));
  if (name == "runs") return as_doubles(kr::run_length_encode(a).lengths);
  if (name == "copy_if") return as_doubles(kr::copy_if(a, [](auto x) { return x > 1; }));
  throw std::runtime_error("no choice is called " + name);
}

template <class T>
Any<double> run_pick(std::istream& in) {
  std::string name;
  std::int64_t axis = 0;
  in >> name >> axis;
  const kr::array<std::int64_t> which = kr::to_device(read_list(in));
  return of_rank(read_given<T>(in), [&](const auto& x) -> Any<double> {
    constexpr int rank = std::remove_cvref_t<decltype(x)>::rank;
    if (name == "take") return as_doubles(kr::take(x, which, axis));
    if (name == "compress") return as_doubles(kr::compress(x > 1, x));
    if (name == "rows") return as_doubles(kr::array<T, rank>(x(which)));
    auto to = x.copy();
    const kr::array<T> values = kr::arange<T>(0, T(which.size()), 1);
    if (name == "put") kr::put(to, which, values);
    if (name == "put_mask") to(x > 1) = T(5);
    if constexpr (rank == 1) {
      if (name == "put_rows") to(which) = values;
    } else if constexpr (rank == 2) {
      if (name == "put_rows") to(which) = values(kr::all, kr::newaxis);
    } else {
      if (name == "put_rows") to(which) = values(kr::all, kr::newaxis, kr::newaxis);
    }
    return as_doubles(to);
  });
}

template Any<double> run_order<float>(std::istream&);
template Any<double> run_order<double>(std::istream&);
template Any<double> run_order<unsigned char>(std::istream&);
template Any<double> run_order<std::int64_t>(std::istream&);
template Any<double> run_choice<int>(std::istream&);
template Any<double> run_choice<float>(std::istream&);
template Any<double> run_pick<int>(std::istream&);
template Any<double> run_pick<double>(std::istream&);

}  // namespace krait::test
