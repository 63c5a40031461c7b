// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of whole rows, matrices and the like, which broadcast over the dimensions before them: NumPy's generalized universal functions.
//   auto product = kr::guvectorize<"(m,n),(n,p)->(m,p)">([](auto a, auto b, auto c) {
//     for (auto i : kr::range(a.extent(0)))
//       for (auto j : kr::range(b.extent(1))) {
//         kr::var sum = 0.0f;
//         for (auto k : kr::range(a.extent(1))) sum += a(i, k) * b(k, j);
//         c(i, j) = sum;
//       }
//   });
//   kr::array<float, 3> z = product(x, y);      // of a kr::array<float, 3> x and a kr::array<float, 2> y
#pragma once

#include <krait/detail/generalized.h>
#include <krait/detail/object.h>

namespace krait {
namespace detail {

/// A call of a generalized function, of which some things are said already.
template <fixed_text Text, class Lambda, class Signatures, class Outputs>
class generalized_call {
 public:
  generalized_call(kernel_state* state, const Lambda& lambda, const elementwise_place& at, Outputs outputs)
      : state_(state), lambda_(lambda), at_(at), outputs_(outputs) {}

  auto on(const device& on) && { return generalized_call(state_, lambda_, {at_.in, handle_of(on)}, outputs_); }
  auto stream(const krait::stream& in) && { return generalized_call(state_, lambda_, {&in, at_.device}, outputs_); }
  template <class... To>
  auto into(To&&... outputs) && {
    static_assert(std::tuple_size_v<Outputs> == 0, "give into() once, with all outputs");
    static_assert((stays<To> && ...),
                  "into() needs variables, or temporaries that refer to elements, such as std::span");
    using given = std::tuple<To&...>;
    return generalized_call<Text, Lambda, Signatures, given>(state_, lambda_, at_, given(outputs...));
  }

  template <class... Args>
  auto operator()(Args&&... args) const {
    static_assert(sizeof...(Args) == core_layout_of<Text>.inputs,
                  "the call and guvectorize's layout differ in their number of inputs");
    using results = typename core_results<Signatures, core_layout_of<Text>.outputs, Args...>::type;
    return generalized_function<Text, Lambda>::template call<results>(state_, lambda_, at_, outputs_, args...);
  }

 private:
  kernel_state* state_;
  const Lambda& lambda_;
  elementwise_place at_;
  Outputs outputs_;
};

}  // namespace detail

/// A function made by kr::guvectorize.
template <detail::fixed_text Text, class Lambda, class... Signatures>
class generalized : public detail::object {
 public:
  generalized(Lambda lambda, const options& with, detail::location where)
      : object(with, {0, 0, 0}, where), lambda_(std::move(lambda)) {}

  /// Arrays and containers of at least the layout's dimensions; numbers where it has none. Those before them broadcast. Gives new arrays, a container
  /// where all arguments are containers and there is one dimension, a number where there is none. Their type is the inputs' common one, unless a
  /// signature says another. Throws error{usage}, in NumPy's words, for sizes that differ where the layout has one name, and for shapes that do
  /// not broadcast.
  template <class... Args>
  auto operator()(Args&&... args) const {
    return call()(std::forward<Args>(args)...);
  }
  /// `f.into(z)(x, y)`: writes into arrays and containers of the result's shape. What overlaps them is read first.
  template <class... Outputs>
  auto into(Outputs&&... outputs) const {
    return call().into(std::forward<Outputs>(outputs)...);
  }
  /// On a device, or in a stream; as for kr::vectorize, and together with into(…).
  auto on(const device& on) const { return call().on(on); }
  auto stream(const krait::stream& in) const { return call().stream(in); }

 private:
  detail::generalized_call<Text, Lambda, std::tuple<Signatures...>, std::tuple<>> call() const {
    return {state(), lambda_, {}, {}};
  }
  Lambda lambda_;
};

/// Makes a function of a lambda that computes one element of the batch: it gets what the layout says of each input, then of each output. Names
/// stand for sizes, numbers for themselves; () is one element. An input without dimensions is a kr::value. Others, and all outputs, are
/// indexed by as many numbers as they have dimensions, x(i, j), x[i] or x(), and have extent(d) and size(); outputs are assigned to. A thread has
/// one element of the batch. A layout that is wrong does not compile: the message has the character.
/// `kr::guvectorize<"(n)->()", double(float)>(f)`: results are double for inputs of float.
template <detail::fixed_text Layout, class... Signatures, class Lambda>
generalized<Layout, Lambda, Signatures...> guvectorize(Lambda lambda, options with = {},
                                                       detail::location where = detail::location::here()) {
  static_assert(detail::core_layout_of<Layout>.outputs > 0);
  return {std::move(lambda), with, where};
}

}  // namespace krait
