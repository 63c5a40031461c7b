// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of a(…) with arrays of indices or masks in some places, and indices, ranges and new
// axes in others, as NumPy's advanced indexing has it.
#pragma once

#include <krait/algorithm/detail/indexing.h>
#include <krait/algorithm/detail/result.h>

namespace krait::detail {

/// An argument of a(…) as the selection keeps it: indices and masks as arrays.
template <class Item>
auto selecting_item(const Item& item) {
  if constexpr (selecting<Item>) return eval(item);
  else return as_number(item);
}
template <class Item>
struct selecting_facts {
  static constexpr bool is_array = selecting<Item>;
  static constexpr bool is_mask = [] {
    if constexpr (selecting<Item>)
      return std::is_same_v<std::remove_const_t<typename Item::element_type>, bool>;
    else return false;
  }();
  /// The dimensions of the array that it selects from, and those of the indices.
  static constexpr int takes = [] {
    if constexpr (is_mask) return Item::rank;
    else return is_new_axis<Item> ? 0 : 1;
  }();
  static constexpr int indices = [] {
    if constexpr (is_mask) return 1;
    else if constexpr (is_array) return Item::rank;
    else return 0;
  }();
  /// An array, or an integer, which takes part in where the indices' dimensions are placed.
  static constexpr bool advanced = is_array || is_index<Item>;
};

/// The elements of a selection in a new array of this type, converted as those of an expression.
template <class To, int Rank, class Selection>
array<To, Rank> read_as(const Selection& x) {
  static_assert(Rank == Selection::rank,
                "krait: the array and the selection differ in their number of dimensions");
  if constexpr (std::is_same_v<To, typename Selection::value_type>) return x.read();
  else return make_expression<cast_elements<To>>(x.read());
}
/// `a(i, j) += x`, where of equal indices one counts, as in NumPy.
template <class Selection>
class selected_assignments : public selected_elements, public deferred_members<Selection> {
// Undefined below.
#define KRAIT_SELECTED_ASSIGNMENT(symbol)               \
 public:                                                \
  template <class Source>                               \
  void operator symbol##=(Source&& y)&& {               \
    Selection& to = static_cast<Selection&>(*this);     \
    const auto now = eval(to);                          \
    std::move(to) = now symbol std::forward<Source>(y); \
  }                                                     \
  template <class Source>                               \
  void operator symbol##=(const Source&)& {             \
    refuse_name<Source>();                              \
  }
  KRAIT_SELECTED_ASSIGNMENT(+)
  KRAIT_SELECTED_ASSIGNMENT(-)
  KRAIT_SELECTED_ASSIGNMENT(*)
  KRAIT_SELECTED_ASSIGNMENT(/)
  KRAIT_SELECTED_ASSIGNMENT(%)
  KRAIT_SELECTED_ASSIGNMENT(&)
  KRAIT_SELECTED_ASSIGNMENT(|)
  KRAIT_SELECTED_ASSIGNMENT(^)
#undef KRAIT_SELECTED_ASSIGNMENT

 protected:
  template <class Source>
  static void refuse_name() {
    static_assert(
        always_false<Source>,
        "krait: `auto s = x(which)` names the selected elements of x: write x(which) = y to change "
        "them, or declare `kr::array s = x(which)` for an array of their values");
  }
};

template <class Elem, int Rank, class... Items>
class mixed_selection : public selected_assignments<mixed_selection<Elem, Rank, Items...>> {
  template <class Item>
  using facts = selecting_facts<Item>;
  static constexpr int taken = (facts<Items>::takes + ... + 0);
  static_assert(taken <= Rank, "too many indices for array: it has fewer dimensions");
  // Dimensions of the view in which index arrays stand for whole dimensions.
  static constexpr int view_rank = Rank + ((is_new_axis<Items> ? 1
                                            : is_index<Items>  ? -1
                                                               : 0) +
                                           ...);
  static constexpr int selected = ((facts<Items>::is_array ? facts<Items>::takes : 0) + ...);
  static constexpr int index_rank = largest({facts<Items>::indices...});
  static constexpr int rest = view_rank - selected;

 public:
  using value_type = std::remove_const_t<Elem>;
  static constexpr int rank = rest + index_rank;
  static_assert(rank <= max_rank && view_rank <= max_rank && rest + 1 <= max_rank,
                "an array has at most 6 dimensions");

