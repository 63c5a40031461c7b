// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of arrays and expressions, as in NumPy: over all elements, or along axes.
//   float s = kr::sum(x * y);  // one kernel, no array in between; waits for the number
//   kr::array<float, 2> m = kr::max(x, kr::axis(0));   // of a kr::array<float, 3>
//   auto n = kr::norm(x, kr::axis(-1), kr::keepdims);
#pragma once

#include <krait/algorithm/detail/complex_reductions.h>
#include <krait/algorithm/detail/recipe.h>
#include <krait/algorithm/detail/result.h>
#include <krait/algorithm/detail/sums.h>
#include <krait/expression.h>

namespace krait {
namespace detail {

template <class Array>
struct reductions_here {};  // krait/detail/elsewhere.h asks

/// An integer stands for kr::axis of it where it can mean nothing else.
template <class Type>
concept axis_number = std::integral<Type> && sizeof(Type) > 1;
/// The axes of a function: kr::axis(k, l), and for one axis an integer, too.
template <int Count>
struct axis_list {
  std::int64_t at[Count];

  axis_list() = default;
  template <axis_number... Axes>
    requires(sizeof...(Axes) == Count)
  constexpr axis_list(Axes... axes)  // NOLINT: implicit on purpose
      : at{static_cast<std::int64_t>(axes)...} {}
  template <axis_number Axis>
  constexpr explicit axis_list(const Axis (&axes)[Count]) {
    for (int i = 0; i < Count; ++i) at[i] = static_cast<std::int64_t>(axes[i]);
  }
};
template <axis_number... Axes>
axis_list(Axes...) -> axis_list<int(sizeof...(Axes))>;
struct keepdims_type {};
template <class Number>
struct initial_type {
  Number value;
};
template <class Mask>
struct where_type {
  Mask mask;
};

template <class Option>
inline constexpr int axes_in = axis_number<Option> ? 1 : 0;
template <int Count>
inline constexpr int axes_in<axis_list<Count>> = Count;
template <class Option>
inline constexpr bool is_reduction_option =
    axes_in<Option> > 0 || outputs_in<Option> > 0 || std::is_same_v<Option, keepdims_type>;
template <class Number>
inline constexpr bool is_reduction_option<initial_type<Number>> = true;
template <class Mask>
inline constexpr bool is_reduction_option<where_type<Mask>> = true;
template <class Option>
concept reduction_option = is_reduction_option<std::remove_cvref_t<Option>>;
/// Where an integer means something else: kr::max(x, 0) is of each element.
template <class Option>
concept named_option = reduction_option<Option> && !axis_number<std::remove_cvref_t<Option>>;

}  // namespace detail

/// The option of a function that names its axes; negative ones count from the last.
/// One axis may be an integer alone wherever it can mean nothing else: kr::sum(a, 0).
/// \code
/// kr::array<float> sums = kr::sum(a, kr::axis(0));
/// \endcode
template <detail::axis_number... Axes>
  requires(sizeof...(Axes) > 0)
detail::axis_list<int(sizeof...(Axes))> axis(Axes... axes) {
  return {axes...};
}
/// The option of a reduction that keeps its axes with extent 1, so that the result broadcasts.
/// \code
/// kr::array<float, 2> centred = a - kr::sum(a, kr::axis(1), kr::keepdims);
/// \endcode
inline constexpr detail::keepdims_type keepdims{};
/// The option of a reduction for its start value, which is also the result without elements.
/// \code
/// float largest = kr::max(x, kr::initial(0.0f));
/// \endcode
template <class Number>
  requires(detail::plain<Number> || detail::complex_number<Number>)
detail::initial_type<Number> initial(Number x) {
  return {x};
}
/// The option of a reduction that takes only elements where the mask is not 0.
/// The mask is an array or expression that broadcasts. min and max need kr::initial with it, as in
/// NumPy.
/// \code
/// float positive = kr::sum(x, kr::where(x > 0.0f));
/// \endcode
template <detail::whole_array Mask>
auto where(Mask&& mask) {
  using operand = decltype(detail::make_operand(std::forward<Mask>(mask)));
  return detail::where_type<operand>{detail::make_operand(std::forward<Mask>(mask))};
}

namespace detail {

/// The first option of a kind, or what stands for none.
template <template <class...> class Kind>
struct option_of {
  static std::nullptr_t find() { return nullptr; }
  template <class Type, class... Rest>
  static auto find(const Kind<Type>& found, const Rest&...) {
    return found;
  }
  template <class Other, class... Rest>
  static auto find(const Other&, const Rest&... rest) {
    return find(rest...);
  }
};

template <class Option>
unsigned mask_of(const Option& option, int rank) {
  if constexpr (axes_in<Option> != 0) return axes_mask(axis_list(option).at, axes_in<Option>, rank);
  else return 0;
}
template <class Option>
const Option& unmasked(const Option& option) {
  return option;
}
template <class Mask>
no_option unmasked(const where_type<Mask>&) {
  return {};
}

inline std::int64_t axis_in(std::int64_t otherwise) { return otherwise; }
/// The axis among options. An expression is none of them: whoever takes options alone must not be
/// called with one.
template <class First, class... Rest>
  requires(!deferred<First>)
std::int64_t axis_in(std::int64_t otherwise, const First& first, const Rest&... rest) {
  if constexpr (axes_in<First> == 1) return axis_list<1>(first).at[0];
  else return axis_in(otherwise, rest...);
}

/// Reduces `source`, an operand of expressions, by Reducer.
template <template <class> class Reducer, class Source, class... Options>
auto reduce_operand(const Source& source, const Options&... options) {
  constexpr int rank = Source::rank, count = (axes_in<Options> + ... + 0);
  constexpr bool keeps = (std::is_same_v<Options, keepdims_type> || ...);
  static_assert(rank >= 1 && count <= rank, "krait: more axes than dimensions");
  constexpr int result_rank = keeps ? rank : rank - count;
  constexpr bool one = !keeps && (count == 0 || count == rank);
  // A mask is one more operand: the reduction then starts again without the option.
  const auto mask = option_of<where_type>::find(options...);
  if constexpr (!std::is_same_v<decltype(mask), const std::nullptr_t>) {
    return reduce_operand<Reducer>(
        masked<Source, std::remove_cvref_t<decltype(mask.mask)>>{source, mask.mask},
        unmasked(options)...);
  } else {
    using glue = reduction_glue<Reducer, Source>;
    argument packed[glue::input_nodes];
    argument* next = packed;
    const auto arguments = access::arguments(source);
    std::apply([&](const auto&... from) { (add_input(next, from), ...); }, arguments);
    const auto first = option_of<initial_type>::find(options...);
    constexpr bool starts = !std::is_same_v<decltype(first), const std::nullptr_t>;
    // What the library needs has no types from here on: arguments, extents, axes as bits.
    std::int64_t extents[max_rank];
    reduced_shape(glue::recipe(), packed, reduced_nodes<Source>, starts, rank, extents);
    unsigned axes = count == 0 ? (1u << rank) - 1 : 0;
    ((axes |= mask_of(options, rank)), ...);
    std::uint64_t start[max_words]{};
    if constexpr (starts) glue::bits_of_each(glue::reducer::start(first.value), start);
    const std::uint64_t* const initial = starts ? start : nullptr;

    using number = typename glue::result;
    const auto given = output_in<0>(options...);
    if constexpr (one) {
      static_assert(
          std::is_null_pointer_v<decltype(given)>,
          "krait: a reduction to one number returns it: with into(), add kr::axis or kr::keepdims");
      number result;
      reduce_to_number(glue::kernels(), packed, rank, extents, initial, &result);
      return result;
    } else {
      shape<result_rank> out_shape;
      int dims = 0;
      for (int d = 0; d < rank; ++d) {
        if (!(axes >> d & 1)) out_shape.extents[dims++] = extents[d];
        else if (keeps) out_shape.extents[dims++] = 1;
      }
      auto out = result_in<number, result_rank>(
          given, dense(out_shape.extents, result_rank, false),
          device_from(choose_device(packed, glue::input_nodes)), source);
      reduce(glue::kernels(), packed, rank, extents, axes, initial, array_argument(out.to));
      return out.give();
    }
  }
}

template <template <class> class Reducer, class Type, class... Options>
auto reduce_whole(const Type& x, const Options&... options) {
  return reduce_operand<Reducer>(make_operand(x), options...);
}

template <class Type>
using element_in =
    operand_element<decltype(make_operand(std::declval<const std::remove_cvref_t<Type>&>()))>;

/// An option of a reduction to one part.
template <int Part, class Option>
const Option& part_of_option(const Option& option) {
  return option;
}
template <int Part, complex_number Number>
auto part_of_option(const initial_type<Number>& first) {
  using real = typename Number::value_type;
  return initial_type<real>{Part == 0 ? first.value.real() : first.value.imag()};
}
template <int Part, plain Number>
auto part_of_option(const initial_type<Number>& first) {
  return initial_type<Number>{Part == 0 ? first.value : Number()};
}
/// A reduction that NumPy has of complex numbers, too: in parts, by its product or by |z|; else
/// a sentence.
template <template <class> class Reducer, class Type, class... Options>
auto reduce_numbers(const Type& x, const Options&... options) {
  using element = element_in<Type>;
  static_assert(
      !std::is_same_v<Reducer<float>, norm_of<float>> || !(axis_number<Options> || ...),
      "krait: an integer after the array could be the order of a norm: write kr::axis(k)");
  if constexpr (!complex_number<element>) {
    return reduce_whole<Reducer>(x, options...);
  } else if constexpr (std::is_same_v<Reducer<float>, sum_of<float>>) {
    return reduce_both_parts<element>(
        [&]<int Part>(std::integral_constant<int, Part>, const auto&... rest) {
          return reduce_whole<sum_of>(make_expression<part_elements<Part>>(x),
                                      part_of_option<Part>(rest)...);
        },
        options...);
  } else if constexpr (std::is_same_v<Reducer<float>, product_of<float>>) {
    return reduce_both_parts<element>(
        [&]<int Part>(std::integral_constant<int, Part>, const auto&... rest) {
          return reduce_whole<part_of_product<Part>::template of>(x, rest...);
        },
        options...);
  } else if constexpr (std::is_same_v<Reducer<float>, norm_of<float>>) {
    return reduce_whole<norm_of>(make_expression<abs_elements>(x), options...);
  } else {
    static_assert(
        always_false<element>,
        "krait: complex numbers have no order: reduce kr::abs(z), kr::real(z) or kr::imag(z)");
    return false;
  }
}

/// Of one launch where it is possible.
template <class First, class... More>
auto several_sums(const First& x, const More&... more) {
  using number = decltype(reduce_numbers<sum_of>(x));
  static_assert((std::is_same_v<number, decltype(reduce_numbers<sum_of>(more))> && ...),
                "krait: sums of one call have one type: kr::cast makes it the same");
  static_assert(1 + sizeof...(More) <= most_sums,
                "krait: a call has the sums of five arrays: call kr::sum again for more");
  using all = sums<number, 1 + int(sizeof...(More))>;
  using glue = sums_glue<decltype(make_operand(x)), decltype(make_operand(more))...>;
  if constexpr (!complex_number<number> && glue::one_rank) {
    all found{};
    if (glue::run(found.at, make_operand(x), make_operand(more)...)) return found;
  }
  return all{{reduce_numbers<sum_of>(x), reduce_numbers<sum_of>(more)...}};
}

}  // namespace detail

// Undefined below.
#define KRAIT_REDUCTION_BY(reduce, option, function, reducer)    \
  template <detail::whole_array Type, detail::option... Options> \
  auto function(const Type& x, const Options&... options) {      \
    return detail::reduce<detail::reducer>(x, options...);       \
  }
#define KRAIT_REDUCTION(function, reducer) \
  KRAIT_REDUCTION_BY(reduce_numbers, reduction_option, function, reducer)
#define KRAIT_NAMED_REDUCTION(function, reducer) \
  KRAIT_REDUCTION_BY(reduce_numbers, named_option, function, reducer)

/// The sum of all elements of an array or expression, or along axes, as numpy.sum.
/// Integers are added in 64 bits; floats are accurate to about the last bit for any number of
/// elements. No element gives 0. Without kr::axis the call waits and gives a number. Options are
/// kr::axis, kr::keepdims, kr::initial, kr::where and kr::into. Throws error{usage} for an invalid
/// axis.
/// \code
/// float total = kr::sum(x * y);
/// kr::array<float> rows = kr::sum(a, kr::axis(1));
/// \endcode
KRAIT_REDUCTION(sum, sum_of)
/// The sums of up to five arrays or expressions, as kr::sums. Those of one shape are
/// one kernel, which reads what they share once; others take a kernel each. Their type is one.
/// \code
/// auto [total, squares] = kr::sum(x, x * x);
/// \endcode
template <detail::whole_array First, detail::whole_array... More>
  requires(sizeof...(More) > 0)
auto sum(const First& x, const More&... more) {
  return detail::several_sums(x, more...);
}
/// The product of the elements, in the type of kr::sum and with its options; 1 without elements.
/// \code
/// float factor = kr::prod(x);
/// \endcode
KRAIT_REDUCTION(prod, product_of)
/// The smallest element, or NaN if there is one; kr::min of two values drops NaN instead.
/// Options are those of kr::sum. Throws error{usage} without elements unless kr::initial is given.
/// \code
/// float smallest = kr::min(x);
/// \endcode
KRAIT_NAMED_REDUCTION(min, smallest_of)
/// The largest element, or NaN if there is one; kr::max of two values drops NaN instead.
/// Options are those of kr::sum. Throws error{usage} without elements unless kr::initial is given.
/// \code
/// float largest = kr::max(x);
/// \endcode
KRAIT_NAMED_REDUCTION(max, largest_of)
/// The index of the smallest element, the first of equal ones, along an axis or in C order; int64.
/// A NaN counts as the smallest. If kr::where takes no element, it is -1. Options are kr::axis,
/// kr::keepdims, kr::where and kr::into. Throws error{usage} without elements.
/// \code
/// auto index = kr::argmin(x);
/// \endcode
KRAIT_REDUCTION(argmin, place_of_smallest)
/// The index of the largest element, the first of equal ones, along an axis or in C order; int64.
/// A NaN counts as the largest. If kr::where takes no element, it is -1. Options are kr::axis,
/// kr::keepdims, kr::where and kr::into. Throws error{usage} without elements.
/// \code
/// auto index = kr::argmax(x);
/// \endcode
KRAIT_REDUCTION(argmax, place_of_largest)
/// Tests whether some element is not 0; options as for kr::sum.
/// \code
/// bool negative = kr::any(x < 0.0f);
/// \endcode
KRAIT_REDUCTION_BY(reduce_whole, reduction_option, any, whether_any)
/// The number of elements that are not 0; options as for kr::sum.
/// \code
/// auto positive = kr::count_nonzero(x > 0.0f);
/// \endcode
KRAIT_REDUCTION_BY(reduce_whole, reduction_option, count_nonzero, count_of)
/// The Euclidean norm, the square root of the sum of squares; for integers a double.
/// Options as for kr::sum.
/// \code
/// float length = kr::norm(x);
/// \endcode
KRAIT_REDUCTION(norm, norm_of)
#undef KRAIT_NAMED_REDUCTION
#undef KRAIT_REDUCTION
#undef KRAIT_REDUCTION_BY

namespace detail {
/// kr::all(x): whether no element is 0.
template <whole_array Type, reduction_option... Options>
auto every(all_tag, const Type& x, const Options&... options) {
  return reduce_whole<whether_all>(x, options...);
}
}  // namespace detail

/// The dot product of two one-dimensional arrays or expressions; the call waits for the number.
/// <krait/algorithm/matmul.h> has it for more dimensions.
/// \code
/// float product = kr::dot(x, y);
/// \endcode
template <class Left, class Right>
  requires detail::whole_arrays<Left, Right>
auto dot(const Left& x, const Right& y) {
  if constexpr (decltype(x * y)::rank == 1) {
    return sum(x * y);
  } else {
    static_assert(
        requires { dot_of_more(detail::all_tag(), detail::evaluated(x), detail::evaluated(y)); },
        "krait: dot of more than one dimension needs #include <krait/algorithm/matmul.h>");
    return dot_of_more(detail::all_tag(), detail::evaluated(x), detail::evaluated(y));
  }
}

#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_LISTS(dot)
KRAIT_TAKES_AXES(sum, prod, min, max, any, count_nonzero, norm)
#include <krait/detail/takes_expressions.h>

}  // namespace krait

#include <krait/algorithm/moments.h>
