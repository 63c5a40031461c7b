// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow of kernels. Native C++ if and for on plain values run while recording; these words are recorded.
#pragma once

#include <krait/detail/control.h>

namespace krait {

/// Runs the body where the condition is not 0. Chain .elif_(condition, body) and .else_(body).
///   kr::if_(x[i] < 0, [&] { y[i] = 0; }).else_([&] { y[i] = x[i]; });
template <class Body>
detail::if_chain if_(detail::operand condition, const Body& body, detail::location where = detail::location::here()) {
  detail::check_body<Body>();
  return detail::if_chain(detail::record_if(node_of(condition), body, where, expected_of(condition)));
}

/// The condition, as a bool, which mostly holds: if_ and elif_ lay code out for that on the CPU and on CUDA devices. A hint, no more.
///   kr::if_(kr::unlikely(x[i] < 0), [&] { … });
template <detail::traced Type>
detail::expected_bool likely(const Type& condition) {
  return {value<bool>(condition), detail::expected::likely};
}
/// The condition, as a bool, which mostly does not hold.
template <detail::traced Type>
detail::expected_bool unlikely(const Type& condition) {
  return {value<bool>(condition), detail::expected::unlikely};
}
template <detail::plain Type>
constexpr bool likely(Type condition) {
  return detail::convert_plain<bool>(condition);
}
template <detail::plain Type>
constexpr bool unlikely(Type condition) {
  return detail::convert_plain<bool>(condition);
}

/// Promises that the condition holds here, so that the compiler for CUDA devices may make use of it. Where it does not, what the kernel
/// does is undefined; the interpreter and checked kernels end the launch as error{usage}, as kr::check does.
///   kr::assume(n % 4 == 0);
inline void assume(detail::operand condition, detail::location where = detail::location::here()) {
  detail::perform(detail::op::Assume, detail::scalar::boolean, node_of(condition), where);
}

/// Repeats the body as long as the condition, a lambda, gives something that is not 0.
///   kr::while_([&] { return k < limit; }, [&] { k += 1; });
template <class Condition, class Body>
void while_(const Condition& condition, const Body& body, detail::location where = detail::location::here()) {
  static_assert(
      requires { condition(); }, "krait: the condition of while_ must be a lambda: while_([&] { return k < n; }, [&] { … })");
  detail::check_body<Body>();
  detail::record_while([&] { return node_of(detail::operand(condition())); }, body, where);
}

/// `for (auto i : kr::range(n))`: i from 0 below n, from begin below end, in steps that may be negative. The bounds are read
/// once; i has their common type. The body is recorded once: leave it with kr::break_, kr::continue_ and kr::return_.
template <detail::operand_type End>
auto range(End end, detail::location where = detail::location::here()) {
  using type = typename detail::range_of<End, End>::type;
  if constexpr (detail::plain<End>)
    return detail::plain_range<type, type>(type{}, detail::convert_plain<type>(end), type{1}, where);
  else return detail::range_loop<type>(detail::node_of(type{}), detail::bound_node<type>(end), detail::node_of(type{1}), where);
}
template <detail::operand_type Begin, detail::operand_type End>
auto range(Begin begin, End end, detail::location where = detail::location::here()) {
  using type = typename detail::range_of<Begin, End>::type;
  if constexpr (detail::plain<Begin> && detail::plain<End>)
    return detail::plain_range<type, type>(detail::convert_plain<type>(begin), detail::convert_plain<type>(end), type{1}, where);
  else
    return detail::range_loop<type>(detail::bound_node<type>(begin), detail::bound_node<type>(end), detail::node_of(type{1}),
                                    where);
}
template <detail::operand_type Begin, detail::operand_type End, detail::operand_type Step>
auto range(Begin begin, End end, Step step, detail::location where = detail::location::here()) {
  using type = typename detail::range_of<Begin, End>::type;
  static_assert(std::is_integral_v<detail::storage_type_t<Step>>,
                "krait: the step of a range must be an integer: convert with kr::cast<int>(n)");
  if constexpr (detail::plain<Begin> && detail::plain<End> && detail::plain<Step>)
    return detail::plain_range<type, Step>(detail::convert_plain<type>(begin), detail::convert_plain<type>(end), step, where);
  else
    return detail::range_loop<type>(detail::bound_node<type>(begin), detail::bound_node<type>(end),
                                    node_of(detail::operand(step)), where);
}

/// `for (auto i : kr::grid_stride(n))`: the threads of the grid share the indices from 0 below n; i is a value<std::int64_t>.
inline detail::grid_stride_loop grid_stride(detail::operand n, detail::location where = detail::location::here()) {
  return {node_of(n), where};
}

/// `kr::switch_(v).case_(1, [&] { … }).case_(2, 3, [&] { … }).default_([&] { … })`. No fall-through; break_ leaves the loop
/// around the switch.
template <detail::operand_type Type>
detail::switch_chain switch_(const Type& selector, detail::location where = detail::location::here()) {
  using selected = detail::storage_type_t<Type>;
  static_assert(std::is_integral_v<selected> || std::is_enum_v<selected>, "krait: switch_ needs an integer or an enumeration");
  return detail::switch_chain(detail::begin_switch(node_of(detail::operand(selector)), where));
}

/// Leaves the innermost recorded loop.
inline void break_(detail::location where = detail::location::here()) { detail::leave(detail::op::Break, where); }
/// Goes to the next trip of the innermost recorded loop.
inline void continue_(detail::location where = detail::location::here()) { detail::leave(detail::op::Continue, where); }
/// Ends the thread; in a kr::function without result, the function.
inline void return_(detail::location where = detail::location::here()) { detail::leave(detail::op::Return, where); }
/// In an element-wise function: this element's result. In a kr::function: its result.
inline void return_(detail::operand result, detail::location where = detail::location::here()) {
  detail::leave_with(node_of(result), where);
}

/// c ? x : y. Both sides are evaluated, but one that is a lambda only where it is chosen. Of plain values alone: a plain value.
///   auto root = kr::select(v > 0, [&] { return kr::sqrt(v); }, 0.0f);
template <class Yes, class No>
auto select(detail::operand condition, Yes yes, No no, detail::location where = detail::location::here()) {
  using result = detail::choice_t<typename detail::select_side<Yes>::type, typename detail::select_side<No>::type>;
  constexpr detail::scalar type = detail::scalar_of<result>;
  if constexpr (detail::operand_type<Yes> && detail::operand_type<No>) {
    detail::set_location(where);
    return value<result>(
        detail::apply(detail::op::Select, type, node_of(condition), detail::side_node(yes), detail::side_node(no)));
  } else {
    return value<result>(detail::record_select(
        node_of(condition), type, [&] { return detail::side_node(yes); }, [&] { return detail::side_node(no); }, where));
  }
}
template <detail::plain Condition, detail::plain_side Yes, detail::plain_side No>
auto select(Condition condition, Yes yes, No no) {
  using result = detail::choice_t<typename detail::select_side<Yes>::type, typename detail::select_side<No>::type>;
  return detail::convert_plain<bool>(condition) ? detail::plain_side_as<result>(yes) : detail::plain_side_as<result>(no);
}

}  // namespace krait