  mixed_selection(array<Elem, Rank> of, const Items&... items) : of_(std::move(of)) {
    slice_item list[taken + int(sizeof...(Items)) + 1];
    int count = 0, axis = 0, view_axis = 0;
    const auto place = [&]<class Item>(const Item& item) {
      if constexpr (facts<Item>::is_array) {
        for (int d = 0; d < facts<Item>::takes; ++d) {
          list[count++] = slice_item();
          selected_axes_[found_++] = view_axis++;
        }
        add_indices(item, axis);
      } else {
        list[count++] = item_of(item);
        if (!is_index<Item>) ++view_axis;
      }
      axis += facts<Item>::takes;
    };
    (place(items), ...);
    const layout seen = slice(layout_of(of_), list, count);
    // The selected dimensions first.
    std::int64_t order[max_rank];
    int next = selected;
    for (int i = 0; i < selected; ++i) order[i] = selected_axes_[i];
    for (int d = 0; d < view_rank; ++d) {
      bool is_selected = false;
      for (int i = 0; i < selected; ++i) is_selected |= selected_axes_[i] == d;
      if (!is_selected) order[next++] = d;
    }
    at_ = permute(seen, order, view_rank);
  }

  template <class To, int ToRank>
  operator array<To, ToRank>() const {  // NOLINT: implicit on purpose
    return read_as<To, ToRank>(*this);
  }
  /// The extents of all dimensions.
  shape<rank> extents() const {
    const layout at = placed(dense(rows_shape().extents, 1 + rest, false));
    shape<rank> all;
    for (int d = 0; d < rank; ++d) all.extents[d] = at.extents[d];
    return all;
  }
  /// The elements, in a new array.
  array<value_type, rank> read() const {
    const merged from(*this);
    array<value_type, 1 + rest> out(rows_shape(), of_.device());
    take_rows(erased(from.rows), indices_.share().reshape(-1).copy(), 0, erased(out));
    return view_at(placed(layout_of(out)), out);
  }
  mixed_selection(mixed_selection&&) = default;
  /// Of one of the same type, too: the one that C++ makes would leave the elements alone.
  void operator=(const mixed_selection& source) && {
    std::move(*this).template operator=<const mixed_selection&>(source);
  }
  /// Never usable: the selection has a name.
  template <class Source>
  void operator=(const Source&) & {
    this->template refuse_name<Source>();
  }
  /// Assigns a number, or an array or expression that broadcasts to the selection's shape.
  template <class Source>
  void operator=(Source&& source) && {
    if constexpr (!writable<Elem>()) return;
    array<value_type, 1 + rest> values(rows_shape(), of_.device());
    array<value_type, rank> given(view_at(placed(layout_of(values)), values));
    assign_elements(all_tag(), given, std::forward<Source>(source));
    merged to(*this);
    put_rows(erased(to.rows), indices_.share().reshape(-1).copy(), erased(values));
    to.leave(*this);
  }

 private:
  /// One dimension of all that is selected from, and the rest: the elements themselves where
  /// strides can say that, else a copy.
  struct merged {
    array<Elem, 1 + rest> rows;
    bool copied;
    explicit merged(const mixed_selection& of) {
      std::int64_t extents[1 + rest];
      extents[0] = 1;
      for (int i = 0; i < selected; ++i) extents[0] *= of.at_.extents[i];
      for (int d = 0; d < rest; ++d) extents[1 + d] = of.at_.extents[selected + d];
      layout to;
      copied = !reshape(of.at_, extents, 1 + rest, to);
      if (!copied) {
        rows = array<Elem, 1 + rest>(view_at(to, of.of_));
        return;
      }
      shape<1 + rest> own;
      for (int d = 0; d <= rest; ++d) own.extents[d] = extents[d];
      array<value_type, 1 + rest> copy(own, of.of_.device());
      const layout same = dense(of.at_.extents, view_rank, false);
      copy_elements({memory_of(copy), &same, sizeof(Elem)},
                    {memory_of(of.of_), &of.at_, sizeof(Elem)});
      rows = array<Elem, 1 + rest>(view_at(layout_of(copy), copy));
    }
    /// What was written to a copy.
    void leave(const mixed_selection& to) const {
      if (!copied) return;
      const layout same = dense(to.at_.extents, view_rank, false);
      copy_elements({memory_of(to.of_), &to.at_, sizeof(Elem)},
                    {memory_of(rows), &same, sizeof(Elem)});
    }
  };

