// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the cases of cases.py: arrays of any type and rank, and views of them.
#pragma once

#include <istream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <krait/krait.h>

namespace kr = krait;

namespace krait::test {

template <class T>
using Any = std::variant<kr::array<T, 1>, kr::array<T, 2>, kr::array<T, 3>, kr::array<T, 4>,
                         kr::array<T, 5>, kr::array<T, 6>>;

template <class T>
Any<T> as_any(const detail::shared_view& view) {
  switch (view.at.rank) {
    case 1: return Any<T>(std::in_place_index<0>, view);
    case 2: return Any<T>(std::in_place_index<1>, view);
    case 3: return Any<T>(std::in_place_index<2>, view);
    case 4: return Any<T>(std::in_place_index<3>, view);
    case 5: return Any<T>(std::in_place_index<4>, view);
    default: return Any<T>(std::in_place_index<5>, view);
  }
}
template <class T>
detail::layout layout_of(const Any<T>& a) {
  return std::visit([](const auto& x) { return detail::layout_of(x); }, a);
}

inline std::vector<std::int64_t> read_numbers(std::istream& in, int count) {
  std::vector<std::int64_t> n(std::size_t(count), 0);
  for (auto& x : n) in >> x;
  return n;
}
inline std::vector<std::int64_t> read_list(std::istream& in) {
  int count = 0;
  in >> count;
  return read_numbers(in, count);
}

inline detail::slice_item::bound read_bound(std::istream& in) {
  std::string word;
  in >> word;
  if (word == "_") return {};
  return {std::stoll(word), detail::slice_item::number};
}
inline detail::layout read_slice(std::istream& in, const detail::layout& of) {
  int count = 0;
  in >> count;
  std::vector<detail::slice_item> items{std::size_t(count)};
  for (detail::slice_item& item : items) {
    std::string kind;
    in >> kind;
    if (kind == "n") item.kind = detail::slice_item::new_axis;
    if (kind != "n") item.first = read_bound(in);
    if (kind == "i") item.kind = detail::slice_item::index;
    if (kind == "r") item.last = read_bound(in), in >> item.step;
  }
  return detail::slice(of, items.data(), count);
}

/// A view by the functions of arrays' layouts, which those of kr::array call; a reshape that copies
/// by kr::array's own.
template <class T>
Any<T> read_view(std::istream& in, const Any<T>& of) {
  std::string kind;
  in >> kind;
  const detail::layout at = layout_of(of);
  return std::visit(
      [&](const auto& x) -> Any<T> {
        const auto shared = [&](const detail::layout& view) {
          return as_any<T>(detail::view_at(view, x));
        };
        if (kind == "s") return shared(read_slice(in, at));
        if (kind == "p")
          return shared(detail::permute(at, read_numbers(in, at.rank).data(), at.rank));
        if (kind == "f") return shared(detail::flip(at, read_numbers(in, 1).data(), 1));
        if (kind == "q") return shared(detail::squeeze(at, read_numbers(in, 1).data(), 1));
        if (kind == "d") {
          const auto n = read_numbers(in, 3);
          return shared(detail::diagonal(at, n[0], n[1], n[2]));
        }
        const auto extents = read_list(in);
        if (kind == "b")
          return shared(detail::broadcast_to(at, extents.data(), int(extents.size())));
        if (kind != "h") throw std::runtime_error("no view is called " + kind);
        detail::layout view;
        if (detail::reshape(at, extents.data(), int(extents.size()), view)) return shared(view);
        const auto copied = x.copy();
        detail::reshape(detail::layout_of(copied), extents.data(), int(extents.size()), view);
        return as_any<T>(detail::view_at(view, copied));
      },
      of);
}
template <class T>
Any<T> read_views(std::istream& in, const Any<T>& of) {
  int count = 0;
  in >> count;
  Any<T> now = std::visit(
      [](const auto& x) { return as_any<T>(detail::view_at(detail::layout_of(x), x)); }, of);
  for (int i = 0; i < count; ++i) now = read_view<T>(in, now);
  return now;
}

/// A new array whose elements count from 0; its type was read already.
template <class T>
Any<T> read_base(std::istream& in) {
  const auto extents = read_list(in);
  std::vector<T> h(1);
  std::int64_t size = 1;
  for (const std::int64_t e : extents) size *= e;
  h.resize(std::size_t(size));
  for (std::int64_t i = 0; i < size; ++i) h[std::size_t(i)] = T(i);
  const kr::array<T> flat = kr::to_device(h);
  return as_any<T>(
      detail::view_at(detail::dense(extents.data(), int(extents.size()), false), flat));
}

}  // namespace krait::test
