// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an element-wise call becomes a kernel: one parameter per input, then one per output. Flat:
// all arrays have the output's shape and are indexed by one number. Broadcast: arrays have the
// output's rank, with stride 0 along broadcast dimensions.
#pragma once

#include <tuple>

#include <krait/control.h>
#include <krait/detail/arguments.h>
#include <krait/index.h>

namespace krait::detail {

// ---- result types -------------------------------------------------------------------------------
template <class Type>
struct results {  // of a lambda that returns Type: the element types of its outputs
  static_assert(!std::is_void_v<Type>,
                "an element-wise function must return a value: end it with `return value;`");
  using type = std::tuple<held_t<Type>>;
};
template <class... Types>
struct results<std::tuple<Types...>> {
  using type = std::tuple<held_t<Types>...>;
};

/// The element type that an argument contributes.
template <class Arg, bool Number = by_value<std::remove_cvref_t<Arg>>>
struct element_of {
  using type = std::remove_cvref_t<Arg>;
};
template <class Arg>
struct element_of<Arg, false> {
  static_assert(
      !is_vector_of_bool<std::remove_cvref_t<Arg>>,
      "std::vector<bool> stores bits, which a kernel cannot access: use std::vector<unsigned char>");
  static_assert(container<referred<Arg>>,
                "an element-wise function takes numbers, plain structs of numbers, kr::array, and "
                "containers with data() and size()");
  using type = std::remove_const_t<typename container_traits<referred<Arg>>::element>;
};
template <class Arg>
using element_of_t = typename element_of<Arg>::type;

template <class Lambda, class... Elems>
struct lambda_results {
  static_assert(
      std::is_invocable_v<const Lambda&, value<Elems>...>,
      "the lambda cannot be called with these arguments: it is called with one kr::value<T> per "
      "argument; a struct of them is kr::value<S>(a, b), not S{a, b}");
  using type = typename results<
      std::remove_cvref_t<std::invoke_result_t<const Lambda&, value<Elems>...>>>::type;
};
/// The declared result of the signature whose parameters are exactly Elems, else the lambda's.
template <class Lambda, class Signatures, class... Args>
struct results_of : lambda_results<Lambda, element_of_t<Args>...> {};
template <class Lambda, class Result, class... Params, class... Signatures, class... Args>
struct results_of<Lambda, std::tuple<Result(Params...), Signatures...>, Args...>
    : std::conditional_t<std::is_same_v<std::tuple<Params...>, std::tuple<element_of_t<Args>...>>,
                         results<Result>, results_of<Lambda, std::tuple<Signatures...>, Args...>> {
};

// ---- recording ----------------------------------------------------------------------------------
/// An input: the same number for every element, or an array.
template <class Elem, bool Array>
struct input {
  using element = Elem;
  static constexpr bool is_array = Array;
  static constexpr std::size_t nodes = Array ? 1 : leaf_count<Elem>;
  static constexpr void describe(parameter_type*& next, int rank) {
    if constexpr (Array)
      *next++ = {detail::element<Elem>::type, static_cast<unsigned char>(rank), false, false,
                 sizeof(Elem)};
    else parameter_traits<value<Elem>>::describe(next);
  }
};
template <class Arg>
using input_of = input<element_of_t<Arg>, !by_value<std::remove_cvref_t<Arg>>>;

/// The mask of a call: the last input, which the lambda does not get. Where it is 0, nothing is
/// computed and written.
template <class Elem>
struct mask_input : input<Elem, true> {};
template <class Input>
inline constexpr bool is_mask_input = false;
template <class Elem>
inline constexpr bool is_mask_input<mask_input<Elem>> = true;

template <class Type>
struct is_tuple : std::false_type {};
template <class... Types>
struct is_tuple<std::tuple<Types...>> : std::true_type {};

/// Rank 1 is the flat form; arrays of more dimensions take it where all shapes are the output's.
template <class Lambda, int Rank, class Inputs, class Outputs>
struct elementwise_recording;
template <class Lambda, int Rank, class... Inputs, class... Outputs>
struct elementwise_recording<Lambda, Rank, std::tuple<Inputs...>, std::tuple<Outputs...>> {
  static_assert(sizeof...(Outputs) > 0,
                "an element-wise function must return a value or a std::tuple of values");
  static constexpr bool masked = (is_mask_input<Inputs> || ...);
  static constexpr std::size_t given = sizeof...(Inputs) - masked;  // inputs of the lambda
  struct position {
    node at[Rank];
  };  // nodes: values cannot be assigned
  using every_dim = std::make_index_sequence<Rank>;
  using all_inputs = std::tuple<Inputs...>;
  using first_output = view<std::tuple_element_t<0, std::tuple<Outputs...>>, Rank>;

