// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an algorithm leaves its result: in a new array, or in the one that kr::into names.
#pragma once

#include <tuple>

#include <krait/expression.h>

namespace krait {
namespace detail {

/// A number in braces, which become an array; a text is none.
template <class Elem>
concept listed = plain<Elem> && !std::is_same_v<Elem, char>;

/// A container of the host that stands for an array.
template <class Type>
concept listed_container = host_container<const Type> && requires(const Type& list) {
  requires listed<std::remove_cvref_t<decltype(*list.data())>>;
};
/// A number as an array that has it alone, for functions of the elements of arrays.
template <host_number Number>
array<number_t<Number>, 1> alone(const Number& x, const device& on) {
  array<number_t<Number>, 1> one(shape<1>(1), on);
  one.fill(as_number(x));
  return one;
}

/// A number, of a view of const elements, too.
template <class Elem>
concept sortable = plain<std::remove_const_t<Elem>>;

/// An array to be written, which shares the memory of the user's.
template <class Elem, int Rank>
struct output {
  static_assert(!std::is_const_v<Elem>,
                "krait: into() writes to its array: the elements must not be const");
  array<Elem, Rank> held;
  explicit output(const array<Elem, Rank>& of) : held(view_at(layout_of(of), of)) {}
  output(const output& other) : output(other.held) {}
};
template <class... Outputs>
struct into_type {
  std::tuple<Outputs...> outputs;
};
template <class Option>
inline constexpr int outputs_in = 0;
template <class... Outputs>
inline constexpr int outputs_in<into_type<Outputs...>> = sizeof...(Outputs);
template <class Option>
concept into_option = (outputs_in<std::remove_cvref_t<Option>> > 0);

/// An algorithm's only output, or its Index-th of Count; null where kr::into is not among the
/// options.
template <int Index = 0, int Count = 1>
constexpr std::nullptr_t output_in() {
  return nullptr;
}
template <int Index = 0, int Count = 1, class First, class... Rest>
auto output_in(const First& first, const Rest&... rest) {
  if constexpr (outputs_in<First> != 0) {
    static_assert(outputs_in<First> == Count,
                  "krait: into() needs one array for each result of the function");
    return &std::get<Index>(first.outputs).held;
  } else {
    return output_in<Index, Count>(rest...);
  }
}

/// Stands for an option that is left out.
struct no_option {};
template <class Option>
const Option& without_output(const Option& option) {
  return option;
}
template <class... Outputs>
no_option without_output(const into_type<Outputs...>&) {
  return {};
}
/// An argument as a tuple of its own, or none where it is kr::into.
template <class Argument>
auto without_into(const Argument& argument) {
  if constexpr (into_option<Argument>) return std::tuple<>();
  else return std::tuple<const Argument&>(argument);
}

/// Throws error{usage} for an output with other extents, on another device, or with elements that
/// share memory.
KRAIT_API void check_output(const layout& output, void* device, const layout& wanted,
                            void* wanted_device);
/// Throws error{usage} where the devices of two arrays of a call differ.
KRAIT_API void check_same_device(void* device, void* wanted_device);
/// Throws error{usage} where two outputs may have elements at one place.
KRAIT_API void check_outputs_apart(const elements& x, const elements& y);
/// Whether elements of the same extents have the same order and distance in memory.
KRAIT_API bool same_strides(const layout& x, const layout& y);

/// Whether an operand, an array or an expression, may have elements where these are.
template <class Operand>
bool reads_from(const elements& of, const Operand& operand) {
  if constexpr (is_device_array<Operand>::value) {
    const layout at = layout_of(operand);
    return may_meet({memory_of(operand), &at, sizeof(typename Operand::value_type)}, of);
  } else if constexpr (is_expression<Operand>::value || requires { operand.arguments(); }) {
    return std::apply([&](const auto&... each) { return (reads_from(of, each) || ...); },
                      access::arguments(operand));
  } else {
    return false;
  }
}

/// `to` is the array that is written. It is the user's array itself if that has the algorithm's
/// order and does not overlap the inputs.
template <class Elem, int Rank, class Output>
struct result {
  array<Elem, Rank> to;
  Output given;

