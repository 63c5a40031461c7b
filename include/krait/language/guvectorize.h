// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of whole rows or matrices that broadcast over the other dimensions: NumPy's generalized
// universal functions.
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

/// A call of a generalized function with some settings; call it with the arguments.
template <fixed_text Text, class Lambda, class Signatures, class Outputs>
class generalized_call {
 public:
  generalized_call(kernel_state* state, const Lambda& lambda, const elementwise_place& at,
                   Outputs outputs)
      : state_(state), lambda_(lambda), at_(at), outputs_(outputs) {}

  /// Chooses the device.
  auto on(const device& on) && {
    return generalized_call(state_, lambda_, {at_.in, handle_of(on)}, outputs_);
  }
  /// Chooses the stream.
  auto stream(const krait::stream& in) && {
    return generalized_call(state_, lambda_, {&in, at_.device}, outputs_);
  }
  /// Chooses outputs to write to.
  template <class... To>
  auto into(To&&... outputs) && {
    static_assert(std::tuple_size_v<Outputs> == 0, "give into() once, with all outputs");
    static_assert(
        (stays<To> && ...),
        "into() needs variables, or temporaries that refer to elements, such as std::span");
    using given = std::tuple<To&...>;
    return generalized_call<Text, Lambda, Signatures, given>(state_, lambda_, at_,
                                                             given(outputs...));
  }

  template <class... Args>
  auto operator()(Args&&... args) const {
    static_assert(sizeof...(Args) == core_layout_of<Text>.inputs,
                  "the call and guvectorize's layout differ in their number of inputs");
    if constexpr ((unready<Args> || ...)) {
      return (*this)(as_argument(std::forward<Args>(args))...);
    } else {
      using results =
          typename core_results<Signatures, core_layout_of<Text>.outputs, Args...>::type;
      return generalized_function<Text, Lambda>::template call<results>(state_, lambda_, at_,
                                                                        outputs_, args...);
    }
  }

 private:
  kernel_state* state_;
  const Lambda& lambda_;
  elementwise_place at_;
  Outputs outputs_;
};

}  // namespace detail

/// A function of whole rows or matrices, made by kr::guvectorize.
template <detail::fixed_text Text, class Lambda, class... Signatures>
class generalized : public detail::object {
 public:
  generalized(Lambda lambda, const options& with, detail::location where)
      : object(with, {0, 0, 0}, where), lambda_(std::move(lambda)) {}

  /// Computes the function; dimensions before those of the layout broadcast.
  /// Arguments are arrays and containers, or numbers where the layout has no dimension. The results
  /// are new arrays; if all arguments are containers, one dimension gives a container and no
  /// dimension a number. The result type is the common type of the inputs unless a signature names
  /// another. Throws error{usage} for sizes or shapes that do not fit.
  template <class... Args>
  auto operator()(Args&&... args) const {
    return call()(std::forward<Args>(args)...);
  }
  /// Chooses outputs to write to: `f.into(z)(x, y)`; inputs that overlap them are read first.
  template <class... Outputs>
  auto into(Outputs&&... outputs) const {
    return call().into(std::forward<Outputs>(outputs)...);
  }
  /// Chooses the device; it combines with into(…), as for kr::vectorize.
  auto on(const device& on) const { return call().on(on); }
  /// Chooses the stream; it combines with into(…), as for kr::vectorize.
  auto stream(const krait::stream& in) const { return call().stream(in); }

 private:
  detail::generalized_call<Text, Lambda, std::tuple<Signatures...>, std::tuple<>> call() const {
    return {state(), lambda_, {}, {}};
  }
  Lambda lambda_;
};

/// Makes a function of rows or matrices from a lambda that computes one element of the batch.
/// The layout names the dimensions of each input and output, like NumPy's signature; numbers are
/// fixed sizes. The lambda gets each input, then each output. An input without dimensions is a
/// kr::value. Others, and all outputs, are indexed as x(i, j), x[i] or x(), and have extent(d) and
/// size(). One thread computes one element of the batch. `kr::guvectorize<"(n)->()",
/// double(float)>(f)` also names the result type. A wrong layout does not compile.
/// \code
/// auto mean = kr::guvectorize<"(n)->()">([](auto row, auto m) {
///   kr::var sum = 0.0f;
///   for (auto k : kr::range(row.size())) sum += row[k];
///   m() = sum / kr::cast<float>(row.size());
/// });
/// kr::array<float> means = mean(a);
/// \endcode
template <detail::fixed_text Layout, class... Signatures, class Lambda>
generalized<Layout, Lambda, Signatures...> guvectorize(
    Lambda lambda, options with = {}, detail::location where = detail::location::here()) {
  static_assert(detail::core_layout_of<Layout>.outputs > 0);
  return {std::move(lambda), with, where};
}

}  // namespace krait
