// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an element-wise call becomes a kernel: one parameter an input, then one an output. Flat: all arrays have the output's shape
// and are indexed by one number. Broadcast: arrays have the output's rank, with stride 0 along broadcast dimensions.
#pragma once

#include <initializer_list>
#include <tuple>

#include <krait/control.h>
#include <krait/detail/arguments.h>
#include <krait/index.h>

namespace krait::detail {

// ---- result types ----------------------------------------------------------------------------------------------------------------
template <class Type>
struct results {  // of a lambda that returns Type: the element types of its outputs
  static_assert(!std::is_void_v<Type>, "an element-wise function must return a value: end it with `return value;`");
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
  static_assert(!is_vector_of_bool<std::remove_cvref_t<Arg>>,
                "std::vector<bool> stores bits, which a kernel cannot access: use std::vector<unsigned char>");
  static_assert(
      container<referred<Arg>>,
      "an element-wise function takes numbers, plain structs of numbers, kr::array, and containers with data() and size()");
  using type = std::remove_const_t<typename container_traits<referred<Arg>>::element>;
};
template <class Arg>
using element_of_t = typename element_of<Arg>::type;

template <class Lambda, class... Elems>
struct lambda_results {
  static_assert(std::is_invocable_v<const Lambda&, value<Elems>...>,
                "the lambda cannot be called with these arguments: it is called with one kr::value<T> per argument");
  using type = typename results<std::remove_cvref_t<std::invoke_result_t<const Lambda&, value<Elems>...>>>::type;
};
/// The declared result of the signature whose parameters are exactly Elems, else the lambda's.
template <class Lambda, class Signatures, class... Args>
struct results_of : lambda_results<Lambda, element_of_t<Args>...> {};
template <class Lambda, class Result, class... Params, class... Signatures, class... Args>
struct results_of<Lambda, std::tuple<Result(Params...), Signatures...>, Args...>
    : std::conditional_t<std::is_same_v<std::tuple<Params...>, std::tuple<element_of_t<Args>...>>, results<Result>,
                         results_of<Lambda, std::tuple<Signatures...>, Args...>> {};

// ---- recording ---------------------------------------------------------------------------------------------------------------------
/// An input: the same number for every element, or an array.
template <class Elem, bool Array>
struct input {
  using element = Elem;
  static constexpr bool is_array = Array;
  static constexpr std::size_t nodes = Array ? 1 : leaf_count<Elem>;
  static constexpr void describe(parameter_type*& next, int rank) {
    if constexpr (Array) *next++ = {detail::element<Elem>::type, static_cast<unsigned char>(rank), false, false, sizeof(Elem)};
    else parameter_traits<value<Elem>>::describe(next);
  }
};
template <class Arg>
using input_of = input<element_of_t<Arg>, !by_value<std::remove_cvref_t<Arg>>>;

template <class Type>
struct is_tuple : std::false_type {};
template <class... Types>
struct is_tuple<std::tuple<Types...>> : std::true_type {};

/// Rank 1 is the flat form; arrays of more dimensions take it where all shapes are the output's.
template <class Lambda, int Rank, class Inputs, class Outputs>
struct elementwise_recording;
template <class Lambda, int Rank, class... Inputs, class... Outputs>
struct elementwise_recording<Lambda, Rank, std::tuple<Inputs...>, std::tuple<Outputs...>> {
  static_assert(sizeof...(Outputs) > 0, "an element-wise function must return a value or a std::tuple of values");
  struct position {
    node at[Rank];
  };  // nodes: values cannot be assigned
  using every_dim = std::make_index_sequence<Rank>;
  using first_output = view<std::tuple_element_t<0, std::tuple<Outputs...>>, Rank>;

  static void record(const void* lambda, const node* nodes) {
    run(*static_cast<const Lambda*>(lambda), nodes, std::index_sequence_for<Inputs...>{}, std::index_sequence_for<Outputs...>{});
  }
  static constexpr std::size_t first_node(std::size_t in) {
    const std::size_t nodes[] = {Inputs::nodes...};
    std::size_t first = 0;
    for (std::size_t i = 0; i < in; ++i) first += nodes[i];
    return first;
  }
  static constexpr std::size_t input_nodes = first_node(sizeof...(Inputs)), all_nodes = input_nodes + sizeof...(Outputs);
  struct parameter_list {
    parameter_type at[all_nodes]{};
    constexpr parameter_list() {
      parameter_type* next = at;
      (Inputs::describe(next, Rank), ...);
      (input<Outputs, true>::describe(next, Rank), ...);
      for (std::size_t i = input_nodes; i < all_nodes; ++i) at[i].writable = at[i].output = true;
    }
  };
  static constexpr parameter_list parameters{};
  static constexpr signature as{parameters.at, all_nodes, &record};

