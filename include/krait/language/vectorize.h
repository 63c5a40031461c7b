// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise functions: a lambda on scalars that works on numbers, containers and arrays, with
// NumPy's broadcasting.
#pragma once

#include <tuple>

#include <krait/detail/elementwise.h>
#include <krait/detail/object.h>

namespace krait {

namespace detail {

template <class Lambda>
struct methods;  // in krait/algorithm/methods.h

/// A call of an element-wise function with some settings; call it with the arguments.
/// Mask and outputs are references, or not there.
template <class Lambda, class Signatures, class Mask, class Outputs>
class elementwise_call {
 public:
  elementwise_call(kernel_state* state, const Lambda& lambda, const elementwise_place& at,
                   Mask mask, Outputs outputs)
      : state_(state), lambda_(lambda), at_(at), mask_(std::move(mask)), outputs_(outputs) {}

  /// Chooses the device.
  auto on(const device& on) && { return std::move(*this).at({at_.in, handle_of(on)}); }
  /// Chooses the stream.
  auto stream(const krait::stream& in) && { return std::move(*this).at({&in, at_.device}); }
  /// Chooses a mask: only elements where it is not 0 are computed and written.
  template <class Only>
  auto where(Only&& mask) && {
    static_assert(std::tuple_size_v<Mask> == 0, "give where() once: combine the masks with &");
    using plain = std::remove_cvref_t<Only>;
    if constexpr (selecting<plain> && !is_device_array<plain>::value) {  // becomes an array first
      using made = std::tuple<array<bool, plain::rank>>;
      return elementwise_call<Lambda, Signatures, made, Outputs>(state_, lambda_, at_, made(mask),
                                                                 outputs_);
    } else {
      using given = std::tuple<Only&>;
      return elementwise_call<Lambda, Signatures, given, Outputs>(state_, lambda_, at_, given(mask),
                                                                  outputs_);
    }
  }
  /// Chooses outputs to write to.
  template <class... To>
  auto into(To&&... outputs) && {
    static_assert(std::tuple_size_v<Outputs> == 0, "give into() once, with all outputs");
    static_assert(
        (stays<To> && ...),
        "into() needs variables, or temporaries that refer to elements, such as std::span");
    using given = std::tuple<To&...>;
    return elementwise_call<Lambda, Signatures, Mask, given>(state_, lambda_, at_, std::move(mask_),
                                                             given(outputs...));
  }

  template <class... Args>
  auto operator()(Args&&... args) const {
    static_assert(sizeof...(Args) > 0, "an element-wise function has at least one argument");
    if constexpr ((unready<Args> || ...)) {
      return (*this)(as_argument(std::forward<Args>(args))...);
    } else if constexpr (std::tuple_size_v<Outputs> != 0) {
      elementwise_into<Lambda>::call(state_, lambda_, at_, outputs_, mask_,
                                     std::forward<Args>(args)...);
    } else {
      static_assert(
          std::tuple_size_v<Mask> == 0,
          "where() needs into(output): without it, elements that the mask leaves out have no value");
      using results = typename results_of<Lambda, Signatures, Args...>::type;
      return elementwise<Lambda, results>::call(state_, lambda_, at_, std::forward<Args>(args)...);
    }
  }

 private:
  auto at(const elementwise_place& at) && {
    return elementwise_call(state_, lambda_, at, std::move(mask_), outputs_);
  }

  kernel_state* state_;
  const Lambda& lambda_;
  elementwise_place at_;
  Mask mask_;
  Outputs outputs_;
};

}  // namespace detail

/// An element-wise function made by kr::vectorize.
/// `Signatures` are the function types that were compiled when it was made. Their result types hold
/// for arguments of exactly these types.
template <class Lambda, class... Signatures>
class vectorized : public detail::object {
 public:
  vectorized(Lambda lambda, const options& with, detail::location where)
      : object(with, {0, 0, 0}, where), lambda_(std::move(lambda)) {
    (detail::eager<Lambda, Signatures>::compile(state(), lambda_), ...);
  }

