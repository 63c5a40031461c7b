// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ending of a product of matrices: a function of each sum, and of further operands' elements at
// its place, before it is stored. The library's kernels call it while they are recorded.
#pragma once

#include <tuple>

#include <krait/algorithm/detail/form.h>

namespace krait::detail {

/// Without kernels of its own: the sum as it is.
struct product_ending {
  kernel_set* kernels = nullptr;
  const void* function = nullptr;
  /// The element to store, for a sum of this type at a place: batch, row and column.
  node (*record)(const void* function, scalar sum_type, node sum, const node* operands,
                 const node* place) = nullptr;
  const parameter_type* parameters = nullptr;  // of the operands, arrays of three dimensions
  const argument* arguments = nullptr;
  unsigned count = 0;
};

/// A stack of matrices of `rank` dimensions as one of three, repeated to these extents; its
/// elements are copied if strides cannot say it.
KRAIT_API any_array stack_of(const any_array& x, const std::int64_t* extents, int rank);

/// A kernel's parameter, and its element at a place: an array's, or a number.
template <class Operand>
struct ending_operand {
  static_assert(plain<Operand>, "krait: the operands of an ending must be arrays or numbers");
  using parameter = value<Operand>;
  static auto spread(const Operand& x, const std::int64_t*, int) { return x; }
  static value<Operand> at(const node& x, const node*) { return parameter(x); }
  static void pass(argument*& next, const Operand& x) {
    add_argument<parameter>(next, nullptr, 0, x);
  }
};
template <class Elem, int Rank>
struct ending_operand<array<Elem, Rank>> {
  using elem = std::remove_const_t<Elem>;
  using parameter = view<const elem, 3>;
  static any_array spread(const array<Elem, Rank>& x, const std::int64_t* extents, int rank) {
    return stack_of(erased(x), extents, rank);
  }
  static value<elem> at(const node& x, const node* place) {
    return element<elem>::read({x, {place[0], place[1], place[2]}, 3});
  }
  static void pass(argument*& next, const any_array& x) {
    *next++ = array_argument(typed<const elem, 3>(x));
  }
};

/// Makes an ending of a function and its operands. Out is the type that is stored; sums are of type
/// Word or Other.
template <class Out, class Word, class Other, class Function, class... More>
struct ending_of {
  static constexpr std::size_t count = sizeof...(More);
  struct parameter_list {
    parameter_type at[count + 1]{};
    constexpr parameter_list() {
      [[maybe_unused]] parameter_type* next = at;
      (parameter_traits<typename ending_operand<More>::parameter>::describe(next), ...);
    }
  };
  static constexpr parameter_list parameters{};

  template <class Sum, std::size_t... Index>
  static node apply(const Function& f, const Sum& sum, [[maybe_unused]] const node* operands,
                    [[maybe_unused]] const node* place, std::index_sequence<Index...>) {
    return node_of(as_value<Out>(f(sum, ending_operand<More>::at(operands[Index], place)...)));
  }
  static node record(const void* function, scalar type, node sum, const node* operands,
                     const node* place) {
    const Function& f = *static_cast<const Function*>(function);
    constexpr std::index_sequence_for<More...> all{};
    if constexpr (!std::is_void_v<Other> && !std::is_same_v<Word, Other>)
      if (type == scalar_of<Other>) return apply(f, value<Other>(sum), operands, place, all);
    return apply(f, value<Word>(sum), operands, place, all);
  }

  /// use(ending) with operands for a result of these extents.
  template <class Use>
  static void with(const Function& function, const std::int64_t* extents, int rank, const Use& use,
                   const More&... more) {
    const std::tuple<decltype(ending_operand<More>::spread(more, extents, rank))...> spread{
        ending_operand<More>::spread(more, extents, rank)...};
    argument arguments[count + 1];
    [[maybe_unused]] argument* next = arguments;
    std::apply([&](const auto&... each) { (ending_operand<More>::pass(next, each), ...); }, spread);
    with_kernels_of<ending_of, Function>::call(
        function, [&](const Function& held, kernel_set* kernels) {
          use(product_ending{kernels, &held, &record, parameters.at, arguments, count});
        });
  }
};

}  // namespace krait::detail
