// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in kernels that serve all types: what kr::value, kr::var, kr::view and kr::shared are
// for types of the program, for types that are known when a kernel is recorded. A number has one
// scalar, a struct several.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ir/types.h"
#include "krait/algorithm/detail/erased.h"
#include "krait/control.h"
#include "krait/index.h"
#include "krait/warp.h"

namespace krait::host {

using detail::node;
using detail::op;
using detail::scalar;
using Index = value<std::int64_t>;

using ElementType = detail::element_type;
template <class Type>
const ElementType* type_of() {
  return detail::element_type_of<Type>();
}
inline const ElementType* type_of(scalar whole) { return detail::number_type(whole); }
inline std::span<const detail::leaf> scalars_of(const ElementType* type) {
  return {type->scalars, type->count};
}
inline std::uint32_t bytes_of(scalar type) { return ir::size_of(ir::Scalar(type)); }
inline bool is_float(const ElementType* type) { return ir::is_float(ir::Scalar(type->whole)); }

/// A value that does not change.
class Element {
 public:
  Element(const ElementType* type, std::vector<node> scalars)
      : type_(type), scalars_(std::move(scalars)) {}
  Element(scalar type, node number) : Element(type_of(type), {number}) {}
  template <detail::plain Type>
  Element(const value<Type>& x) : Element(type_of<Type>(), {node_of(x)}) {}  // NOLINT: implicit

  const ElementType* type() const { return type_; }
  const node* scalars() const { return scalars_.data(); }
  /// Of a number.
  node only() const { return scalars_[0]; }
  /// As a value of that type, if it is a number.
  template <detail::plain Type>
  value<Type> as() const {
    return value<Type>(detail::convert(detail::scalar_of<Type>, only()));
  }
  Element as(const ElementType* to) const {
    return mapped(to, [](scalar type, node x) { return detail::convert(type, x); });
  }
  Element as(scalar to) const { return as(type_of(to)); }
  /// One of its numbers.
  Element part(std::size_t i) const { return {type_->scalars[i].type, scalars_[i]}; }
  /// change(type of the scalar in `to`, the scalar) of each.
  template <class Change>
  Element mapped(const ElementType* to, const Change& change) const {
    std::vector<node> changed(scalars_.size());
    for (std::size_t i = 0; i < changed.size(); ++i)
      changed[i] = change(to->scalars[i].type, scalars_[i]);
    return {to, std::move(changed)};
  }