  shape<1 + rest> rows_shape() const {
    shape<1 + rest> extents;
    extents.extents[0] = indices_.size();
    for (int d = 0; d < rest; ++d) extents.extents[1 + d] = at_.extents[selected + d];
    return extents;
  }
  /// From rows to the result: the dimensions of the indices stand where those that they select from
  /// do, or first if these are apart.
  layout placed(const layout& rows) const {
    constexpr bool advanced[] = {facts<Items>::advanced...};
    constexpr int yields[] = {(facts<Items>::is_array || is_index<Items> ? 0 : 1)...};
    int before = 0, first = 0, state = 0;
    bool apart = false;
    for (std::size_t i = 0; i < sizeof...(Items); ++i) {
      if (advanced[i]) {
        if (state == 0) first = before, state = 1;
        else if (state == 2) apart = true;
      } else {
        if (state == 1) state = 2;
        before += yields[i];
      }
    }
    const int lead = apart ? 0 : first;
    layout at;
    at.rank = rank, at.offset = rows.offset;
    int to = 0;
    for (int d = 0; d < lead; ++d, ++to)
      at.extents[to] = rows.extents[1 + d], at.strides[to] = rows.strides[1 + d];
    std::int64_t stride = rows.strides[0];
    for (int d = index_rank; d-- > 0; stride *= indices_.extent(d))
      at.extents[to + d] = indices_.extent(d), at.strides[to + d] = stride;
    to += index_rank;
    for (int d = lead; d < rest; ++d, ++to)
      at.extents[to] = rows.extents[1 + d], at.strides[to] = rows.strides[1 + d];
    return at;
  }

  /// One more array: indices of the dimensions that are merged.
  template <class Item>
  void add_indices(const Item& item, int axis) {
    std::int64_t extent = 1;
    for (int d = 0; d < facts<Item>::takes; ++d) extent *= of_.extent(axis + d);
    if constexpr (facts<Item>::is_mask) {
      std::int64_t own[Item::rank];
      for (int d = 0; d < Item::rank; ++d) own[d] = of_.extent(axis + d);
      check_mask_shape(item.extents().extents, own, Item::rank, axis);
      combine(places_of(erased(as_mask(item))), extent);
    } else {
      const auto checked = checked_indices(item.share().reshape(-1), extent, axis);
      combine(with_extents(checked, item.extents()), extent);
    }
  }
  template <int Count>
  void combine(const array<std::int64_t, Count>& indices, std::int64_t extent) {
    // With dimensions before its own.
    layout at;
    at.rank = index_rank, at.offset = layout_of(indices).offset;
    for (int d = 0; d < index_rank; ++d) {
      const int own = d - (index_rank - Count);
      at.extents[d] = own < 0 ? 1 : indices.extent(own);
      at.strides[d] = own < 0 ? 0 : indices.stride(own);
    }
    array<std::int64_t, index_rank> next(view_at(at, indices));
    if (combined_ > 0)
      check_index_shapes(indices_.extents().extents, next.extents().extents, index_rank);
    if (combined_++ == 0) indices_ = std::move(next);
    else indices_ = array<std::int64_t, index_rank>(indices_ * extent + next);
  }

  array<Elem, Rank> of_;
  array<std::int64_t, index_rank> indices_;
  layout at_;
  int selected_axes_[max_rank]{}, found_ = 0, combined_ = 0;
};

template <class Elem, int Rank, class... Items>
inline constexpr bool is_deferred<mixed_selection<Elem, Rank, Items...>> = true;
template <class Elem, int Rank, class... Items>
auto select_mixed(array<Elem, Rank> x, const Items&... items) {
  return mixed_selection<Elem, Rank, Items...>(std::move(x), items...);
}
template <class Elem, int Rank, class... Items>
struct selector<array<Elem, Rank>, item_list<Items...>> {
  static auto of(array<Elem, Rank>&& x, const Items&... items) {
    return select_mixed(std::move(x), selecting_item(items)...);
  }
};

}  // namespace krait::detail
