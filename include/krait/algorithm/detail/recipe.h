// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a reducer and what it reduces to the library's recipe.
#pragma once

#include <krait/algorithm/detail/reducers.h>
#include <krait/expression.h>

namespace krait::detail {

/// An operand of expressions with a mask, another operand: its elements count where the mask is not
/// 0.
template <class Source, class Mask>
struct masked {
  static_assert(Mask::rank <= Source::rank,
                "krait: the mask has more dimensions than the array that is reduced");
  static constexpr int leaves = access::leaves<Source> + access::leaves<Mask>, rank = Source::rank;
  const Source& source;
  const Mask& mask;
  auto arguments() const {
    return std::tuple_cat(access::arguments(source), access::arguments(mask));
  }
  template <int First, class Values>
  static auto compute(const Values& values) {
    return access::compute<Source, First>(values);
  }
};
template <class Source>
struct mask_part {
  template <class Values>
  static words apply(const Values&, const words& element, const words&, const scalar*, int) {
    return element;
  }
};
template <class Source, class Mask>
struct mask_part<masked<Source, Mask>> {
  template <class Values>
  static words apply(const Values& values, const words& element, const words& identity,
                     const scalar* types, int count) {
    const auto holds = access::compute<Mask, access::leaves<Source>>(values) != 0;
    words x;
    for (int w = 0; w < count; ++w)
      x.at[w] = detail::apply(op::Select, types[w], node_of(holds), element.at[w], identity.at[w]);
    return x;
  }
};

/// The arguments of an expression, as parameters of a kernel.
template <class Arguments>
struct leaves_of;
template <class... Args>
struct leaves_of<std::tuple<Args...>> {
  using values = typename operand_values<std::tuple<Args...>>::type;
  static constexpr std::size_t nodes = (input_of<Args>::nodes + ... + 0);
  struct parameter_list {
    parameter_type at[nodes]{};
    constexpr parameter_list() {
      parameter_type* next = at;
      (input_of<Args>::describe(next, 1), ...);
    }
  };
  static constexpr parameter_list parameters{};

  template <class Arg>
  static value<element_of_t<Arg>> load_one(const node*& next, const reduced_place& at) {
    const node* const own = next;
    next += input_of<Arg>::nodes;
    if constexpr (input_of<Arg>::is_array) {
      place p{*own, {}, static_cast<std::uint32_t>(at.rank)};
      for (int d = 0; d < at.rank; ++d) p.indices[d] = at.indices[d];
      return element<element_of_t<Arg>>::read(p);
    } else {
      return parameter_traits<value<element_of_t<Arg>>>::make(own);
    }
  }
  static values load(const node* next, const reduced_place& at) {
    return values{load_one<Args>(next, at)...};  // braces: from left to right
  }
};

template <class Source>
inline constexpr std::size_t nodes_of =
    leaves_of<decltype(access::arguments(std::declval<const Source&>()))>::nodes;
/// Without those of a mask, which come last.
template <class Source>
inline constexpr std::size_t reduced_nodes = nodes_of<Source>;
template <class Source, class Mask>
inline constexpr std::size_t reduced_nodes<masked<Source, Mask>> = nodes_of<Source>;

template <template <class> class Reducer, class Source>
struct reduction_glue {
  using leaves = leaves_of<decltype(access::arguments(std::declval<const Source&>()))>;
  using element_type = operand_element<Source>;
  using reducer = Reducer<element_type>;
  using result = typename reducer::result;
  using element = typename reducer::element;
  using state = typename reducer::state;
  static constexpr std::size_t input_nodes = leaves::nodes;
  static constexpr int element_words = std::tuple_size_v<element>,
                       state_words = std::tuple_size_v<state>;

  template <class... Values>
  static words words_of(const std::tuple<Values...>& x) {
    return std::apply([](const Values&... v) { return words{{node_of(v)...}}; }, x);
  }
  template <class Values, std::size_t... Index>
  static Values values_of(const words& x, std::index_sequence<Index...>) {
    return Values(std::tuple_element_t<Index, Values>(x.at[Index])...);
  }
  static element element_at(const words& x) {
    return values_of<element>(x, std::make_index_sequence<element_words>{});
  }
  static state state_at(const words& x) {
    return values_of<state>(x, std::make_index_sequence<state_words>{});
  }
  template <class... Plain>
  static void bits_of_each(const std::tuple<Plain...>& x, std::uint64_t* to) {
    std::apply([&](const Plain&... each) { ((*to++ = bits_of(each)), ...); }, x);
  }

  static words enter(const node* inputs, const reduced_place& at) {
    const auto values = leaves::load(inputs, at);
    const value<element_type> x(access::compute<Source, 0>(values));
    const reduction_recipe& r = recipe();
    words identity;
    for (int w = 0; w < element_words; ++w) identity.at[w] = literal(r.types[w], r.identity[w]);
    return mask_part<Source>::apply(values,
                                    words_of(reducer::enter(x, value<std::int64_t>(at.number))),
                                    identity, r.types, element_words);
  }
  static words join(const words& x, const words& y) {
    return words_of(reducer::join(element_at(x), element_at(y)));
  }
  static words absorb(const words& x, const words& y) {
    return words_of(reducer::absorb(state_at(x), element_at(y)));
  }
  static words combine(const words& x, const words& y) {
    return words_of(reducer::combine(state_at(x), state_at(y)));
  }
  static words finish(const words& x, node count) {
    return {{node_of(reducer::finish(state_at(x), value<std::int64_t>(count)))}};
  }

  template <class... Types>
  static void set_types(scalar* to, const std::tuple<value<Types>...>*) {
    ((*to++ = scalar_of<Types>), ...);
  }
  static reduction_recipe make() {
    reduction_recipe r{};
    r.name = reducer::name, r.state_words = state_words;
    set_types(r.types, static_cast<const state*>(nullptr));
    bits_of_each(reducer::zero, r.identity);
    r.result = scalar_of<result>, r.result_bytes = sizeof(result), r.results = 1;
    r.needs_elements = reducer::needs_elements;
    r.numbered = requires { reducer::numbers; };
    r.inputs = leaves::parameters.at, r.input_nodes = input_nodes;
    r.enter = &enter, r.join = &join, r.absorb = &absorb, r.combine = &combine, r.finish = &finish;
    return r;
  }
  /// One a type.
  static const reduction_recipe& recipe() {
    static const auto& made = lasting<reduction_glue>(make());
    return made;
  }
  static reduction_kernels* kernels() {
    static reduction_kernels* const made =
        lasting<reduction_glue>(reduction_owner(make_reduction(recipe()))).kernels;
    return made;
  }
};

}  // namespace krait::detail
