// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included twice before the end of each header of algorithms that take arrays, to define its macros
// and to undefine them:
//   // functions of arguments of which some are expressions or selections: they become arrays once
//   KRAIT_TAKES_EXPRESSIONS(sort, argsort)
//   // functions whose second argument may be numbers in braces, or a container of the host
//   KRAIT_TAKES_LISTS(dot)
//   // reductions whose axes may be numbers in braces
//   KRAIT_TAKES_AXES(sum)
#ifndef KRAIT_TAKES_EXPRESSIONS
#define KRAIT_PARENS ()
#define KRAIT_MORE1(...) KRAIT_MORE2(KRAIT_MORE2(KRAIT_MORE2(KRAIT_MORE2(__VA_ARGS__))))
#define KRAIT_MORE2(...) KRAIT_MORE3(KRAIT_MORE3(KRAIT_MORE3(KRAIT_MORE3(__VA_ARGS__))))
#define KRAIT_MORE3(...) __VA_ARGS__
#define KRAIT_EACH(macro, first, ...) \
  macro(first) __VA_OPT__(KRAIT_EACH_NEXT KRAIT_PARENS(macro, __VA_ARGS__))
#define KRAIT_EACH_NEXT() KRAIT_EACH
#define KRAIT_TAKES_EXPRESSION(function)         \
  template <class... Args>                       \
    requires detail::some_deferred<Args...>      \
  auto function(const Args&... args) {           \
    return function(detail::evaluated(args)...); \
  }
#define KRAIT_TAKES_LIST(function)                                                            \
  template <detail::whole_array First, detail::listed Elem, std::size_t Count, class... Rest> \
  auto function(const First& first, const Elem(&list)[Count], const Rest&... rest) {          \
    const auto& from = detail::evaluated(first);                                              \
    return function(from, to_device(list, from.device()), rest...);                           \
  }                                                                                           \
  template <detail::whole_array First, std::size_t Count, class... Rest>                      \
  auto function(const First& first, const double(&list)[Count], const Rest&... rest) {        \
    const auto& from = detail::evaluated(first);                                              \
    return function(from, to_device(list, from.device()), rest...);                           \
  }                                                                                           \
  template <detail::whole_array First, detail::listed_container List, class... Rest>          \
  auto function(const First& first, const List& list, const Rest&... rest) {                  \
    const auto& from = detail::evaluated(first);                                              \
    return function(from, to_device(list, from.device()), rest...);                           \
  }
#define KRAIT_TAKES_AXIS(function)                                                    \
  template <detail::whole_array Type, detail::axis_number Axis, std::size_t Count,    \
            class... Options>                                                         \
  auto function(const Type& x, const Axis(&axes)[Count], const Options&... options) { \
    return function(x, detail::axis_list<int(Count)>(axes), options...);              \
  }
#define KRAIT_TAKES_EXPRESSIONS(...) KRAIT_MORE1(KRAIT_EACH(KRAIT_TAKES_EXPRESSION, __VA_ARGS__))
#define KRAIT_TAKES_LISTS(...) KRAIT_MORE1(KRAIT_EACH(KRAIT_TAKES_LIST, __VA_ARGS__))
#define KRAIT_TAKES_AXES(...) KRAIT_MORE1(KRAIT_EACH(KRAIT_TAKES_AXIS, __VA_ARGS__))
#else
#undef KRAIT_PARENS
#undef KRAIT_MORE1
#undef KRAIT_MORE2
#undef KRAIT_MORE3
#undef KRAIT_EACH
#undef KRAIT_EACH_NEXT
#undef KRAIT_TAKES_EXPRESSION
#undef KRAIT_TAKES_LIST
#undef KRAIT_TAKES_AXIS
#undef KRAIT_TAKES_EXPRESSIONS
#undef KRAIT_TAKES_LISTS
#undef KRAIT_TAKES_AXES
#endif
