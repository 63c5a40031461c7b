// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The return types of krait/control.h: chains of ifs and cases, loops, and the sides of a choice.
#pragma once

#include <krait/detail/layout.h>
#include <krait/memory.h>

namespace krait {
namespace detail {

template <class Body>
constexpr void check_body() {
  static_assert(
      std::is_void_v<decltype(static_cast<const Body*>(nullptr)->operator()())>,
      "krait: the body of if_, while_ or switch_ must return nothing: assign to a kr::var, or use "
      "kr::select or kr::return_");
}

/// A condition that mostly holds, or mostly does not.
class expected_bool : public value<bool> {
 public:
  expected_bool(const value<bool>& condition, expected mostly)
      : value(condition), mostly_(mostly) {}
  friend expected expected_of(const expected_bool& c) noexcept { return c.mostly_; }

 private:
  expected mostly_;
};

/// The continuation of kr::if_: .elif_ and .else_ follow in the same expression.
class if_chain {
 public:
  explicit if_chain(const mark& at) : mark_(at) {}
  if_chain(const if_chain&) = delete;
  if_chain& operator=(const if_chain&) = delete;

  /// Runs the body if no earlier condition holds and this one is not 0.
  /// The condition is computed only then.
  /// \code
  /// kr::if_(x[i] < 0, [&] { y[i] = -1; }).elif_(x[i] > 0, [&] { y[i] = 1; });
  /// \endcode
  template <class Body>
  if_chain elif_(operand condition, const Body& body, location where = location::here()) && {
    check_body<Body>();
    return if_chain(record_elif(mark_, node_of(condition), body, where, expected_of(condition)));
  }
  /// Runs the body if no condition holds.
  template <class Body>
  void else_(const Body& body, location where = location::here()) && {
    check_body<Body>();
    record_else(mark_, body, where);
  }

 private:
  mark mark_;
};

/// The continuation of kr::switch_: .case_ and .default_ follow in the same expression.
class switch_chain {
 public:
  explicit switch_chain(node at) : node_(at) {}
  switch_chain(const switch_chain&) = delete;
  switch_chain& operator=(const switch_chain&) = delete;

  /// Runs the body for these values: `.case_(1, body)`, `.case_(2, 3, body)`; there is no
  /// fall-through.
  template <class... ValuesAndBody>
  switch_chain case_(const ValuesAndBody&... values_and_body) && {
    constexpr unsigned count = sizeof...(ValuesAndBody) - 1;
    static_assert(count > 0, "krait: case_ takes one or more values and then the body");
    split<count>({}, values_and_body...);
    return switch_chain(node_);
  }
  /// Runs the body for all other values.
  template <class Body>
  void default_(const Body& body, location where = location::here()) && {
    check_body<Body>();
    record_default(node_, body, where);
  }

 private:
  template <unsigned Count>
  struct case_values {
    std::int64_t at[Count];
  };
  template <unsigned Count, class Body>
  void split(const case_values<Count>& values, const Body& body) const {
    check_body<Body>();
    record_case(node_, values.at, Count, body, {});
  }
  template <unsigned Count, unsigned Done = 0, class First, class Second, class... Rest>
  void split(case_values<Count> values, const First& first, const Second& second,
             const Rest&... rest) const {
    static_assert(
        plain_integer<First> || std::is_enum_v<First>,
        "krait: the values of a case must be plain integers or enumerators, and its last argument "
        "must be the body");
    values.at[Count - 1 - sizeof...(Rest)] = static_cast<std::int64_t>(first);
    split<Count>(values, second, rest...);
  }
  node node_;
};

struct loop_end {};

/// The iterator of a recorded loop: the body runs once, between `!=` and `++`.
class loop_iterator {
 public:
  loop_iterator(node index, location where) : index_(index), where_(where) {}
  loop_iterator(const loop_iterator&) = delete;
  loop_iterator& operator=(const loop_iterator&) = delete;
  ~loop_iterator() {
    if (open_) abandon_loop(index_, where_);
  }
  bool operator!=(loop_end) const noexcept { return open_; }
  void operator++() {
    open_ = false;
    end_loop(index_);
  }

 protected:
  node index_;

 private:
  location where_;
  bool open_ = true;
};
template <class Type>
class typed_loop_iterator : public loop_iterator {
 public:
  using loop_iterator::loop_iterator;
  value<Type> operator*() const noexcept { return value<Type>(index_); }
};

template <class Type>
class range_loop {
 public:
  range_loop(node begin, node end, node step, location where)
      : begin_(begin), end_(end), step_(step), where_(where) {}
  typed_loop_iterator<Type> begin() const {
    return {begin_range(scalar_of<Type>, begin_, end_, step_, where_), where_};
  }
  loop_end end() const noexcept { return {}; }

