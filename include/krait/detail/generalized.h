// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call of a generalized function: the shapes that its layout requires, its arguments, and the
// outputs that are made.
#pragma once

#include <krait/detail/generalized_recording.h>

namespace krait {
namespace detail {

/// Computes the extents of the batch, and the sizes of the layout's names, from the arguments: null
/// for numbers, and for outputs that are made. Throws error{usage} in NumPy's words.
KRAIT_API void core_shapes(const kernel_state* of, const core_layout& layout, const char* text,
                           int batch, const argument* const* given, std::int64_t* extents,
                           std::int64_t* sizes);
/// Gives all arguments the batch's dimensions, and launches a thread an element of it. An input
/// that an output overlaps is copied first.
KRAIT_API void call_generalized(kernel_state* state, const void* lambda, const signature& as,
                                argument* packed, const core_layout& layout, int batch,
                                argument* const* given, const std::int64_t* extents,
                                const call_config& config);

/// The outputs' types: those of the signature that has exactly the inputs', else the inputs' common
/// one.
template <class First, class... Rest>
struct common_element {
  using type = First;
};
template <class First, class Second, class... Rest>
struct common_element<First, Second, Rest...> {
  static constexpr auto both() {
    if constexpr (std::is_same_v<First, Second>) return std::type_identity<First>{};
    else return std::type_identity<arith_t<First, Second>>{};
  }
  using type = typename common_element<typename decltype(both())::type, Rest...>::type;
};
template <class Type, std::size_t... Each>
std::tuple<std::conditional_t<true, Type, std::index_sequence<Each>>...> repeated(
    std::index_sequence<Each...>);
template <class Signatures, int Outputs, class... Args>
struct core_results {
  using type = decltype(repeated<typename common_element<element_of_t<Args>...>::type>(
      std::make_index_sequence<Outputs>{}));
};
template <class Result, class... Params, class... Signatures, int Outputs, class... Args>
struct core_results<std::tuple<Result(Params...), Signatures...>, Outputs, Args...>
    : std::conditional_t<std::is_same_v<std::tuple<Params...>, std::tuple<element_of_t<Args>...>>,
                         results<Result>,
                         core_results<std::tuple<Signatures...>, Outputs, Args...>> {};

/// A result that is made: an array, a container where all arguments are containers, or one element,
/// which is read.
template <class Elem, int Rank, class... Args>
auto make_core_output(const std::int64_t* extents, void* device_handle) {
  constexpr bool arrays = (is_device_array<Args>::value || ...),
                 containers = (!by_value<Args> || ...);
  if constexpr (Rank == 1 && containers && !arrays) {
    return make_output<Elem, 1, Args...>(extents, device_handle);
  } else {
    constexpr int result_rank = Rank == 0 ? 1 : Rank;
    shape<result_rank> s;
    s.extents[0] = 1;
    for (int d = 0; d < Rank; ++d) s.extents[d] = extents[d];
    return array<Elem, result_rank>(s, device_from(device_handle));
  }
}

template <fixed_text Text, class Lambda>
struct generalized_function {
  static constexpr core_layout layout = core_layout_of<Text>;
  static constexpr int core(std::size_t operand) { return layout.operands[operand].rank; }

  /// The types of results that are made, outputs that are given instead, or none.
  template <class Results, class... Given, class... Args>
  static auto call(kernel_state* state, const Lambda& lambda, const elementwise_place& at,
                   const std::tuple<Given&...>& given, const Args&... args) {
    return with_outputs(Results{}, std::index_sequence_for<Args...>{},
                        std::make_index_sequence<layout.outputs>{}, state, lambda, at, given,
                        args...);
  }

 private:
  /// Arguments while they are packed.
  template <std::size_t Nodes>
  struct packing {
    argument all[Nodes];
    argument *next = all, *of[max_operands]{};
    std::size_t operand = 0;

    template <class Arg>
    void add(const Arg& arg) {
      if constexpr (!by_value<Arg>) of[operand] = next;
      ++operand;
      add_input(next, arg);
    }
    template <class Output>
    void add_output(Output& output) {
      of[operand++] = next;
      *next++ = container_argument(output);
    }
  };

