// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow of kernels. C++ if and for on plain values run while recording; the functions here
// are recorded.
#pragma once

#include <krait/detail/control.h>

namespace krait {

/// Runs the body if the condition is not 0; chain .elif_(condition, body) and .else_(body).
/// \code
/// kr::if_(x[i] < 0, [&] { y[i] = 0; }).else_([&] { y[i] = x[i]; });
/// \endcode
template <class Body>
detail::if_chain if_(detail::operand condition, const Body& body,
                     detail::location where = detail::location::here()) {
  detail::check_body<Body>();
  return detail::if_chain(
      detail::record_if(node_of(condition), body, where, expected_of(condition)));
}

/// The condition as a bool that is mostly true: a hint for the code layout.
/// if_ and elif_ follow it on the CPU and on CUDA devices. It never changes a result.
/// \code
/// kr::if_(kr::likely(x[i] >= 0), [&] { y[i] = kr::sqrt(x[i]); });
/// \endcode
template <detail::traced Type>
detail::expected_bool likely(const Type& condition) {
  return {value<bool>(condition), detail::expected::likely};
}
/// The condition as a bool that is mostly false: a hint for the code layout.
/// \code
/// kr::if_(kr::unlikely(x[i] < 0), [&] { y[i] = 0; });
/// \endcode
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

/// Promises that the condition holds here, so that the compiler for CUDA devices may use it.
/// If it does not hold, the behaviour is undefined. The interpreter and checked kernels end the
/// launch with error{usage} instead, as kr::check does.
/// \code
/// kr::assume(n % 4 == 0);
/// \endcode
inline void assume(detail::operand condition, detail::location where = detail::location::here()) {
  detail::perform(detail::op::Assume, detail::scalar::boolean, node_of(condition), where);
}

/// Repeats the body while the condition, a lambda, gives a value that is not 0.
/// \code
/// kr::var k = 0;
/// kr::while_([&] { return k < n; }, [&] { k += 1; });
/// \endcode
template <class Condition, class Body>
void while_(const Condition& condition, const Body& body,
            detail::location where = detail::location::here()) {
  static_assert(
      requires { condition(); },
      "krait: the condition of while_ must be a lambda: while_([&] { return k < n; }, [&] { … })");
  detail::check_body<Body>();
  detail::record_while([&] { return node_of(detail::operand(condition())); }, body, where);
}

/// The loop indices 0 to end - 1, or begin to end - 1, in steps that may be negative.
/// The bounds are read once; the index has their common type. The body is recorded once: leave it
/// with kr::break_, kr::continue_ or kr::return_.
/// \code
/// for (auto k : kr::range(n)) y[k] = x[k];
/// for (auto k : kr::range(n - 1, -1, -1)) y[k] += 1.0f;
/// \endcode
template <detail::range_bound End>
auto range(End end, detail::location where = detail::location::here()) {
  using type = typename detail::range_of<detail::number_t<End>, detail::number_t<End>>::type;
  if constexpr (detail::unread_number<End>) return range(detail::as_number(end), where);
  else if constexpr (detail::plain<End>)
    return detail::plain_range<type, type>(type{}, detail::convert_plain<type>(end), type{1},
                                           where);
  else
    return detail::range_loop<type>(detail::node_of(type{}), detail::bound_node<type>(end),
                                    detail::node_of(type{1}), where);
}
template <detail::range_bound Begin, detail::range_bound End>
auto range(Begin begin, End end, detail::location where = detail::location::here()) {
  using type = typename detail::range_of<detail::number_t<Begin>, detail::number_t<End>>::type;
  if constexpr (detail::unread_number<Begin>) return range(detail::as_number(begin), end, where);
  else if constexpr (detail::unread_number<End>) return range(begin, detail::as_number(end), where);
  else if constexpr (detail::plain<Begin> && detail::plain<End>)
    return detail::plain_range<type, type>(detail::convert_plain<type>(begin),
                                           detail::convert_plain<type>(end), type{1}, where);
  else
    return detail::range_loop<type>(detail::bound_node<type>(begin), detail::bound_node<type>(end),
                                    detail::node_of(type{1}), where);
}
template <detail::range_bound Begin, detail::range_bound End, detail::range_bound Step>
auto range(Begin begin, End end, Step step, detail::location where = detail::location::here()) {
  using type = typename detail::range_of<detail::number_t<Begin>, detail::number_t<End>>::type;
  static_assert(std::is_integral_v<detail::storage_type_t<detail::number_t<Step>>>,
                "krait: the step of a range must be an integer: convert with kr::cast<int>(n)");
  if constexpr (detail::unread_number<Begin>)
    return range(detail::as_number(begin), end, step, where);
  else if constexpr (detail::unread_number<End>)
    return range(begin, detail::as_number(end), step, where);
  else if constexpr (detail::unread_number<Step>)
    return range(begin, end, detail::as_number(step), where);
  else if constexpr (detail::plain<Begin> && detail::plain<End> && detail::plain<Step>)
    return detail::plain_range<type, Step>(detail::convert_plain<type>(begin),
                                           detail::convert_plain<type>(end), step, where);
  else
    return detail::range_loop<type>(detail::bound_node<type>(begin), detail::bound_node<type>(end),
                                    node_of(detail::operand(step)), where);
}

/// The indices 0 to n - 1, divided among all threads of the grid; each is a value<std::int64_t>.
/// \code
/// for (auto k : kr::grid_stride(y.size())) y[k] = x[k];
/// \endcode
inline detail::grid_stride_loop grid_stride(detail::operand n,
                                            detail::location where = detail::location::here()) {
  return {node_of(n), where};
}

/// Chooses a body by a value; chain .case_(value, …, body) and .default_(body).
/// There is no fall-through. kr::break_ leaves the loop around the switch.
/// \code
/// kr::switch_(n).case_(1, [&] { y[i] = 1; }).case_(2, 3, [&] { y[i] = 2; }).default_([&] {
///   y[i] = 0;
/// });
/// \endcode
template <detail::operand_type Type>
detail::switch_chain switch_(const Type& selector,
                             detail::location where = detail::location::here()) {
  using selected = detail::storage_type_t<Type>;
  static_assert(std::is_integral_v<selected> || std::is_enum_v<selected>,
                "krait: switch_ needs an integer or an enumeration");
  return detail::switch_chain(detail::begin_switch(node_of(detail::operand(selector)), where));
}

/// Leaves the innermost recorded loop.
/// \code
/// for (auto k : kr::range(n)) kr::if_(x[k] < 0, [&] { kr::break_(); });
/// \endcode
inline void break_(detail::location where = detail::location::here()) {
  detail::leave(detail::op::Break, where);
}
/// Goes to the next iteration of the innermost recorded loop.
/// \code
/// for (auto k : kr::range(n)) {
///   kr::if_(x[k] < 0, [&] { kr::continue_(); });
///   y[k] = kr::sqrt(x[k]);
/// }
/// \endcode
inline void continue_(detail::location where = detail::location::here()) {
  detail::leave(detail::op::Continue, where);
}
/// Ends the thread; in a kr::function without a result it leaves the function.
/// \code
/// kr::if_(i >= y.size(), [&] { kr::return_(); });
/// \endcode
inline void return_(detail::location where = detail::location::here()) {
  detail::leave(detail::op::Return, where);
}
/// Gives the result of an element-wise function or of a kr::function, and leaves it.
inline void return_(detail::operand result, detail::location where = detail::location::here()) {
  detail::leave_with(node_of(result), where);
}

/// c ? x : y. Both sides are evaluated; a side that is a lambda runs only where it is chosen.
/// If all operands are plain values, the result is a plain value.
/// \code
/// auto root = kr::select(x[i] > 0, [&] { return kr::sqrt(x[i]); }, 0.0f);
/// \endcode
template <class Yes, class No>
auto select(detail::operand condition, Yes yes, No no,
            detail::location where = detail::location::here()) {
  using result = detail::choice_t<typename detail::select_side<Yes>::type,
                                  typename detail::select_side<No>::type>;
  constexpr detail::scalar type = detail::scalar_of<result>;
  if constexpr (detail::operand_type<Yes> && detail::operand_type<No>) {
    detail::set_location(where);
    return value<result>(detail::apply(detail::op::Select, type, node_of(condition),
                                       detail::side_node(yes), detail::side_node(no)));
  } else {
    return value<result>(detail::record_select(
        node_of(condition), type, [&] { return detail::side_node(yes); },
        [&] { return detail::side_node(no); }, where));
  }
}
template <detail::plain Condition, detail::plain_side Yes, detail::plain_side No>
auto select(Condition condition, Yes yes, No no) {
  using result = detail::choice_t<typename detail::select_side<Yes>::type,
                                  typename detail::select_side<No>::type>;
  return detail::convert_plain<bool>(condition) ? detail::plain_side_as<result>(yes)
                                                : detail::plain_side_as<result>(no);
}

}  // namespace krait