 private:
  node begin_, end_, step_;
  location where_;
};
/// A range of plain bounds: a loop where a kernel is recorded, elsewhere a slice of an array
/// (krait/slice.h). With kr::end or kr::none it is no loop, and has the type of one all the same:
/// `auto low = kr::range(0, -1), high = kr::range(1, kr::none)`.
template <class Type, class Step>
class plain_range {
 public:
  constexpr plain_range(slice_item::bound first, slice_item::bound last, Step by, location where)
      : first_(first), last_(last), step_(by), where_(where) {}
  constexpr plain_range(Type first, Type last, Step by, location where)
      : plain_range(number(first), number(last), by, where) {}
  typed_loop_iterator<Type> begin() const {
    if (first_.origin != slice_item::number || last_.origin != slice_item::number)
      misuse(
          "a range with kr::end or kr::none is a slice of an array: a loop needs two numbers, "
          "as in kr::range(0, x.size())",
          where_);
    return {begin_range(scalar_of<Type>, node_of(number(first_)), node_of(number(last_)),
                        node_of(step_), where_),
            where_};
  }
  loop_end end() const noexcept { return {}; }

  constexpr slice_item::bound first() const noexcept { return clipped(first_); }
  constexpr slice_item::bound last() const noexcept { return clipped(last_); }
  constexpr Step step() const noexcept { return step_; }

 private:
  static constexpr slice_item::bound number(Type x) {
    return {static_cast<std::int64_t>(x), slice_item::number};
  }
  static constexpr Type number(const slice_item::bound& b) { return static_cast<Type>(b.at); }
  /// A number beyond 63 bits is after every element: as a negative one it would count from the end.
  static constexpr slice_item::bound clipped(const slice_item::bound& b) {
    const bool beyond = b.origin == slice_item::number && Type(-1) > Type(0) &&
                        sizeof(Type) >= sizeof b.at && b.at < 0;
    return beyond ? slice_item::bound{INT64_MAX, slice_item::number} : b;
  }

  slice_item::bound first_, last_;
  Step step_;
  location where_;
};
class grid_stride_loop {
 public:
  grid_stride_loop(node bound, location where) : bound_(bound), where_(where) {}
  typed_loop_iterator<std::int64_t> begin() const {
    return {begin_grid_stride(bound_, where_), where_};
  }
  loop_end end() const noexcept { return {}; }

 private:
  node bound_;
  location where_;
};

template <class Begin, class End>
struct range_of {
  static_assert(std::is_integral_v<storage_type_t<Begin>> &&
                    std::is_integral_v<storage_type_t<End>>,
                "krait: the bounds of a range must be integers: convert with kr::cast<int>(n)");
  using type = arith_t<storage_type_t<Begin>, storage_type_t<End>>;
};
/// A bound of a range: a number that may be an element of an array, or a traced one.
template <class Type>
concept range_bound = traced<Type> || host_number<Type>;
template <class Type, operand_type Bound>
node bound_node(const Bound& x) {
  if constexpr (plain<Bound>) return node_of(convert_plain<Type>(x));
  else return node_of(x);
}

/// Calls a lambda whose results no return_ can give: one in it is a misuse, and not the return of
/// the code around it.
template <class Call>
auto call_without_return(const Call& call, const char* why) {
  const auto refuse = [](void* text, node) { misuse(static_cast<const char*>(text), {}); };
  const body_scope body = begin_body(refuse, const_cast<char*>(why));
  auto result = call();
  end_body(body);
  return result;
}

/// Calls an element-wise lambda inside another kernel: return_(value) in it leaves it alone.
template <class Call>
auto call_inlined(const Call& call) {
  using result = std::remove_cvref_t<decltype(call())>;
  if constexpr (operand_type<result>) {
    node kept = make_slot(scalar_of<storage_type_t<result>>, node_of(storage_type_t<result>()));
    const body_scope body =
        begin_body([](void* slot, node x) { assign(*static_cast<const node*>(slot), x); }, &kept);
    assign(kept, node_of(operand(call())));
    end_body(body);
    return value<storage_type_t<result>>(convert(scalar_of<storage_type_t<result>>, kept));
  } else {
    return call_without_return(
        call, "return_ cannot leave a function with several results: end it with its `return`");
  }
}

/// One side of select: a value, or a lambda that gives one.
template <class Side>
struct select_side {
  using type = storage_type_t<Side>;
};
template <class Side>
  requires requires(const Side& side) { side(); }
struct select_side<Side> {
  using type = storage_type_t<
      std::remove_cvref_t<decltype(static_cast<const Side*>(nullptr)->operator()())>>;
};
template <class Side>
node side_node(const Side& side) {
  if constexpr (operand_type<Side>) return node_of(operand(side));
  else return node_of(operand(side()));
}
template <class Side>
concept plain_side = plain<Side> || (!traced<Side> && requires(const Side& side) {
                       side();
                       requires plain<std::remove_cvref_t<decltype(side())>>;
                     });
template <class Result, plain_side Side>
Result plain_side_as(const Side& side) {
  if constexpr (plain<Side>) return convert_plain<Result>(side);
  else return convert_plain<Result>(side());
}

}  // namespace detail
}  // namespace krait