  /// The new array, or nothing.
  auto give() {
    if constexpr (std::is_null_pointer_v<Output>) {
      return std::move(to);
    } else if (memory_of(to) != memory_of(*given)) {
      array<Elem, Rank> out(view_at(layout_of(*given), *given));
      out.copy_from(to);
    }
  }
};
/// The array that kr::into names, of the result's type, or null.
template <class Elem, int Rank, class Output>
Output given_as(Output given) {
  if constexpr (!std::is_null_pointer_v<Output>) {
    using array_type = std::remove_cvref_t<decltype(*given)>;
    static_assert(std::is_same_v<typename array_type::value_type, Elem>,
                  "krait: into() needs an array of the result's element type");
    static_assert(array_type::rank == Rank,
                  "krait: into() needs an array with the result's number of dimensions");
  }
  return given;
}
template <class Elem, int Rank, class Output>
void check_given(Output given, const layout& wanted, const device& on) {
  given_as<Elem, Rank>(given);
  if constexpr (!std::is_null_pointer_v<Output>) {
    check_output(layout_of(*given), handle_of(given->device()), wanted, handle_of(on));
  }
}
/// Of an array without elements, too, which no launch gets.
template <class Input>
void check_input(const Input& input, const device& on) {
  if constexpr (is_device_array<Input>::value)
    check_same_device(handle_of(input.device()), handle_of(on));
}
/// Of a dense layout, in any order of dimensions; `inputs` are read while it is written.
template <class Elem, int Rank, class Output, class... Inputs>
result<Elem, Rank, Output> result_in(Output given, const layout& wanted, const device& on,
                                     const Inputs&... inputs) {
  check_given<Elem, Rank>(given, wanted, on);
  (check_input(inputs, on), ...);
  if constexpr (!std::is_null_pointer_v<Output>) {
    const layout at = layout_of(*given);
    if (same_strides(at, wanted) &&
        !(reads_from({memory_of(*given), &at, sizeof(Elem)}, inputs) || ...))
      return {array<Elem, Rank>(view_at(at, *given)), given};
  }
  shape<Rank> extents;
  for (int d = 0; d < Rank; ++d) extents.extents[d] = wanted.extents[d];
  const array<Elem, Rank> memory(extents, on);
  return {array<Elem, Rank>(view_at(wanted, memory)), given};
}
/// Of a new array that is there.
template <class Elem, int Rank, class Output>
auto give_result(Output given, array<Elem, Rank> made) {
  check_given<Elem, Rank>(given, layout_of(made), made.device());
  return result<Elem, Rank, Output>{std::move(made), given}.give();
}
/// Of two outputs.
template <class Left, class Right>
void check_apart_outputs(const Left& x, const Right& y) {
  if constexpr (!std::is_null_pointer_v<Left>) {
    const layout a = layout_of(*x), b = layout_of(*y);
    check_outputs_apart(
        {memory_of(*x), &a, sizeof(typename std::remove_cvref_t<decltype(*x)>::value_type)},
        {memory_of(*y), &b, sizeof(typename std::remove_cvref_t<decltype(*y)>::value_type)});
  }
}

/// A dense array, whatever its dimensions, with others.
template <int To, class Elem, int Rank>
array<Elem, To> with_extents(const array<Elem, Rank>& of, const shape<To>& extents) {
  layout at = dense(extents.extents, To, false);
  at.offset = layout_of(of).offset;
  return view_at(at, of);
}
template <class Elem, int Rank>
array<Elem, 2> as_rows(const array<Elem, Rank>& of, std::int64_t rows, std::int64_t length) {
  return with_extents(of, shape<2>(rows, length));
}

}  // namespace detail

/// The option of an algorithm that names existing arrays or views for its results.
/// The call then returns nothing. Outputs have the shape and element type of the results; they may
/// overlap the inputs.
/// \code
/// kr::sort(x, kr::into(x));
/// \endcode
template <class... Elems, int... Ranks>
  requires(sizeof...(Elems) > 0)
auto into(const array<Elems, Ranks>&... outputs) {
  return detail::into_type<detail::output<Elems, Ranks>...>{
      std::tuple{detail::output<Elems, Ranks>(outputs)...}};
}

}  // namespace krait
