// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several sums of one launch: their words are those of each sum, side by side.
#pragma once

#include <krait/algorithm/detail/recipe.h>

namespace krait {

/// What kr::sum gives of several arrays: their sums, in order. It can be unpacked, as a std::array.
/// \code
/// auto [total, squares] = kr::sum(x, x * x);
/// \endcode
template <class Number, int Count>
struct sums {
  /// The sums.
  Number at[Count];

  /// The i-th sum.
  const Number& operator[](std::size_t i) const { return at[i]; }
  /// The first sum.
  const Number* begin() const { return at; }
  /// Behind the last one.
  const Number* end() const { return at + Count; }
  /// Their number.
  static constexpr std::size_t size() { return Count; }
  /// The sum that a name of `auto [a, b]` stands for.
  template <std::size_t Index>
  Number get() const {
    return at[Index];
  }
};

}  // namespace krait

template <class Number, int Count>
struct std::tuple_size<krait::sums<Number, Count>> : std::integral_constant<std::size_t, Count> {};
template <std::size_t Index, class Number, int Count>
struct std::tuple_element<Index, krait::sums<Number, Count>> {
  using type = Number;
};

namespace krait::detail {

/// The most sums of a call.
inline constexpr int most_sums = max_words / 2;

/// Reduces operands of one rank, whose sums have one real type.
template <class First, class... More>
struct sums_glue {
  static constexpr int count = 1 + sizeof...(More), rank = First::rank;
  static constexpr bool one_rank = ((First::rank == More::rank) && ...);
  using number = typename sum_of<operand_element<First>>::result;
  using total = sum_type<number>;
  using each = summing<total>;
  /// Words of one state.
  static constexpr int depth = int(std::tuple_size_v<typename each::state>);
  using leaves =
      leaves_of<decltype(std::tuple_cat(access::arguments(std::declval<const First&>()),
                                        access::arguments(std::declval<const More&>())...))>;
  static constexpr std::size_t nodes = leaves::nodes;

  template <int At, class Source, class... Rest, class Values>
  static void enter_from(node* to, const Values& values) {
    const value<operand_element<Source>> x(access::compute<Source, At>(values));
    *to = node_of(cast<total>(x));
    if constexpr (sizeof...(Rest) > 0)
      enter_from<At + access::leaves<Source>, Rest...>(to + 1, values);
  }
  static words enter(const node* inputs, const reduced_place& at) {
    words x;
    enter_from<0, First, More...>(x.at, leaves::load(inputs, at));
    return x;
  }
  /// An element has the first words of the states, the sums themselves.
  template <class Words, std::size_t... Word>
  static Words one_of(const words& x, int i, std::index_sequence<Word...>) {
    return Words(value<total>(x.at[count * int(Word) + i])...);
  }
  template <class Words>
  static Words one(const words& x, int i) {
    return one_of<Words>(x, i, std::make_index_sequence<std::tuple_size_v<Words>>{});
  }
  template <class Words, std::size_t... Word>
  static void keep(words& to, int i, const Words& x, std::index_sequence<Word...>) {
    ((to.at[count * int(Word) + i] = node_of(std::get<Word>(x))), ...);
  }
  template <class Compute>
  static words each_of(const Compute& compute) {
    words all;
    for (int i = 0; i < count; ++i) {
      const auto x = compute(i);
      keep(all, i, x,
           std::make_index_sequence<std::tuple_size_v<std::remove_const_t<decltype(x)>>>{});
    }
    return all;
  }
  using element = typename each::element;
  using state = typename each::state;
  static words join(const words& x, const words& y) {
    return each_of([&](int i) { return each::join(one<element>(x, i), one<element>(y, i)); });
  }
  static words absorb(const words& x, const words& y) {
    return each_of([&](int i) { return each::absorb(one<state>(x, i), one<element>(y, i)); });
  }
  static words combine(const words& x, const words& y) {
    return each_of([&](int i) { return each::combine(one<state>(x, i), one<state>(y, i)); });
  }
  static words finish(const words& x, node) {
    return each_of([&](int i) {
      return std::tuple{value<number>(cast<number>(each::total(one<state>(x, i))))};
    });
  }
  static const reduction_recipe& recipe() {
    static const auto& made = lasting<sums_glue>([] {
      reduction_recipe r{};
      r.name = "add", r.state_words = count * depth;
      for (int w = 0; w < r.state_words; ++w) r.types[w] = scalar_of<total>;  // all begin at 0
      r.result = scalar_of<number>, r.result_bytes = sizeof(number), r.results = count;
      r.inputs = leaves::parameters.at, r.input_nodes = nodes;
      r.enter = &enter, r.join = &join, r.absorb = &absorb, r.combine = &combine;
      r.finish = &finish;
      return r;
    }());
    return made;
  }
  static reduction_kernels* kernels() {
    static reduction_kernels* const made =
        lasting<sums_glue>(reduction_owner(make_reduction(recipe()))).kernels;
    return made;
  }

  /// What one launch takes, if one can compute them all.
  struct plan {
    argument packed[nodes];
    std::int64_t extents[max_rank]{};
    void* device = nullptr;
    bool one_launch = true;
  };
  template <class Source>
  static argument* add(plan& p, argument* next, const Source& source) {
    argument* const own = next;
    const auto arguments = access::arguments(source);
    std::apply([&](const auto&... from) { (add_input(next, from), ...); }, arguments);
    std::int64_t extents[max_rank]{};
    reduced_shape(reduction_glue<sum_of, Source>::recipe(), own, nodes_of<Source>, false, rank,
                  extents);
    void* const device = choose_device(own, unsigned(nodes_of<Source>));
    const bool first = own == p.packed;
    if (first) p.device = device;
    p.one_launch = p.one_launch && p.device == device;
    for (int d = 0; d < rank; ++d) {
      if (first) p.extents[d] = extents[d];
      p.one_launch = p.one_launch && p.extents[d] == extents[d];
    }
    return next;
  }
  /// False, and nothing is computed, where the operands differ in shape or device.
  static bool run(number* to, const First& x, const More&... more) {
    plan p;
    argument* next = add(p, p.packed, x);
    ((next = add(p, next, more)), ...);
    if (p.one_launch) reduce_to_number(kernels(), p.packed, rank, p.extents, nullptr, to);
    return p.one_launch;
  }
};

}  // namespace krait::detail
