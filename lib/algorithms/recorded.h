// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values whose types the library chooses while it records: one function records a kernel for all
// element types, where a template would be compiled once per type. Sums of numbers have the types
// of their words, of 32 bits or more, so that C++ would not promote them.
#pragma once

#include <vector>

#include "ir/types.h"
#include "krait/krait.h"

namespace krait::host {

using detail::node;
using detail::scalar;
using Index = value<std::int64_t>;

inline std::uint32_t bytes_of(scalar type) { return ir::size_of(ir::Scalar(type)); }

struct Number {
  scalar type;
  node at;
  friend node node_of(const Number& x) { return x.at; }
};
inline Number zero_of(scalar type) { return {type, detail::literal(type, 0)}; }
inline Number convert(scalar type, const Number& x) { return {type, detail::convert(type, x.at)}; }
inline Number operator+(const Number& x, const Number& y) {
  return {x.type, detail::apply(detail::op::Add, x.type, x.at, y.at)};
}
inline Number operator*(const Number& x, const Number& y) {
  return {x.type, detail::apply(detail::op::Mul, x.type, x.at, y.at)};
}
/// One of two, each recorded in a branch of its own.
inline Number choose(const value<bool>& condition, scalar type, detail::function_ref<Number()> yes,
                     detail::function_ref<Number()> no) {
  return {type, detail::record_select(
                    node_of(condition), type, [&] { return detail::convert(type, yes().at); },
                    [&] { return detail::convert(type, no().at); }, detail::location::here())};
}
inline Number choose(const value<bool>& condition, scalar type, detail::function_ref<Number()> yes,
                     const Number& no) {
  return choose(condition, type, yes, [&] { return no; });
}

/// A mutable local; it begins as 0.
class Local {
 public:
  explicit Local(scalar type) : type_(type), slot_(detail::make_slot(type, zero_of(type).at)) {}
  /// The value now.
  Number get() const { return {type_, detail::convert(type_, slot_)}; }
  void set(const Number& x) const { detail::assign(slot_, x.at); }
  void add(const Number& x) const { detail::update(detail::op::Add, type_, slot_, x.at); }

 private:
  scalar type_;
  node slot_;
};
inline std::vector<Local> locals(scalar type, int count) {
  std::vector<Local> made;
  for (int i = 0; i < count; ++i) made.emplace_back(type);
  return made;
}

/// An array of a kernel: a parameter's, or one that threads share.
struct Elements {
  scalar type;
  node array;

  Index extent(unsigned d) const { return Index(detail::extent(array, d)); }
  template <class... Indices>
  static detail::place place_of(node array, const Indices&... at) {
    return {array, {node_of(detail::subscript(at))...}, sizeof...(Indices)};
  }
  template <class... Indices>
  Number at(const Indices&... indices) const {
    detail::place p = place_of(array, indices...);
    return {type, detail::load(p)};
  }
  template <class... Indices>
  void store(const Number& x, const Indices&... indices) const {
    detail::place p = place_of(array, indices...);
    detail::locate(p);
    detail::store(p, x.at);
  }
};
inline Elements shared_elements(scalar type, std::initializer_list<std::int64_t> extents) {
  return {type, detail::make_array(detail::op::Shared, type, bytes_of(type), extents.begin(),
                                   unsigned(extents.size()))};
}

/// Elements that are packs of numbers, of which one is read or stored after the other.
struct Packs {
  scalar type;
  int count;  // of a pack
  node array;

  Index extent(unsigned d) const { return Index(detail::extent(array, d)); }
  template <class... Indices>
  std::vector<Number> at(const Indices&... indices) const {
    detail::place p = Elements::place_of(array, indices...);
    detail::locate(p);
    std::vector<Number> all;
    for (int i = 0; i < count; ++i) {
      detail::place own = part(p, i);
      all.push_back({type, detail::load(own)});
    }
    return all;
  }
  template <class... Indices>
  void store(const std::vector<Local>& x, const Indices&... indices) const {
    detail::place p = Elements::place_of(array, indices...);
    detail::locate(p);
    std::vector<Number> all;
    for (const Local& one : x) all.push_back(one.get());
    for (int i = 0; i < count; ++i) detail::store(part(p, i), all[std::size_t(i)].at);
  }

 private:
  detail::place part(detail::place p, int i) const {
    p.offset += std::uint32_t(i) * bytes_of(type), p.type = type;
    return p;
  }
};

}  // namespace krait::host