  template <class... Results, std::size_t... In, std::size_t... Out, class... Given, class... Args>
  static auto with_outputs(const std::tuple<Results...>&, std::index_sequence<In...>,
                           std::index_sequence<Out...>, kernel_state* state, const Lambda& lambda,
                           const elementwise_place& at, const std::tuple<Given&...>& given,
                           const Args&... args) {
    static_assert(((by_value<Args> || rank_of<Args> >= core(In)) && ...),
                  "krait: an input does not have enough dimensions for guvectorize's layout");
    constexpr std::size_t first = sizeof...(Args);
    call_config config;
    config.form = call_config::threads, config.on = at.in, config.device = at.device;
    std::int64_t extents[max_rank], sizes[max_operands * max_rank];
    if constexpr (sizeof...(Given) > 0) {
      static_assert(sizeof...(Given) == sizeof...(Out),
                    "krait: into() needs one output for each output of guvectorize's layout");
      static_assert((container<Given> && ...) &&
                        (!std::is_const_v<typename container_traits<Given>::element> && ...),
                    "into() takes kr::array or writable containers");
      static_assert(((rank_of<Given&> >= core(first + Out)) && ...),
                    "krait: an output does not have enough dimensions for guvectorize's layout");
      constexpr int batch = largest({0, (by_value<Args> ? 0 : rank_of<Args> - core(In))...,
                                     (rank_of<Given&> - core(first + Out))...});
      using recording = generalized_recording<
          Text, Lambda, batch, std::tuple<input_of<Args>...>,
          std::tuple<std::remove_const_t<typename container_traits<Given>::element>...>>;
      packing<recording::all_nodes> packed;
      (packed.add(args), ...);
      (packed.add_output(std::get<Out>(given)), ...);
      core_shapes(state, layout, Text.at, batch, packed.of, extents, sizes);
      call_generalized(state, &lambda, recording::as, packed.all, layout, batch, packed.of, extents,
                       config);
    } else {
      static_assert(
          layout.unknown() < 0,
          "krait: a dimension of an output of guvectorize's layout is in no input: give the "
          "output, f.into(z)(…)");
      static_assert(
          sizeof...(Results) == sizeof...(Out),
          "krait: guvectorize's signature and its layout differ in their number of results");
      constexpr int batch = largest({0, (by_value<Args> ? 0 : rank_of<Args> - core(In))...});
      using recording = generalized_recording<Text, Lambda, batch, std::tuple<input_of<Args>...>,
                                              std::tuple<Results...>>;
      packing<recording::all_nodes> packed;
      (packed.add(args), ...);
      core_shapes(state, layout, Text.at, batch, packed.of, extents, sizes);
      void* const device =
          at.device ? at.device : choose_device(packed.all, recording::input_nodes);
      auto out = std::tuple{make<Results, batch, first + Out, Args...>(extents, sizes, device)...};
      (packed.add_output(std::get<Out>(out)), ...);
      call_generalized(state, &lambda, recording::as, packed.all, layout, batch, packed.of, extents,
                       config);
      if constexpr (sizeof...(Out) == 1) return result<batch, first>(std::get<0>(std::move(out)));
      else return std::tuple{result<batch, first + Out>(std::get<Out>(std::move(out)))...};
    }
  }
  template <class Elem, int Batch, std::size_t Operand, class... Args>
  static auto make(const std::int64_t* extents, const std::int64_t* sizes, void* device) {
    std::int64_t all[max_rank]{};
    for (int d = 0; d < Batch; ++d) all[d] = extents[d];
    for (int d = 0; d < core(Operand); ++d)
      all[Batch + d] = sizes[layout.operands[Operand].names[d]];
    static_assert(Batch + core(Operand) <= max_rank,
                  "krait: the batch and the layout's dimensions are more than 6");
    return make_core_output<Elem, Batch + core(Operand), Args...>(all, device);
  }
  template <int Batch, std::size_t Operand, class Output>
  static auto result(Output&& out) {
    if constexpr (Batch + core(Operand) > 0) return std::move(out);
    else return static_cast<typename Output::value_type>(out(0));
  }
};

}  // namespace detail
}  // namespace krait