 private:
  const ElementType* type_;
  std::vector<node> scalars_;
};

/// Zeros.
inline Element zero_of(const ElementType* type) {
  std::vector<node> zeros;
  for (const detail::leaf& l : scalars_of(type)) zeros.push_back(detail::literal(l.type, 0));
  return {type, std::move(zeros)};
}
inline Element zero_of(scalar type) { return zero_of(type_of(type)); }
/// x where the condition holds, else y, as one operation a scalar.
inline Element choose(const value<bool>& condition, const Element& x, const Element& y) {
  std::vector<node> chosen;
  for (std::size_t i = 0; i < x.type()->count; ++i)
    chosen.push_back(detail::apply(op::Select, x.type()->scalars[i].type, node_of(condition),
                                   x.scalars()[i], y.scalars()[i]));
  return {x.type(), std::move(chosen)};
}
/// One of two numbers, each recorded in a branch of its own.
using Branch = detail::function_ref<Element()>;
inline Element choose(const value<bool>& condition, scalar type, Branch yes, Branch no) {
  return {type, detail::record_select(
                    node_of(condition), type, [&] { return detail::convert(type, yes().only()); },
                    [&] { return detail::convert(type, no().only()); }, detail::location::here())};
}
inline Element choose(const value<bool>& condition, scalar type, Branch yes, const Element& no) {
  return choose(condition, type, yes, [&] { return no; });
}
/// The type in which numbers of a type are computed: C++'s promotion, and float for floats of 8
/// bits.
inline scalar arithmetic_type(scalar type) {
  const ir::Scalar of = ir::Scalar(type);
  if (ir::is_float(of)) return ir::size_of(of) == 1 ? scalar::f32 : type;
  return ir::size_of(of) < 4 ? scalar::i32 : type;
}
/// An operator on two numbers of one type, whose result has that type.
inline Element compute(op what, const Element& x, const Element& y) {
  const scalar type = x.type()->whole;
  const node result = detail::apply(what, arithmetic_type(type), x.only(), y.only());
  return {x.type(), {detail::convert(type, result)}};
}
inline Element operator+(const Element& x, const Element& y) { return compute(op::Add, x, y); }
inline Element operator*(const Element& x, const Element& y) { return compute(op::Mul, x, y); }
/// A sum as an element: of truth values whether it is not 0.
inline Element total_as(const ElementType* to, const Element& sum) {
  if (to->whole != scalar::boolean) return sum.as(to);
  const Element zero = zero_of(sum.type());
  return {to, {detail::apply(op::Ne, sum.type()->whole, sum.only(), zero.only())}};
}
/// A comparison of two numbers of one type.
inline value<bool> compare(op what, const Element& x, const Element& y) {
  return value<bool>(detail::apply(what, arithmetic_type(x.type()->whole), x.only(), y.only()));
}
/// The order of sorts: NaN is last, and equal to itself.
inline value<bool> key_before(const Element& x, const Element& y) {
  if (!is_float(x.type())) return compare(op::Lt, x, y);
  return compare(op::Lt, x, y) || (compare(op::Eq, x, x) && compare(op::Ne, y, y));
}
inline value<bool> same_key(const Element& x, const Element& y) {
  if (!is_float(x.type())) return compare(op::Eq, x, y);
  return compare(op::Eq, x, y) || (compare(op::Ne, x, x) && compare(op::Ne, y, y));
}
/// A user's function of one or two elements.
inline Element call(const detail::element_function& f, const ElementType* result, const Element& x,
                    const Element* y = nullptr) {
  std::vector<node> made(result->count);
  f.record(f.function, x.scalars(), y ? y->scalars() : nullptr, made.data());
  return {result, std::move(made)};
}

/// A mutable local.
class Variable {
 public:
  explicit Variable(const Variable& first) : Variable(Element(first)) {}
  explicit Variable(const Element& first) : type_(first.type()) {
    for (std::size_t i = 0; i < type_->count; ++i)
      slots_.push_back(detail::make_slot(type_->scalars[i].type, first.scalars()[i]));
  }
  Variable(Variable&&) = default;
  void operator=(const Element& x) {
    for (std::size_t i = 0; i < slots_.size(); ++i) detail::assign(slots_[i], x.scalars()[i]);
  }
  void operator=(const Variable& x) { *this = Element(x); }
  /// Of a number.
  void add(const Element& x) { detail::update(op::Add, type_->whole, slots_[0], x.only()); }
  /// The value now.
  Element get() const { return Element(type_, slots_).as(type_); }
  operator Element() const { return get(); }  // NOLINT: implicit on purpose

 private:
  const ElementType* type_;
  std::vector<node> slots_;
};

/// Zeros.
inline std::vector<Variable> variables(scalar type, int count) {
  std::vector<Variable> made;
  for (int i = 0; i < count; ++i) made.emplace_back(zero_of(type));
  return made;
}

/// An element of an array, to read or to assign to.
class Place {
 public:
  Place(const ElementType* type, const detail::place& at) : type_(type), at_(at) {
    if (type->whole == scalar::none) detail::locate(at_);
  }
  Element get() const {
    std::vector<node> loaded;
    for (std::size_t i = 0; i < type_->count; ++i) {
      detail::place p = of(i);
      loaded.push_back(detail::load(p));
    }
    return {type_, std::move(loaded)};
  }
  operator Element() const { return get(); }  // NOLINT: implicit on purpose
  void operator=(const Element& x) const {
    for (std::size_t i = 0; i < type_->count; ++i) detail::store(of(i), x.scalars()[i]);
  }
  void operator=(const Place& x) const { *this = x.get(); }
  /// The place of one scalar.
  detail::place of(std::size_t i) const {
    detail::place p = at_;
    if (type_->whole == scalar::none)
      p.offset += type_->scalars[i].offset, p.type = type_->scalars[i].type;
    return p;
  }

