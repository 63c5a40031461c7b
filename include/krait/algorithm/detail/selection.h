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

  selection(array<Elem, Rank> of, array<const Which, WhichRank> which)
      : of_(std::move(of)), which_(std::move(which)) {}

  operator array<value_type, by_mask ? 1 : Rank>() const {  // NOLINT: implicit on purpose
    if constexpr (by_mask) {
      check_mask(which_.extents(), of_.extents());
      return taken(of_, places_of(erased(as_mask(which_))));
    } else {
      const auto indices = checked_indices(which_, of_.extent(0), 0);
      shape<Rank> extents = of_.extents();
      extents.extents[0] = indices.size();
      array<value_type, Rank> out(extents, of_.device());
      take_rows(erased(of_), indices, 0, erased(out));
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
      put_rows(erased(of_), indices, erased(values));
    } else if constexpr (plain<std::remove_cvref_t<Source>>) {
      check_mask(which_.extents(), of_.extents());
      make_expression<chosen_element>(which_, convert_plain<value_type>(source), of_).into(of_);
    } else {
      check_mask(which_.extents(), of_.extents());
      const auto places = places_of(erased(as_mask(which_)));
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
