// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products by subscripts, as one reduction: kr::einsum for everything but products of
// matrices.
#pragma once

#include <krait/algorithm/detail/numbers.h>
#include <krait/algorithm/detail/subscripts.h>
#include <krait/algorithm/reduce.h>

namespace krait {
namespace detail {

/// Gives the operands all dimensions of a sum; `dimensions` names the dimensions of each operand. A
/// dimension that occurs twice in an operand is a diagonal, one that does not occur repeats. Throws
/// error{usage} in NumPy's words for extents that differ.
KRAIT_API void sum_operands(layout* operands, const int (*dimensions)[max_rank], int operand_count,
                            int count, const char* letters);

/// Products are computed, and added up, in 32 bits where elements have no more, narrow floats in
/// float.
template <class Elem>
using product_word =
    std::conditional_t<is_float_v<Elem> || (sizeof(Elem) > 4), sum_type<Elem>,
                       std::conditional_t<std::is_signed_v<Elem> || std::is_same_v<Elem, bool>,
                                          std::int32_t, std::uint32_t>>;
/// A sum as an element.
template <class Out, class Word>
value<Out> leave_word(const value<Word>& x) {
  if constexpr (std::is_same_v<Out, bool>) return value<Out>(x != 0);
  else return cast<Out>(x);
}
template <class Word>
struct product_of_elements {
  template <class First, class... Rest>
  auto operator()(const First& x, const Rest&... rest) const {
    value<Word> all = cast<Word>(x);
    return times(all, rest...);
  }

 private:
  static value<Word> times(const value<Word>& all) { return all; }
  template <class First, class... Rest>
  static value<Word> times(const value<Word>& all, const First& x, const Rest&... rest) {
    return times(value<Word>(all * cast<Word>(x)), rest...);
  }
};
/// Sums of them as Elem.
template <class Elem>
struct product_sum {
  template <class Word>
  struct of : summing<Word> {
    using result = Elem;
    static constexpr const char* name = "einsum";
    static auto enter(const value<Word>& x, const value<std::int64_t>&) { return std::tuple{x}; }
    static auto finish(const typename of::state& s, const value<std::int64_t>&) {
      if constexpr (std::is_same_v<Elem, bool>) return value<Elem>(of::total(s) != 0);
      else return value<Elem>(cast<Elem>(of::total(s)));
    }
  };
};

/// Of numbers of which some are complex.
struct complex_product_of_elements {
  template <class First, class... Rest>
  auto operator()(const First& x, const Rest&... rest) const {
    if constexpr (sizeof...(Rest) == 0) return x;
    else return (x * ... * rest);
  }
};

template <fixed_text Text>
struct einstein_sum {
  using parsed = parsed_subscripts<Text>;

  /// Which of the sum's dimensions an operand's are.
  template <int Rank, std::size_t Operand, sum_dimensions All>
  static void place(int* dimensions) {
    constexpr subscripts own = parsed::text.operands[Operand];
    static_assert(
        own.named() <= Rank,
        "krait: einstein sum subscripts string contains too many subscripts for an operand");
    static_assert(
        own.has_ellipsis() || own.named() == Rank,
        "krait: operand has more dimensions than subscripts given in einstein sum, but no '...' "
        "ellipsis provided to broadcast the extra dimensions.");
    const int rest = Rank - own.named();
    for (int i = 0; i < own.count; ++i) {
      if (own.letters[i] != '.') *dimensions++ = All.find(own.letters[i]);
      else
        for (int d = 0; d < rest; ++d) *dimensions++ = All.find('.', rest - 1 - d);
    }
  }

  template <int... Ranks>
  static constexpr sum_dimensions all = parsed::dimensions({Ranks...});

  /// The operands with all dimensions, and the dimensions that each has.
  template <class... Elems, int... Ranks, std::size_t... Operands>
  static void prepare(layout* at, int (*dimensions)[max_rank], std::index_sequence<Operands...>,
                      const array<Elems, Ranks>&... operands) {
    static_assert(sizeof...(Elems) == parsed::text.count,
                  "krait: einsum needs as many operands as its subscripts have");
    static_assert(all<Ranks...>.count <= max_rank,
                  "krait: the subscripts of einsum name more than 6 dimensions");
    static_assert(
        all<Ranks...>.ellipsis == 0 || parsed::text.output.has_ellipsis(),
        "krait: output has more dimensions than subscripts given in einstein sum, but no '...' "
        "ellipsis provided to broadcast the extra dimensions.");
    ((at[Operands] = layout_of(operands)), ...);
    (place<Ranks, Operands, all<Ranks...>>(dimensions[Operands]), ...);
    sum_operands(at, dimensions, sizeof...(Elems), all<Ranks...>.count, all<Ranks...>.letters);
  }

  template <class Output, class... Elems, int... Ranks, std::size_t... Operands>
  static auto compute(Output output, const layout* at, std::index_sequence<Operands...>,
                      const array<Elems, Ranks>&... operands) {
    constexpr sum_dimensions all = parsed::dimensions({Ranks...});
    using common = typename common_number<std::remove_const_t<Elems>...>::type;
    constexpr bool complex = complex_number<common>;
    using function = typename std::conditional_t<
        complex, std::type_identity<complex_product_of_elements>,
        std::type_identity<product_of_elements<product_word<common>>>>::type;
    const auto products = make_expression<function>(
        array<const std::remove_const_t<Elems>, all.count>(view_at(at[Operands], operands))...);
    if constexpr (all.count == all.results) {
      std::int64_t extents[all.count];
      for (int d = 0; d < all.count; ++d) {
        extents[d] = 1;
        for (std::size_t o = 0; o < sizeof...(Elems); ++o)
          if (at[o].extents[d] != 1) extents[d] = at[o].extents[d];
      }
      const device on = std::get<0>(std::tie(operands...)).device();
      auto out =
          result_in<common, all.count>(output, dense(extents, all.count, false), on, operands...);
      make_expression<converted_to<common>>(products).into(out.to);
      return out.give();
    } else {
      axis_list<all.count - all.results> summed;
      for (int d = all.results; d < all.count; ++d) summed.at[d - all.results] = d;
      if constexpr (complex && std::is_null_pointer_v<Output>)
        return reduce_numbers<sum_of>(products, summed);
      else if constexpr (complex) return reduce_numbers<sum_of>(products, summed, into(*output));
      else if constexpr (std::is_null_pointer_v<Output>)
        return reduce_operand<product_sum<common>::template of>(products, summed);
      else return reduce_operand<product_sum<common>::template of>(products, summed, into(*output));
    }
  }

 private:
  template <class Elem>
  struct converted_to {
    template <class Type>
    auto operator()(const Type& x) const {
      if constexpr (std::is_same_v<Elem, bool>) return value<bool>(x != 0);
      else return cast_element<Elem>(x);
    }
  };
};

/// The sum as one reduction.
template <fixed_text Subscripts, class Output, class... Elems, int... Ranks>
auto sum_products(Output output, const array<Elems, Ranks>&... operands) {
  layout at[sizeof...(Elems)];
  int dimensions[sizeof...(Elems)][max_rank]{};
  einstein_sum<Subscripts>::prepare(at, dimensions, std::index_sequence_for<Elems...>{},
                                    operands...);
  return einstein_sum<Subscripts>::compute(output, at, std::index_sequence_for<Elems...>{},
                                           operands...);
}

}  // namespace detail
}  // namespace krait