  static void record(const void* lambda, const node* nodes) {
    run(*static_cast<const Lambda*>(lambda), nodes, std::make_index_sequence<given>{},
        std::index_sequence_for<Outputs...>{});
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
      (Inputs::describe(next, Rank), ...);
      (input<Outputs, true>::describe(next, Rank), ...);
      for (std::size_t i = input_nodes; i < all_nodes; ++i)
        at[i].writable = true, at[i].output = !masked;
    }
  };
  static constexpr parameter_list parameters{};
  static constexpr signature as{parameters.at, all_nodes, &record};

  template <class Input, std::size_t... Dims>
  static value<typename Input::element> load(const node* from, const position& p,
                                             std::index_sequence<Dims...>) {
    using element = typename Input::element;
    if constexpr (!Input::is_array) return parameter_traits<value<element>>::make(from);
    else if constexpr (Rank == 1)
      return view<const element, 1>{*from}[value<std::int64_t>(p.at[0])];
    else return view<const element, Rank>{*from}(value<std::int64_t>(p.at[Dims])...);
  }
  template <class Elem, class Result, std::size_t... Dims>
  static void store(node to, const position& p, const Result& result,
                    std::index_sequence<Dims...>) {
    const view<Elem, Rank> out{to};
    if constexpr (Rank == 1) out[value<std::int64_t>(p.at[0])] = result;
    else out(value<std::int64_t>(p.at[Dims])...) = result;
  }
  /// The position of the i-th element, the last dimension fastest.
  static position unflatten(const value<std::int64_t>& i, const first_output& out) {
    position p{};
    node rest = node_of(i);
    for (int d = Rank - 1; d > 0; --d) {
      const value<std::int64_t> before(rest), extent = out.extent(d);
      p.at[d] = node_of(before % extent);
      rest = node_of(before / extent);
    }
    p.at[0] = rest;
    return p;
  }

  /// Where results go: what return_(value) and the lambda's own return share.
  struct sink {
    const node* outputs;
    position at;
    static void keep(void* context, node result) {
      const auto& s = *static_cast<const sink*>(context);
      using output = std::tuple_element_t<0, std::tuple<Outputs...>>;
      if constexpr (sizeof...(Outputs) > 1)
        misuse("return_ cannot leave a function with several results: end it with its `return`",
               {});
      else if constexpr (plain<output>)
        store<output>(s.outputs[0], s.at, value<output>(convert(scalar_of<output>, result)),
                      every_dim{});
      else
        misuse(
            "kr::return_(v) returns a number, but this element-wise function returns a struct: "
            "assign to a kr::var",
            {});
    }
  };
  template <class Result, std::size_t... Out>
  static void keep(sink& s, const Result& result, std::index_sequence<Out...>) {
    if constexpr (is_tuple<Result>::value)
      (store<Outputs>(s.outputs[Out], s.at, std::get<Out>(result), every_dim{}), ...);
    else
      store<std::tuple_element_t<0, std::tuple<Outputs...>>>(s.outputs[0], s.at, result,
                                                             every_dim{});
  }

  template <std::size_t... In, std::size_t... Out>
  static void run(const Lambda& lambda, const node* nodes, std::index_sequence<In...>,
                  std::index_sequence<Out...> outputs) {
    const first_output first(nodes[input_nodes]);
    for (auto i : grid_stride(first.size())) {
      sink s{nodes + input_nodes, unflatten(i, first)};
      const auto compute = [&] {
        const body_scope body = begin_body(&sink::keep, &s);
        keep(s,
             lambda(load<std::tuple_element_t<In, all_inputs>>(nodes + first_node(In), s.at,
                                                               every_dim{})...),
             outputs);
        end_body(body);
      };
      if constexpr (masked)
        if_(load<std::tuple_element_t<given, all_inputs>>(nodes + first_node(given), s.at,
                                                          every_dim{}) != 0,
            compute);
      else compute();
    }
  }
};

}  // namespace krait::detail
