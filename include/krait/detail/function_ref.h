// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reference to something callable, so that the library can call a user's lambda without being a
// template.
#pragma once

#include <krait/detail/cpp20.h>

namespace krait::detail {

template <class Signature>
class function_ref;

template <class Result, class... Args>
class function_ref<Result(Args...)> {
 public:
  template <class Callable>
  function_ref(const Callable& callable) noexcept  // NOLINT: implicit on purpose
      : object_(&callable), call_([](const void* object, Args... args) -> Result {
          return (*static_cast<const Callable*>(object))(args...);
        }) {}
  Result operator()(Args... args) const { return call_(object_, args...); }

 private:
  const void* object_;
  Result (*call_)(const void*, Args...);
};

}  // namespace krait::detail
