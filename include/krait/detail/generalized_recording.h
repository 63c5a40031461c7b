// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a generalized function becomes a kernel: a thread has one element of the batch, and passes
// the lambda what the layout says of each operand.
#pragma once

#include <krait/detail/core_layout.h>
#include <krait/detail/elementwise.h>

namespace krait {
namespace detail {

template <fixed_text Text>
inline constexpr core_layout core_layout_of = read_core_layout<Text>();

/// Of an operand: dimensions of the layout, those before which are at an element of the batch.
template <class Elem, int Rank>
class core_view {
  using plain_element = std::remove_const_t<Elem>;

 public:
  core_view(const place& batch) : batch_(batch) {}

  /// Elements along a dimension.
  template <plain_integer Index>
  value<std::int64_t> extent(Index dimension) const {
    return value<std::int64_t>(
        detail::extent(batch_.array, batch_.rank + static_cast<unsigned>(dimension)));
  }
  /// Elements in all.
  value<std::int64_t> size() const
    requires(Rank > 0)
  {
    node n = node_of(extent(0));
    for (int d = 1; d < Rank; ++d) n = node_of(value<std::int64_t>(n) * extent(d));
    return value<std::int64_t>(n);
  }
  template <class... Indices>
  auto operator()(const Indices&... indices) const {
    static_assert(
        sizeof...(Indices) == Rank,
        "krait: an operand of guvectorize needs one index for each dimension that the layout gives it");
    place p = batch_;
    ((p.indices[p.rank++] = node_of(subscript(indices))), ...);
    if constexpr (std::is_const_v<Elem>) return element<plain_element>::read(p);
    else return element<plain_element>::name(p);
  }
  auto operator[](subscript i) const
    requires(Rank == 1)
  {
    place p = batch_;
    p.indices[p.rank++] = node_of(i);
    if constexpr (std::is_const_v<Elem>) return element<plain_element>::read(p);
    else return element<plain_element>::name(p);
  }

 private:
  place batch_;
};

template <fixed_text Text, class Lambda, int Batch, class Inputs, class Outputs>
struct generalized_recording;
template <fixed_text Text, class Lambda, int Batch, class... Inputs, class... Outputs>
struct generalized_recording<Text, Lambda, Batch, std::tuple<Inputs...>, std::tuple<Outputs...>> {
  static constexpr core_layout layout = core_layout_of<Text>;
  using all_inputs = std::tuple<Inputs...>;
  using all_outputs = std::tuple<Outputs...>;

  static constexpr int rank_of_operand(std::size_t o) {
    const int rank = Batch + layout.operands[o].rank;
    return rank > 0 ? rank : 1;
  }
  static constexpr std::size_t first_node(std::size_t in) {
    const std::size_t nodes[] = {Inputs::nodes...};
    std::size_t first = 0;
    for (std::size_t i = 0; i < in; ++i) first += nodes[i];
    return first;
  }
  static constexpr std::size_t input_nodes = first_node(sizeof...(Inputs)),
                               all_nodes = input_nodes + sizeof...(Outputs);
  struct parameter_list {
    parameter_type at[all_nodes]{};
    constexpr parameter_list() {
      parameter_type* next = at;
      std::size_t operand = 0;
      (Inputs::describe(next, rank_of_operand(operand++)), ...);
      (input<Outputs, true>::describe(next, rank_of_operand(operand++)), ...);
      for (std::size_t i = input_nodes; i < all_nodes; ++i) at[i].writable = true;
    }
  };
  static void record(const void* lambda, const node* nodes) {
    run(*static_cast<const Lambda*>(lambda), nodes, std::index_sequence_for<Inputs...>{},
        std::index_sequence_for<Outputs...>{});
  }
  static constexpr parameter_list parameters{};
  static constexpr signature as{parameters.at, all_nodes, &record};

  /// An operand at an element of the batch. One without any dimension has one element.
  static place at_element(node array, const node* element, std::size_t operand) {
    place p{array, {}, 0};
    for (int d = 0; d < Batch; ++d) p.indices[p.rank++] = element[d];
    if (Batch + layout.operands[operand].rank == 0)
      p.indices[p.rank++] = node_of(value<std::int64_t>(0));
    return p;
  }
  template <std::size_t In>
  static auto load(const node* nodes, const node* element) {
    using given = std::tuple_element_t<In, all_inputs>;
    using type = typename given::element;
    constexpr int core = layout.operands[In].rank;
    if constexpr (!given::is_array) {
      static_assert(
          core == 0,
          "krait: guvectorize's layout gives this input dimensions: pass an array, not a number");
      return parameter_traits<value<type>>::make(nodes + first_node(In));
    } else if constexpr (core == 0) {
      return detail::element<type>::read(at_element(nodes[first_node(In)], element, In));
    } else {
      return core_view<const type, core>(at_element(nodes[first_node(In)], element, In));
    }
  }
  template <std::size_t Out>
  static auto output(const node* nodes, const node* element) {
    constexpr std::size_t operand = sizeof...(Inputs) + Out;
    return core_view<std::tuple_element_t<Out, all_outputs>, layout.operands[operand].rank>(
        at_element(nodes[input_nodes + Out], element, operand));
  }

  template <std::size_t... In, std::size_t... Out>
  static void run(const Lambda& lambda, const node* nodes, std::index_sequence<In...>,
                  std::index_sequence<Out...>) {
    const node first = nodes[input_nodes];
    node size = node_of(value<std::int64_t>(1));
    for (int d = 0; d < Batch; ++d)
      size = node_of(value<std::int64_t>(size) * value<std::int64_t>(extent(first, unsigned(d))));
    for (auto i : grid_stride(value<std::int64_t>(size))) {
      node element[max_rank];
      node rest = node_of(i);
      for (int d = Batch - 1; d > 0; --d) {
        const value<std::int64_t> own(extent(first, unsigned(d))), before(rest);
        element[d] = node_of(before % own);
        rest = node_of(before / own);
      }
      element[0] = rest;
      const body_scope body = begin_body(nullptr, nullptr);
      // Braces: loads are recorded from left to right.
      std::tuple operands{load<In>(nodes, element)..., output<Out>(nodes, element)...};
      using returned = decltype(std::apply(lambda, operands));
      static_assert(std::is_void_v<returned>,
                    "krait: guvectorize's function must return nothing: it writes its outputs");
      std::apply(lambda, operands);
      end_body(body);
    }
  }
};

}  // namespace detail
}  // namespace krait