 private:
  const ElementType* type_;
  detail::place at_;
};

/// An array parameter, or a shared array.
class ElementView {
 public:
  ElementView(const ElementType* type, node array, int rank = 1)
      : type_(type), array_(array), rank_(rank) {}
  ElementView(scalar type, node array, int rank = 1) : ElementView(type_of(type), array, rank) {}
  friend node node_of(const ElementView& x) { return x.array_; }
  template <class... Indices>
  Place operator()(const Indices&... indices) const {
    return {type_, {array_, {index(indices)...}, sizeof...(Indices)}};
  }
  Place at(const node* indices, int rank) const {
    detail::place p{array_, {}, std::uint32_t(rank)};
    for (int d = 0; d < rank; ++d) p.indices[d] = indices[d];
    return {type_, p};
  }
  Index extent(int dimension) const { return Index(detail::extent(array_, unsigned(dimension))); }
  int rank() const { return rank_; }
  /// The number of elements.
  Index size() const {
    node all = node_of(extent(0));
    for (int d = 1; d < rank_; ++d) all = node_of(Index(all) * extent(d));
    return Index(all);
  }
  const ElementType* type() const { return type_; }
  /// As a view of that type.
  template <class Type, int Rank = 1>
  view<Type, Rank> as() const {
    return view<Type, Rank>(array_);
  }

 private:
  static node index(const Element& x) { return x.only(); }
  static node index(const Place& x) { return x.get().only(); }
  template <class Type>
  static node index(const Type& x) {
    return node_of(detail::subscript(x));
  }

  const ElementType* type_;
  node array_;
  int rank_;
};
/// The position of the i-th element, the last dimension fastest.
inline std::array<node, detail::max_rank> unflatten(const Index& i, const ElementView& of) {
  std::array<node, detail::max_rank> at;
  node rest = node_of(i);
  for (int d = of.rank() - 1; d >= 0; --d) {
    at[std::size_t(d)] = node_of(Index(rest) % of.extent(d));
    rest = node_of(Index(rest) / of.extent(d));
  }
  return at;
}
/// The first place of `sorted` where x may stand; after equal ones if `right`.
inline Index place_in(const ElementView& sorted, const Element& x, bool right) {
  var<std::int64_t> low = std::int64_t(0), high = sorted.size();
  while_([&] { return low < high; },
         [&] {
           const Index half = low + (high - low) / 2;
           const Element other = sorted(half);
           const value<bool> behind = right ? !key_before(x, other) : key_before(other, x);
           if_(behind, [&] { low = half + 1; }).else_([&] { high = half; });
         });
  return Index(low);
}
inline ElementView shared_elements(const ElementType* type,
                                   std::initializer_list<std::int64_t> extents) {
  return {type,
          detail::make_array(op::Shared, type->whole, type->bytes, extents.begin(),
                             unsigned(extents.size())),
          int(extents.size())};
}
inline ElementView shared_elements(const ElementType* type, std::int64_t count) {
  return shared_elements(type, {count});
}
inline ElementView shared_elements(scalar type, std::initializer_list<std::int64_t> extents) {
  return shared_elements(type_of(type), extents);
}

// Of numbers, in warps.
/// WarpReduce or WarpScan, by addition.
inline Element combine_lanes(op what, const Element& x) {
  return {x.type(), {detail::combine_lanes(what, x.type()->whole, x.only(), 0)}};
}
inline Element shfl(const Element& x, const value<int>& lane) {
  return {x.type(), {detail::apply(op::Shuffle, x.type()->whole, x.only(), node_of(lane))}};
}
inline Element shfl_up(const Element& x, int delta) {
  const value<int> from = lane_id() - delta;
  return shfl(x, select(from < 0, lane_id(), from));
}
inline Element shfl_down(const Element& x, int delta) {
  const value<int> from = lane_id() + delta;
  return shfl(x, select(from >= warp_size(), lane_id(), from));
}

}  // namespace krait::host
