// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise functions: a lambda on scalars that works on numbers, containers and arrays, with NumPy's broadcasting.
#pragma once

#include <tuple>

#include <krait/detail/elementwise.h>
#include <krait/detail/object.h>

namespace krait {

/// A function made by kr::vectorize. `Signatures` are function types that were compiled when it was made; their result types hold
/// for arguments of exactly their types.
template <class Lambda, class... Signatures>
class vectorized : public detail::object {
 public:
  vectorized(Lambda lambda, const options& with, detail::location where)
      : object(with, {0, 0, 0}, where), lambda_(std::move(lambda)) {
    (detail::eager<Lambda, Signatures>::compile(state(), lambda_), ...);
  }

  /// Numbers give a number, computed on the CPU. Containers and arrays give a container or array of the broadcast shape: a
  /// kr::array where one is among the arguments, else the first container's template around the result type. Traced values give
  /// a traced value: the lambda is inlined, and return_(value) in it leaves it alone. Throws error{usage} for shapes that do not
  /// broadcast.
  template <class... Args>
  auto operator()(Args&&... args) const {
    if constexpr ((detail::any_traced<std::remove_cvref_t<Args>> || ...)) {
      return detail::call_inlined([&] { return lambda_(std::forward<Args>(args)...); });
    } else {
      static_assert(sizeof...(Args) > 0, "an element-wise function has at least one argument");
      return detail::elementwise<Lambda, typename detail::results_of<Lambda, std::tuple<Signatures...>, Args...>::type>::call(
          state(), lambda_, nullptr, std::forward<Args>(args)...);
    }
  }

  /// `f.into(z)(x, y)`: writes into z, whose shape the arguments broadcast to. Several outputs for a lambda that returns a tuple.
  template <class... Outputs>
  requires(!std::is_same_v<std::remove_cvref_t<Outputs>, stream> && ...) auto into(Outputs&&... outputs) const {
    static_assert((detail::stays<Outputs> && ...),
                  "into() writes into variables, and into temporaries that refer to elements, as std::span does");
    return [this, &outputs...]<class... Args>(Args&&... args) {
      detail::elementwise_into<Lambda>::call(state(), lambda_, nullptr, std::tie(outputs...), std::forward<Args>(args)...);
    };
  }
  /// The same in a stream.
  template <class... Outputs>
  auto into(const stream& on, Outputs&&... outputs) const {
    static_assert((detail::stays<Outputs> && ...),
                  "into() writes into variables, and into temporaries that refer to elements, as std::span does");
    return [this, &on, &outputs...]<class... Args>(Args&&... args) {
      detail::elementwise_into<Lambda>::call(state(), lambda_, &on, std::tie(outputs...), std::forward<Args>(args)...);
    };
  }

 private:
  Lambda lambda_;
};

/// Makes an element-wise function of a lambda on scalars that ends in `return`.
///   auto add = kr::vectorize([](auto x, auto y) { return x + y; });
template <class Lambda>
requires(!std::is_function_v<Lambda>) vectorized<Lambda> vectorize(Lambda lambda, options with = {},
                                                                   detail::location where = detail::location::here()) {
  return {std::move(lambda), with, where};
}
/// `kr::vectorize<float(float, float), double(double, double)>(f)`: compiled at once for arrays of these types.
template <class Signature, class... Signatures, class Lambda>
requires(std::is_function_v<Signature> && (std::is_function_v<Signatures> && ...))
    vectorized<Lambda, Signature, Signatures...> vectorize(Lambda lambda, options with = {},
                                                           detail::location where = detail::location::here()) {
  return {std::move(lambda), with, where};
}

}  // namespace krait
