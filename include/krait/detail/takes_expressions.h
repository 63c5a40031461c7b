// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before the end of each header of algorithms that take arrays, which undefines it again:
// the function of arguments of which some are expressions or selections. They become arrays once.
#define KRAIT_TAKES_EXPRESSIONS(function)        \
  template <class... Args>                       \
    requires detail::some_deferred<Args...>      \
  auto function(const Args&... args) {           \
    return function(detail::evaluated(args)...); \
  }