  /// Computes the function of each element, with NumPy's broadcasting.
  /// Numbers give a number, computed on the CPU. If an argument is a kr::array, the result is one;
  /// otherwise containers give the first container's template with the result type. Traced values
  /// give a traced value: the lambda is inlined there. Throws error{usage} for shapes that do not
  /// broadcast.
  template <class... Args>
  auto operator()(Args&&... args) const {
    if constexpr ((detail::any_traced<std::remove_cvref_t<Args>> || ...)) {
      return detail::call_inlined([&] { return lambda_(std::forward<Args>(args)...); });
    } else {
      return call()(std::forward<Args>(args)...);
    }
  }

  /// Chooses outputs to write to: `f.into(z)(x, y)`; the arguments broadcast to their shape.
  /// A lambda that returns a tuple has several outputs. into, where, on and stream combine:
  /// `f.where(mask).on(device).into(z)(x)`.
  /// \code
  /// auto add = kr::vectorize([](auto p, auto q) { return p + q; });
  /// add.into(y)(x, 1.0f);
  /// \endcode
  template <class... Outputs>
  auto into(Outputs&&... outputs) const {
    return call().into(std::forward<Outputs>(outputs)...);
  }
  /// Computes and writes only where a mask is not 0: `f.where(x > 0.0f).into(z)(x)`.
  /// The mask is an array, a container or an expression that broadcasts to the output.
  /// \code
  /// auto root = kr::vectorize([](auto p) { return kr::sqrt(p); });
  /// root.where(x > 0.0f).into(y)(x);
  /// \endcode
  template <class Mask>
  auto where(Mask&& mask) const {
    return call().where(std::forward<Mask>(mask));
  }
  /// Chooses the device: containers are copied there, and numbers are computed there.
  /// The call throws error{usage} for arrays of another device.
  /// \code
  /// auto square = kr::vectorize([](auto p) { return p * p; });
  /// std::vector<float> squares = square.on(kr::device::cpu())(std::vector<float>{1, 2, 3});
  /// \endcode
  auto on(const device& on) const { return call().on(on); }
  /// Chooses the stream. The call throws error{usage} for arrays of another device.
  auto stream(const krait::stream& in) const { return call().stream(in); }

  // The methods of NumPy's universal functions: #include <krait/algorithm/methods.h>. Each throws
  // error{usage} in NumPy's words.

