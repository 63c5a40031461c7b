// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise functions: a lambda on scalars that works on numbers, containers and arrays, with NumPy's broadcasting.
#pragma once

#include <tuple>

#include <krait/detail/elementwise.h>
#include <krait/detail/object.h>

namespace krait {

namespace detail {

template <class Lambda>
struct methods;  // in krait/algorithm/methods.h

/// A call of an element-wise function, of which some things are said already. Mask and outputs are references, or none.
template <class Lambda, class Signatures, class Mask, class Outputs>
class elementwise_call {
 public:
  elementwise_call(kernel_state* state, const Lambda& lambda, const elementwise_place& at, Mask mask, Outputs outputs)
      : state_(state), lambda_(lambda), at_(at), mask_(std::move(mask)), outputs_(outputs) {}

  auto on(const device& on) && { return std::move(*this).at({at_.in, handle_of(on)}); }
  auto stream(const krait::stream& in) && { return std::move(*this).at({&in, at_.device}); }
  template <class Only>
  auto where(Only&& mask) && {
    static_assert(std::tuple_size_v<Mask> == 0, "give where() once: combine the masks with &");
    using plain = std::remove_cvref_t<Only>;
    if constexpr (requires { plain::leaves; }) {  // an expression, which becomes an array first
      using made = std::tuple<array<bool, plain::rank>>;
      return elementwise_call<Lambda, Signatures, made, Outputs>(state_, lambda_, at_, made(mask), outputs_);
    } else {
      using given = std::tuple<Only&>;
      return elementwise_call<Lambda, Signatures, given, Outputs>(state_, lambda_, at_, given(mask), outputs_);
    }
  }
  template <class... To>
  auto into(To&&... outputs) && {
    static_assert(std::tuple_size_v<Outputs> == 0, "give into() once, with all outputs");
    static_assert((stays<To> && ...),
                  "into() needs variables, or temporaries that refer to elements, such as std::span");
    using given = std::tuple<To&...>;
    return elementwise_call<Lambda, Signatures, Mask, given>(state_, lambda_, at_, std::move(mask_), given(outputs...));
  }

  template <class... Args>
  auto operator()(Args&&... args) const {
    static_assert(sizeof...(Args) > 0, "an element-wise function has at least one argument");
    if constexpr (std::tuple_size_v < Outputs >> 0) {
      elementwise_into<Lambda>::call(state_, lambda_, at_, outputs_, mask_, std::forward<Args>(args)...);
    } else {
      static_assert(std::tuple_size_v<Mask> == 0,
                    "where() needs into(output): without it, elements that the mask leaves out have no value");
      using results = typename results_of<Lambda, Signatures, Args...>::type;
      return elementwise<Lambda, results>::call(state_, lambda_, at_, std::forward<Args>(args)...);
    }
  }

 private:
  auto at(const elementwise_place& at) && { return elementwise_call(state_, lambda_, at, std::move(mask_), outputs_); }

  kernel_state* state_;
  const Lambda& lambda_;
  elementwise_place at_;
  Mask mask_;
  Outputs outputs_;
};

}  // namespace detail

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
      return call()(std::forward<Args>(args)...);
    }
  }

  /// `f.into(z)(x, y)`: writes into z, whose shape the arguments broadcast to. Several outputs for a lambda that returns a tuple. This and
  /// the next three combine: `f.where(mask).on(device).into(z)(x)`.
  template <class... Outputs>
  auto into(Outputs&&... outputs) const {
    return call().into(std::forward<Outputs>(outputs)...);
  }
  /// `f.where(x > 0.0f).into(z)(x)`: computes and writes only where the mask, an array, a container or an expression that broadcasts to
  /// the output, is not 0.
  template <class Mask>
  auto where(Mask&& mask) const {
    return call().where(std::forward<Mask>(mask));
  }
  /// On a device: containers are copied there, numbers computed there. Throws error{usage} at the call for arrays of another one.
  auto on(const device& on) const { return call().on(on); }
  /// In a stream. Throws error{usage} at the call for arrays of another device.
  auto stream(const krait::stream& in) const { return call().stream(in); }

  // The methods of NumPy's universal functions: #include <krait/algorithm/methods.h>. Each throws error{usage} in NumPy's words.

  /// Folds the elements along an axis, the first one unless kr::axis says others: f(f(x0, x1), x2) and so on. Sums, products, extremes and
  /// bitwise operations are found to be so, are shared among threads, and may have several axes; other functions take one element after
  /// the other. Options are those of kr::sum: kr::axis, kr::keepdims, kr::initial, kr::where.
  template <class Elem, int Rank, class... Options>
  auto reduce(const array<Elem, Rank>& x, const Options&... options) const {
    return detail::methods<Lambda>{state(), lambda_}.reduce(x, options...);
  }
  /// The result after each element along an axis; a thread takes a line.
  template <class Elem, int Rank>
  auto accumulate(const array<Elem, Rank>& x, std::int64_t axis = 0) const {
    return detail::methods<Lambda>{state(), lambda_}.accumulate(x, axis);
  }
  /// f of each element of x with each of y: of shape (x's…, y's…).
  template <class Left, int Rank, class Right, int OtherRank>
  auto outer(const array<Left, Rank>& x, const array<Right, OtherRank>& y) const {
    return detail::methods<Lambda>::outer(*this, x, y);
  }
  /// x[i] = f(x[i], other) for one index after the other, so that equal indices add up; below 0 they count from the end. `other` is a
  /// number or as many elements as indices, and missing for functions of one number. Where an index is out of bounds nothing is written.
  template <class Elem, class Index, class... Other>
  void at(array<Elem, 1>& x, const array<Index, 1>& indices, const Other&... other) const {
    detail::methods<Lambda>{state(), lambda_}.at(x, indices, other...);
  }
  /// Folds x from each index to before the next, the last one to the end; the one element where the next index is not above.
  template <class Elem, class Index>
  auto reduceat(const array<Elem, 1>& x, const array<Index, 1>& firsts) const {
    return detail::methods<Lambda>{state(), lambda_}.reduceat(x, firsts);
  }

  /// For those who keep a call as an example: gives it to `Take` with the types of the results.
  template <template <class, class> class Take, class... Args>
  auto pass_to(Args&&... args) const {
    using results = typename detail::results_of<Lambda, std::tuple<Signatures...>, Args...>::type;
    return Take<Lambda, results>::make(state(), lambda_, std::forward<Args>(args)...);
  }

  /// The types it was compiled for, a line each: "f32, f32 -> f32".
  text types() const { return detail::types_of(state()); }

 private:
  detail::elementwise_call<Lambda, std::tuple<Signatures...>, std::tuple<>, std::tuple<>> call() const {
    return {state(), lambda_, {}, {}, {}};
  }
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
