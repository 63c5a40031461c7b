// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of a(indices) and a(mask).
#pragma once

#include <krait/algorithm/detail/indexing.h>
#include <krait/algorithm/detail/mixed_selection.h>

namespace krait::detail {

/// The result of a(which): elements to read, by conversion to an array, or to assign to.
template <class Elem, int Rank, class Which, int WhichRank>
class selection : public selected_assignments<selection<Elem, Rank, Which, WhichRank>> {
 public:
  static constexpr bool by_mask = std::is_same_v<std::remove_const_t<Which>, bool>;
  using value_type = std::remove_const_t<Elem>;
  static constexpr int rank = by_mask ? 1 : Rank;

  selection(array<Elem, Rank> of, array<const Which, WhichRank> which)
      : of_(std::move(of)), which_(std::move(which)) {}

  template <class To, int ToRank>
  operator array<To, ToRank>() const {  // NOLINT: implicit on purpose
    return read_as<To, ToRank>(*this);
  }
  /// The extents of all dimensions. By a mask it waits for the number of elements.
  shape<rank> extents() const {
    if constexpr (by_mask) {
      check_mask(which_.extents(), of_.extents());
      return shape<1>(places_of(erased(as_mask(which_))).size());
    } else {
      shape<Rank> all = of_.extents();
      all.extents[0] = which_.size();
      return all;
    }
  }
  /// The elements, in a new array.
  array<value_type, rank> read() const {
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
  selection(selection&&) = default;
  /// Of one of the same type, too: the one that C++ makes would leave the elements alone.
  void operator=(const selection& source) && {
    std::move(*this).template operator=<const selection&>(source);
  }
  /// Never usable: the selection has a name.
  template <class Source>
  void operator=(const Source&) & {
    this->template refuse_name<Source>();
  }
  /// Assigns a number, or an array or expression: of one dimension for a mask, else one that
  /// broadcasts to the elements' shape.
  template <class Source>
  void operator=(Source&& source) && {
    if constexpr (!writable<Elem>()) return;
    if constexpr (!by_mask) {
      const auto indices = checked_indices(which_, of_.extent(0), 0);
      shape<Rank> extents = of_.extents();
      extents.extents[0] = indices.size();
      array<value_type, Rank> values(extents, of_.device());
      assign_elements(all_tag(), values, std::forward<Source>(source));
      put_rows(erased(of_), indices, erased(values));
    } else if constexpr (plain<std::remove_cvref_t<Source>> ||
                         complex_number<std::remove_cvref_t<Source>>) {
      check_mask(which_.extents(), of_.extents());
      if constexpr (complex_number<value_type>)
        make_expression<chosen_element>(which_, value_type(source), of_).into(of_);
      else
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
inline constexpr bool is_deferred<selection<Elem, Rank, Which, WhichRank>> = true;
/// The elements of a selection, as an operand of expressions.
template <class Selection>
  requires(is_deferred<Selection> && !is_expression<Selection>::value)
auto make_operand(const Selection& x) {
  return make_operand(eval(x));
}

template <class Elem, int Rank, class Which, int WhichRank>
struct selector<array<Elem, Rank>, array<Which, WhichRank>> {
  static auto of(array<Elem, Rank>&& x, const array<Which, WhichRank>& which) {
    using index = std::remove_const_t<Which>;
    if constexpr (WhichRank == (std::is_same_v<index, bool> ? Rank : 1))
      return selection<Elem, Rank, index, WhichRank>(std::move(x), which.share());
    else return select_mixed(std::move(x), which.share());
  }
};
template <class Elem, int Rank, class Which, int WhichRank>
struct selector<array<Elem, Rank>, array_row<Which, WhichRank>>
    : selector<array<Elem, Rank>, array<Which, WhichRank>> {};
template <class Elem, int Rank, class Which>
  requires is_deferred<Which>
struct selector<array<Elem, Rank>, Which> {
  static auto of(array<Elem, Rank>&& x, const Which& which) {
    const auto made = eval(which);
    return selector<array<Elem, Rank>, std::remove_const_t<decltype(made)>>::of(std::move(x), made);
  }
};

}  // namespace krait::detail
