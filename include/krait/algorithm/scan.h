// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans (cumulative sums, products and more) by any associative operator.
//   auto sums = kr::cumsum(x);                        // of all elements in C order, as NumPy's
//   auto of_rows = kr::cumprod(m, kr::axis(1));
//   auto last = kr::inclusive_scan(x, [](auto a, auto b) { return kr::select(b != 0, b, a); });
#pragma once

#include <krait/algorithm/detail/erased.h>
#include <krait/algorithm/detail/form.h>
#include <krait/expression.h>

namespace krait {
namespace detail {

enum class scan_operator : unsigned char { function, sum, product };
/// What is scanned how. `starts`: an initial element comes before the others, as it does in each
/// exclusive scan.
struct scan_recipe {
  const element_type *from, *to;
  bool exclusive, starts;
  scan_operator by;
  const element_function* function = nullptr;
};
/// Scans along an axis, or without one all elements in C order, into `to`, whose memory has the
/// axis contiguous. Neither is empty. `initial` is an element of the results' type; `how` is the
/// device's form in all but tests.
KRAIT_API void scan(const scan_recipe& recipe, any_array x, const std::int64_t* axis, any_array to,
                    const void* initial, const algorithm_device& how);

template <class Option>
inline constexpr bool is_scan_option = axes_in<Option> == 1 || outputs_in<Option> == 1;
template <class Number>
inline constexpr bool is_scan_option<initial_type<Number>> = true;
template <class Option>
concept scan_option = is_scan_option<std::remove_cvref_t<Option>>;

/// The axis and the start among options; without axis all elements in C order.
template <class Out, class Elem, int Rank, class... Options>
auto scan_array(const array<Elem, Rank>& x, bool exclusive, scan_operator by,
                const element_function* function, const Options&... options) {
  const auto first = option_of<initial_type>::find(options...);
  constexpr bool starts = !std::is_same_v<decltype(first), const std::nullptr_t>;
  Out initial{};
  if constexpr (starts) {
    if constexpr (plain<Out>) initial = convert_plain<Out>(first.value);
    else initial = first.value;
  }
  constexpr bool along_axis = (axes_in<Options> + ... + 0) == 1;
  const std::int64_t axis = axis_in(0, options...);
  const std::int64_t size = x.size();
  auto out = result_in < Out,
       along_axis
           ? Rank
           : 1 > (output_in<0>(options...),
                  along_axis
                      ? axis_back(dense(axis_last(layout_of(x), axis).extents, Rank, false), axis)
                      : dense(&size, 1, false),
                  x.device(), x);
  if (size > 0)
    scan({element_type_of<std::remove_const_t<Elem>>(), element_type_of<Out>(), exclusive, starts,
          by, function},
         erased(x), along_axis ? &axis : nullptr, erased(out.to), &initial,
         algorithm_device_of(x.device()));
  return out.give();
}
template <class Elem, int Rank, class Function, class... Options>
auto scan_by(const array<Elem, Rank>& x, bool exclusive, const Function& function,
             const Options&... options) {
  using out = std::remove_const_t<Elem>;
  return recorded_function<Function, out, out, 2>::with(function, [&](const element_function& f) {
    return scan_array<out>(x, exclusive, scan_operator::function, &f, options...);
  });
}

/// NumPy's type of cumsum and cumprod.
template <class Elem>
using scan_sum_type = std::conditional_t<is_float_v<Elem>, Elem, sum_type<Elem>>;

}  // namespace detail

/// The inclusive scan: out[i] = x[0] op … op x[i], for any associative function.
/// Operands keep their order; elements are numbers or structs. Options are kr::axis(k),
/// kr::initial(v), which comes before x[0], and kr::into(y). Without an axis all elements are
/// scanned in C order into one dimension; another axis than the last is contiguous in the result.
/// Throws error{usage} for an invalid axis, error{device} if memory is short.
/// \code
/// auto maxima = kr::inclusive_scan(x, [](auto p, auto q) { return kr::max(p, q); });
/// \endcode
template <class Elem, int Rank, class Function, detail::scan_option... Options>
auto inclusive_scan(const array<Elem, Rank>& x, const Function& function,
                    const Options&... options) {
  return detail::scan_by(x, false, function, options...);
}
/// The exclusive scan: out[i] = initial op x[0] op … op x[i - 1]; options as for inclusive_scan.
/// \code
/// auto before = kr::exclusive_scan(x, 0.0f, [](auto p, auto q) { return p + q; });
/// \endcode
template <class Elem, int Rank, class Function, detail::scan_option... Options>
auto exclusive_scan(const array<Elem, Rank>& x, std::remove_const_t<Elem> initial,
                    const Function& function, const Options&... options) {
  return detail::scan_by(x, true, function,
                         detail::initial_type<std::remove_const_t<Elem>>{initial}, options...);
}
/// The cumulative sum, as numpy.cumsum: integers in 64 bits, floats in their type.
/// Options as for kr::inclusive_scan.
/// \code
/// auto sums = kr::cumsum(x);
/// \endcode
template <class Elem, int Rank, detail::scan_option... Options>
auto cumsum(const array<Elem, Rank>& x, const Options&... options) {
  if constexpr (detail::complex_number<std::remove_const_t<Elem>>)
    return detail::scan_by(x, false, detail::plus_elements(), options...);
  else
    return detail::scan_array<detail::scan_sum_type<std::remove_const_t<Elem>>>(
        x, false, detail::scan_operator::sum, nullptr, options...);
}
/// The cumulative product, in the types of kr::cumsum and with its options.
/// \code
/// auto products = kr::cumprod(a, kr::axis(1));
/// \endcode
template <class Elem, int Rank, detail::scan_option... Options>
auto cumprod(const array<Elem, Rank>& x, const Options&... options) {
  if constexpr (detail::complex_number<std::remove_const_t<Elem>>)
    return detail::scan_by(x, false, detail::times_elements(), options...);
  else
    return detail::scan_array<detail::scan_sum_type<std::remove_const_t<Elem>>>(
        x, false, detail::scan_operator::product, nullptr, options...);
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(inclusive_scan, exclusive_scan, cumsum, cumprod)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
