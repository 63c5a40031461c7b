// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of element-wise functions: arguments, outputs and where they run.
#pragma once

#include <initializer_list>
#include <tuple>

#include <krait/detail/elementwise_recording.h>

namespace krait::detail {

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

/// Extents that all arguments broadcast to, aligned at the last dimension as in NumPy. Throws
/// error{usage} that names the function.
KRAIT_API void broadcast_shape(const kernel_state* of, const argument* inputs, unsigned count,
                               int rank, std::int64_t* extents);
/// Recordings of an element-wise call by the rank of its arrays, from 1; some may be missing, the
/// last needed is not.
struct elementwise_signatures {
  const signature* at[max_rank];
};
/// A call with inputs that broadcast to these extents, in as few dimensions as strides allow; the
/// outputs follow the inputs. An input that an output overlaps is copied first, unless each element
/// is read where it is written. Throws error{usage} if an output has another shape, or overlaps
/// another one or itself.
KRAIT_API void call_elementwise(kernel_state* state, const void* lambda,
                                const elementwise_signatures& by_rank, argument* arguments,
                                int rank, const std::int64_t* extents, unsigned outputs,
                                const call_config& config);

/// Types only: what a call's inputs and outputs are.
template <class Inputs, class Outputs>
struct elementwise_types {};

template <int Rank, class Lambda, class... Inputs, class... Outputs>
void run_elementwise(kernel_state* state, const Lambda& lambda, call_config config,
                     argument* packed, const std::int64_t* extents,
                     elementwise_types<std::tuple<Inputs...>, std::tuple<Outputs...>>) {
  using flat = elementwise_recording<Lambda, 1, std::tuple<Inputs...>, std::tuple<Outputs...>>;
  config.count = 1;
  for (int d = 0; d < Rank; ++d) config.count *= extents[d];
  using ranked = elementwise_recording<Lambda, Rank, std::tuple<Inputs...>, std::tuple<Outputs...>>;
  elementwise_signatures by_rank{};
  by_rank.at[Rank - 1] = &ranked::as, by_rank.at[0] = &flat::as;
  call_elementwise(state, &lambda, by_rank, packed, Rank, extents, sizeof...(Outputs), config);
}

/// The container that a call returns: kr::array where one is among the arguments, else the first
/// container's template.
template <class Elem>
// std::vector<bool> has no bytes
using host_element = std::conditional_t<std::is_same_v<Elem, bool>, unsigned char, Elem>;
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
struct first_container<First, Rest...>
    : std::conditional_t<by_value<std::remove_cvref_t<First>>, first_container<Rest...>,
                         std::type_identity<std::remove_cvref_t<First>>> {};

template <class Elem, int Rank, class... Args>
auto make_output(const std::int64_t* extents, void* device_handle) {
  if constexpr ((is_device_array<std::remove_cvref_t<Args>>::value || ...)) {
    shape<Rank> s;
    for (int d = 0; d < Rank; ++d) s.extents[d] = extents[d];
    return array<Elem, Rank>(s, device_from(device_handle));
  } else {
    using type =
        typename rebound<typename first_container<Args...>::type, host_element<Elem>>::type;
    if constexpr (std::constructible_from<type, std::size_t>)
      return type(static_cast<std::size_t>(extents[0]));
    else return type{};
  }
}

/// The stream or device of a call, if the user chose one.
struct elementwise_place {
  const stream* in = nullptr;
  void* device = nullptr;
};

template <class Lambda, class Results>
struct elementwise;
template <class Lambda, class... Results>
struct elementwise<Lambda, std::tuple<Results...>> {
  template <class... Args>
  static auto call(kernel_state* state, const Lambda& lambda, const elementwise_place& at,
                   Args&&... args) {
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
    config.form = numbers ? call_config::numbers : call_config::elements, config.on = at.in,
    config.device = at.device;
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
      void* device = at.device ? at.device : choose_device(packed, inputs);
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
  /// Mask: none, or one container; nothing is written where it is 0.
  template <class... Outputs, class... Mask, class... Args>
  static void call(kernel_state* state, const Lambda& lambda, const elementwise_place& at,
                   const std::tuple<Outputs&...>& outputs, const std::tuple<Mask...>& mask,
                   Args&&... args) {
    using returned = typename lambda_results<Lambda, element_of_t<Args>...>::type;
    static_assert(sizeof...(Outputs) == std::tuple_size_v<returned>,
                  "into() needs one output per value that the function returns");
    static_assert((container<Outputs> && ...) &&
                      (!std::is_const_v<typename container_traits<Outputs>::element> && ...),
                  "into() takes kr::array or writable containers");
    constexpr int rank = largest({rank_of<Outputs&>...});
    static_assert(((rank_of<Args> <= rank) && ...) && ((rank_of<const Mask&> <= rank) && ...),
                  "an argument has more dimensions than the output");
    constexpr std::size_t inputs = (input_of<Args>::nodes + ... + sizeof...(Mask));
    argument packed[inputs + sizeof...(Outputs)];
    argument* next = packed;
    (add_input(next, args), ...);
    std::int64_t extents[max_rank];
    std::apply([&](auto&... one) { ((*next++ = container_argument(one)), ...); }, mask);
    std::apply([&](auto&... one) { ((*next++ = container_argument(one)), ...); }, outputs);
    for (int d = 0; d < rank; ++d) extents[d] = packed[inputs].extents[d];
    call_config config;
    config.form = call_config::elements, config.on = at.in, config.device = at.device;
    run_elementwise<rank>(
        state, lambda, config, packed, extents,
        elementwise_types<
            std::tuple<input_of<Args>..., mask_input<element_of_t<const Mask&>>...>,
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