  template <class Input, std::size_t... Dims>
  static value<typename Input::element> load(const node* from, const position& p, std::index_sequence<Dims...>) {
    using element = typename Input::element;
    if constexpr (!Input::is_array) return parameter_traits<value<element>>::make(from);
    else if constexpr (Rank == 1) return view<const element, 1>{*from}[value<std::int64_t>(p.at[0])];
    else return view<const element, Rank>{*from}(value<std::int64_t>(p.at[Dims])...);
  }
  template <class Elem, class Result, std::size_t... Dims>
  static void store(node to, const position& p, const Result& result, std::index_sequence<Dims...>) {
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
        misuse("return_ cannot leave a function with several results: end it with its `return`", {});
      else if constexpr (plain<output>)
        store<output>(s.outputs[0], s.at, value<output>(convert(scalar_of<output>, result)), every_dim{});
      else misuse("kr::return_(v) returns a number, but this element-wise function returns a struct: assign to a kr::var", {});
    }
  };
  template <class Result, std::size_t... Out>
  static void keep(sink& s, const Result& result, std::index_sequence<Out...>) {
    if constexpr (is_tuple<Result>::value) (store<Outputs>(s.outputs[Out], s.at, std::get<Out>(result), every_dim{}), ...);
    else store<std::tuple_element_t<0, std::tuple<Outputs...>>>(s.outputs[0], s.at, result, every_dim{});
  }

  template <std::size_t... In, std::size_t... Out>
  static void run(const Lambda& lambda, const node* nodes, std::index_sequence<In...>, std::index_sequence<Out...> outputs) {
    const first_output first(nodes[input_nodes]);
    for (auto i : grid_stride(first.size())) {
      sink s{nodes + input_nodes, unflatten(i, first)};
      const body_scope body = begin_body(&sink::keep, &s);
      keep(s, lambda(load<Inputs>(nodes + first_node(In), s.at, every_dim{})...), outputs);
      end_body(body);
    }
  }
};

// ---- calling -----------------------------------------------------------------------------------------------------------------------
template <class Arg, bool Number = by_value<std::remove_cvref_t<Arg>>>
inline constexpr int rank_of = 0;
template <class Arg>
inline constexpr int rank_of<Arg, false> = container_traits<referred<Arg>>::rank;

constexpr int largest(std::initializer_list<int> of) {
  int most = 0;
  for (int n : of) most = n > most ? n : most;
  return most;
}

template <class Arg>
void add_input(argument*& next, const Arg& from) {
  if constexpr (by_value<Arg>) add_value<Arg>(next, from, nullptr, 0);
  else *next++ = container_argument(from);
}

/// Extents that all arguments broadcast to, aligned at the last dimension as in NumPy. Throws error{usage} that names the function.
KRAIT_API void broadcast_shape(const kernel_state* of, const argument* inputs, unsigned count, int rank, std::int64_t* extents);
/// Recordings of an element-wise call by the rank of its arrays, from 1; some may be missing, the last needed is not.
struct elementwise_signatures {
  const signature* at[max_rank];
};
/// A call whose inputs broadcast to these extents, those of the outputs behind them, in as few dimensions as strides allow. An input that an output overlaps is copied first, unless each
/// element is read where it is written. Throws error{usage} where an output has another shape, or overlaps another or itself.
KRAIT_API void call_elementwise(kernel_state* state, const void* lambda, const elementwise_signatures& by_rank,
                                argument* arguments, int rank, const std::int64_t* extents, unsigned outputs,
                                const call_config& config);

/// Types only: what a call's inputs and outputs are.
template <class Inputs, class Outputs>
struct elementwise_types {};

template <int Rank, class Lambda, class... Inputs, class... Outputs>
void run_elementwise(kernel_state* state, const Lambda& lambda, call_config config, argument* packed, const std::int64_t* extents,
                     elementwise_types<std::tuple<Inputs...>, std::tuple<Outputs...>>) {
  using flat = elementwise_recording<Lambda, 1, std::tuple<Inputs...>, std::tuple<Outputs...>>;
  config.count = 1;
  for (int d = 0; d < Rank; ++d) config.count *= extents[d];
  using ranked = elementwise_recording<Lambda, Rank, std::tuple<Inputs...>, std::tuple<Outputs...>>;
  elementwise_signatures by_rank{};
  by_rank.at[Rank - 1] = &ranked::as, by_rank.at[0] = &flat::as;
  call_elementwise(state, &lambda, by_rank, packed, Rank, extents, sizeof...(Outputs), config);
}

/// The container that a call returns: kr::array where one is among the arguments, else the first container's template.
template <class Elem>
using host_element = std::conditional_t<std::is_same_v<Elem, bool>, unsigned char, Elem>;  // std::vector<bool> has no bytes
template <class Container, class Elem>
struct rebound {
  using type = host_array<Elem>;
};
template <template <class...> class Template, class Old, class... Rest, class Elem>
requires std::constructible_from<Template<Elem>, std::size_t>
struct rebound<Template<Old, Rest...>, Elem> {
  using type = Template<Elem>;
};
template <template <class, std::size_t> class Template, class Old, std::size_t Count, class Elem>
requires std::is_aggregate_v<Template<Old, Count>>
struct rebound<Template<Old, Count>, Elem> {
  using type = Template<Elem, Count>;
};