  /// Reduces along an axis with f: f(f(x0, x1), x2) and so on.
  /// Options are those of kr::sum: kr::axis (default 0), kr::keepdims, kr::initial, kr::where. If f
  /// is a sum, product, minimum, maximum or bitwise operation, threads share the work, and several
  /// axes are allowed. Other functions take one element after the other. It needs
  /// <krait/algorithm/methods.h>.
  /// \code
  /// #include <krait/algorithm/methods.h>
  /// auto add = kr::vectorize([](auto p, auto q) { return p + q; });
  /// kr::array<float> sums = add.reduce(a, kr::axis(0));
  /// \endcode
  template <class Array, class... Options>
  auto reduce(const Array& x, const Options&... options) const {
    return detail::methods<Lambda>{state(), lambda_}.reduce(detail::as_argument(x), options...);
  }
  /// The result after each element along an axis, computed by one thread per line.
  /// It needs <krait/algorithm/methods.h>.
  /// \code
  /// #include <krait/algorithm/methods.h>
  /// auto largest = kr::vectorize([](auto p, auto q) { return kr::max(p, q); });
  /// auto records = largest.accumulate(x);
  /// \endcode
  template <class Array, class Axis = std::int64_t>
  auto accumulate(const Array& x, const Axis& axis = 0) const {
    return detail::methods<Lambda>{state(), lambda_}.accumulate(detail::as_argument(x), axis);
  }
  /// f of each element of x with each element of y; the shape is x's followed by y's.
  /// It needs <krait/algorithm/methods.h>.
  /// \code
  /// #include <krait/algorithm/methods.h>
  /// auto multiply = kr::vectorize([](auto p, auto q) { return p * q; });
  /// kr::array<float, 2> table = multiply.outer(x, y);
  /// \endcode
  template <class Left, class Right>
  auto outer(const Left& x, const Right& y) const {
    return detail::methods<Lambda>::outer(*this, detail::as_argument(x), detail::as_argument(y));
  }
  /// Sets x[i] = f(x[i], other) for one index after the other, so that equal indices accumulate.
  /// Negative indices count from the end. `other` is a number or one element per index; functions
  /// of one number take none. Throws error{usage} for an index out of bounds, and then writes
  /// nothing. It needs <krait/algorithm/methods.h>.
  /// \code
  /// #include <krait/algorithm/methods.h>
  /// auto add = kr::vectorize([](auto p, auto q) { return p + q; });
  /// add.at(x, indices, 1.0f);
  /// \endcode
  template <class Elem, class Indices, class... Other>
  void at(array<Elem, 1>& x, const Indices& indices, const Other&... other) const {
    detail::methods<Lambda>{state(), lambda_}.at(x, detail::as_argument(indices),
                                                 detail::as_argument(other)...);
  }
  /// Of a view: `add.at(a(0), indices, 1.0f)`.
  template <class Elem, class Indices, class... Other>
  void at(array<Elem, 1>&& x, const Indices& indices, const Other&... other) const {
    at(x, indices, other...);
  }
  /// Reduces the parts of x that begin at each index and end before the next one.
  /// If the next index is not larger, the part is one element. It needs
  /// <krait/algorithm/methods.h>.
  /// \code
  /// #include <krait/algorithm/methods.h>
  /// auto add = kr::vectorize([](auto p, auto q) { return p + q; });
  /// auto sums = add.reduceat(x, offsets);
  /// \endcode
  template <class Array, class Firsts>
  auto reduceat(const Array& x, const Firsts& firsts) const {
    return detail::methods<Lambda>{state(), lambda_}.reduceat(detail::as_argument(x),
                                                              detail::as_argument(firsts));
  }

  /// The types it was compiled for, one line each: "f32, f32 -> f32".
  text types() const { return detail::types_of(state()); }

 private:
  friend struct detail::access;
  /// Passes a call to `Take` with the types of the results.
  template <template <class, class> class Take, class... Args>
  auto pass_to(Args&&... args) const {
    using results = typename detail::results_of<Lambda, std::tuple<Signatures...>, Args...>::type;
    return Take<Lambda, results>::make(state(), lambda_, std::forward<Args>(args)...);
  }
  detail::elementwise_call<Lambda, std::tuple<Signatures...>, std::tuple<>, std::tuple<>> call()
      const {
    return {state(), lambda_, {}, {}, {}};
  }
  Lambda lambda_;
};

/// Makes an element-wise function from a lambda on scalars that ends in `return`.
/// \code
/// auto add = kr::vectorize([](auto p, auto q) { return p + q; });
/// std::vector<float> h{1, 2, 3}, sums = add(h, 1.0f);
/// \endcode
template <class Lambda>
  requires(!std::is_function_v<Lambda>)
vectorized<Lambda> vectorize(Lambda lambda, options with = {},
                             detail::location where = detail::location::here()) {
  return {std::move(lambda), with, where};
}
/// Makes an element-wise function and compiles it at once for arrays of these types.
/// \code
/// auto half = kr::vectorize<float(float), double(double)>([](auto v) { return v / 2; });
/// \endcode
template <class Signature, class... Signatures, class Lambda>
  requires(std::is_function_v<Signature> && (std::is_function_v<Signatures> && ...))
vectorized<Lambda, Signature, Signatures...> vectorize(
    Lambda lambda, options with = {}, detail::location where = detail::location::here()) {
  return {std::move(lambda), with, where};
}

}  // namespace krait
