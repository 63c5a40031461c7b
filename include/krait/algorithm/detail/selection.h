// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of a(indices) and a(mask).
#pragma once

#include <krait/algorithm/detail/indexing.h>

namespace krait::detail {

/// The result of a(which): elements to read, by conversion to an array, or to assign to.
template <class Elem, int Rank, class Which, int WhichRank>
class selection {
 public:
  static constexpr bool by_mask = std::is_same_v<std::remove_const_t<Which>, bool>;
  static_assert(
      by_mask || WhichRank == 1,
      "krait: indices must have one dimension here; kr::take accepts any number of dimensions");
  using value_type = std::remove_const_t<Elem>;
  static constexpr int rank = by_mask ? 1 : Rank;

  selection(array<Elem, Rank> of, array<const Which, WhichRank> which)
      : of_(std::move(of)), which_(std::move(which)) {}

  operator array<value_type, rank>() const {  // NOLINT: implicit on purpose
    if constexpr (by_mask) {
      check_mask(which_.extents(), of_.extents());
      return taken(of_, places_of(any_of(as_mask(which_))));
    } else {
      const auto indices = checked_indices(which_, of_.extent(0), 0);
      shape<Rank> extents = of_.extents();
      extents.extents[0] = indices.size();
      array<value_type, Rank> out(extents, of_.device());
      take_rows(any_of(of_), indices, 0, any_of(out));
      return out;
    }
  }
  /// Assigns a number, or an array or expression: of one dimension for a mask, else one that
  /// broadcasts to the elements' shape.
  template <class Source>
  void operator=(Source&& source) && {
    static_assert(!std::is_const_v<Elem>,
                  "this is a selection of a const array: it cannot be written");
    if constexpr (!by_mask) {
      const auto indices = checked_indices(which_, of_.extent(0), 0);
      shape<Rank> extents = of_.extents();
      extents.extents[0] = indices.size();
      array<value_type, Rank> values(extents, of_.device());
      assign_elements(all_tag(), values, std::forward<Source>(source));
      put_rows(any_of(of_), indices, any_of(values));
    } else if constexpr (plain<std::remove_cvref_t<Source>> ||
                         complex_number<std::remove_cvref_t<Source>>) {
      check_mask(which_.extents(), of_.extents());
      if constexpr (complex_number<value_type>)
        make_expression<chosen_element>(which_, value_type(source), of_).into(of_);
      else
        make_expression<chosen_element>(which_, convert_plain<value_type>(source), of_).into(of_);
    } else {
      check_mask(which_.extents(), of_.extents());
      const auto places = places_of(any_of(as_mask(which_)));
      const array<operand_element<decltype(make_operand(source))>, 1> values =
          make_expression<same_elements>(source);
      check_mask_count(values.size(), places.size());
      put_values(of_, places, values);
    }
  }

 private:
  array<Elem, Rank> of_;
  array<const Which, WhichRank> which_;
};

template <class Elem, int Rank, class Which, int WhichRank>
inline constexpr bool is_deferred<selection<Elem, Rank, Which, WhichRank>> = true;
/// kr::eval of a selection.
template <class Elem, int Rank, class Which, int WhichRank>
auto eval(const selection<Elem, Rank, Which, WhichRank>& x) {
  array<std::remove_const_t<Elem>, selection<Elem, Rank, Which, WhichRank>::rank> made = x;
  return made;
}

template <class Elem, int Rank, class Which, int WhichRank>
struct selector<array<Elem, Rank>, array<Which, WhichRank>> {
  static auto of(array<Elem, Rank>&& x, const array<Which, WhichRank>& which) {
    return selection<Elem, Rank, std::remove_const_t<Which>, WhichRank>(std::move(x),
                                                                        which.share());
  }
};
template <class Elem, int Rank, class Function, class... Operands>
struct selector<array<Elem, Rank>, expression<Function, Operands...>> {
  static auto of(array<Elem, Rank>&& x, const expression<Function, Operands...>& which) {
    using element = operand_element<expression<Function, Operands...>>;
    const array<element, expression<Function, Operands...>::rank> made = which;
    return selection<Elem, Rank, element, expression<Function, Operands...>::rank>(std::move(x),
                                                                                   made.share());
  }
};

}  // namespace krait::detail