template <class... Args>
struct first_container {
  using type = void;
};
template <class First, class... Rest>
struct first_container<First, Rest...> : std::conditional_t<by_value<std::remove_cvref_t<First>>, first_container<Rest...>,
                                                            std::type_identity<std::remove_cvref_t<First>>> {};

template <class Elem, int Rank, class... Args>
auto make_output(const std::int64_t* extents, void* device_handle) {
  if constexpr ((is_device_array<std::remove_cvref_t<Args>>::value || ...)) {
    shape<Rank> s;
    for (int d = 0; d < Rank; ++d) s.extents[d] = extents[d];
    return array<Elem, Rank>(s, device_from(device_handle));
  } else {
    using type = typename rebound<typename first_container<Args...>::type, host_element<Elem>>::type;
    if constexpr (std::constructible_from<type, std::size_t>) return type(static_cast<std::size_t>(extents[0]));
    else return type{};
  }
}

template <class Lambda, class Results>
struct elementwise;
template <class Lambda, class... Results>
struct elementwise<Lambda, std::tuple<Results...>> {
  template <class... Args>
  static auto call(kernel_state* state, const Lambda& lambda, const stream* on, Args&&... args) {
    constexpr int rank = largest({1, rank_of<Args>...});
    constexpr bool numbers = (by_value<std::remove_cvref_t<Args>> && ...);
    constexpr std::size_t inputs = (input_of<Args>::nodes + ...);
    argument packed[inputs + sizeof...(Results)];
    argument* next = packed;
    (add_input(next, args), ...);
    std::int64_t extents[max_rank];
    broadcast_shape(state, packed, inputs, rank, extents);
    constexpr elementwise_types<std::tuple<input_of<Args>...>, std::tuple<Results...>> types{};
    call_config config;
    config.form = numbers ? call_config::numbers : call_config::elements, config.on = on;
    if constexpr (numbers) {
      std::tuple<Results...> out{};
      std::apply(
          [&](Results&... one) {
            ((*next++ = number_output(one)), ...);
            run_elementwise<rank>(state, lambda, config, packed, extents, types);
          },
          out);
      return unpack(std::move(out));
    } else {
      void* device = choose_device(packed, inputs);
      auto out = std::tuple{make_output<Results, rank, Args...>(extents, device)...};
      std::apply(
          [&](auto&... one) {
            ((*next++ = container_argument(one)), ...);
            run_elementwise<rank>(state, lambda, config, packed, extents, types);
          },
          out);
      return unpack(std::move(out));
    }
  }

 private:
  template <class Elem>
  static argument number_output(Elem& to) {
    argument a;
    a.kind = argument::host, a.data = &to, a.rank = 1, a.extents[0] = 1;
    set_strides(a);
    return a;
  }
  template <class... Types>
  static auto unpack(std::tuple<Types...>&& out) {
    if constexpr (sizeof...(Types) == 1) return std::get<0>(std::move(out));
    else return std::move(out);
  }
};

template <class Lambda>
struct elementwise_into {
  template <class... Outputs, class... Args>
  static void call(kernel_state* state, const Lambda& lambda, const stream* on, std::tuple<Outputs&...> outputs, Args&&... args) {
    using returned = typename lambda_results<Lambda, element_of_t<Args>...>::type;
    static_assert(sizeof...(Outputs) == std::tuple_size_v<returned>,
                  "into() needs one output per value that the function returns");
    static_assert((container<Outputs> && ...) && (!std::is_const_v<typename container_traits<Outputs>::element> && ...),
                  "into() takes kr::array or writable containers");
    constexpr int rank = largest({rank_of<Outputs&>...});
    static_assert(((rank_of<Args> <= rank) && ...), "an argument has more dimensions than the output");
    constexpr std::size_t inputs = (input_of<Args>::nodes + ... + 0);
    argument packed[inputs + sizeof...(Outputs)];
    argument* next = packed;
    (add_input(next, args), ...);
    std::int64_t extents[max_rank];
    std::apply([&](auto&... one) { ((*next++ = container_argument(one)), ...); }, outputs);
    for (int d = 0; d < rank; ++d) extents[d] = packed[inputs].extents[d];
    call_config config;
    config.form = call_config::elements, config.on = on;
    run_elementwise<rank>(state, lambda, config, packed, extents,
                          elementwise_types<std::tuple<input_of<Args>...>,
                                            std::tuple<std::remove_const_t<typename container_traits<Outputs>::element>...>>{});
  }
};

/// Compiles for arrays of a signature's types.
template <class Lambda, class Signature>
struct eager;
template <class Lambda, class Result, class... Params>
struct eager<Lambda, Result(Params...)> {
  static void compile(kernel_state* state, const Lambda& lambda) {
    using inputs = std::tuple<input<std::remove_cvref_t<Params>, true>...>;
    using outputs = typename results<Result>::type;
    detail::compile(state, &lambda, elementwise_recording<Lambda, 1, inputs, outputs>::as);
  }
};

}  // namespace krait::detail
