// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Users' functions without their types, as the headers of algorithms give them to the library,
// which records and launches the kernels (lib/algorithms). Only the function itself is compiled
// with the program.
#pragma once

#include <krait/algorithm/detail/any_array.h>
#include <krait/detail/lasting.h>

namespace krait::detail {

/// Kernels that contain one user's function; they are made at their first launch.
struct kernel_set;
KRAIT_API kernel_set* make_kernel_set();
KRAIT_API void free_kernel_set(kernel_set* kernels) noexcept;

/// A user's function of elements, as the library records it into its kernels.
struct element_function {
  /// Writes the scalars of the result; y: of the second operand, if there are two.
  void (*record)(const void* function, const node* x, const node* y, node* result);
  const void* function;
  kernel_set* kernels;
};

/// The result of a user's function as a Type.
template <class Type, class From>
value<Type> as_value(const From& x) {
  if constexpr (plain<Type>) return cast<Type>(x);
  else return value<Type>(x);
}

/// A Function of Operands elements of type Elem that gives a Result. Without state, its type says
/// all: its kernels are kept.
template <class Function, class Result, class Elem, int Operands>
class recorded_function {
 public:
  explicit recorded_function(const Function& f) : function_(f), kernels_(make_kernel_set()) {}
  recorded_function(recorded_function&& other) noexcept
      : function_(other.function_), kernels_(other.kernels_) {
    other.kernels_ = nullptr;
  }
  ~recorded_function() { free_kernel_set(kernels_); }

  /// Calls use(element_function).
  template <class Use>
  static auto with(const Function& f, const Use& use) {
    if constexpr (std::is_empty_v<Function>) {
      static auto& kept = lasting<recorded_function>(recorded_function(f));
      return use(kept.as_element_function());
    } else {
      const recorded_function once(f);
      return use(once.as_element_function());
    }
  }

 private:
  element_function as_element_function() const { return {&record, &function_, kernels_}; }
  static value<Elem> from(const node* scalars) {
    node_source source{scalars};
    return value<Elem>(source);
  }
  static void record(const void* function, const node* x, [[maybe_unused]] const node* y,
                     node* result) {
    const Function& f = *static_cast<const Function*>(function);
    if constexpr (Operands == 1) write_nodes(as_value<Result>(f(from(x))), result);
    else write_nodes(as_value<Result>(f(from(x), from(y))), result);
  }

  [[no_unique_address]] Function function_;
  kernel_set* kernels_;
};

}  // namespace krait::detail
