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

/// A function, and the kernels that contain it. Without state, its type says all: its kernels are
/// kept, for each use by another code.
template <class For, class Function>
class with_kernels_of {
 public:
  with_kernels_of(with_kernels_of&& other) noexcept
      : function_(std::move(other.function_)), kernels_(other.kernels_) {
    other.kernels_ = nullptr;
  }
  ~with_kernels_of() { free_kernel_set(kernels_); }

  /// use(function, kernels).
  template <class Use>
  static auto call(const Function& f, const Use& use) {
    if constexpr (std::is_empty_v<Function>) {
      static const auto& kept = lasting<For>(with_kernels_of(f));
      return use(kept.function_, kept.kernels_);
    } else {
      const with_kernels_of once(f);
      return use(once.function_, once.kernels_);
    }
  }

 private:
  explicit with_kernels_of(const Function& f) : function_(f), kernels_(make_kernel_set()) {}

  [[no_unique_address]] Function function_;
  kernel_set* kernels_;
};

/// A Function of Operands elements of type Elem that gives a Result.
template <class Function, class Result, class Elem, int Operands>
struct recorded_function {
  /// Calls use(element_function).
  template <class Use>
  static auto with(const Function& f, const Use& use) {
    return with_kernels_of<recorded_function, Function>::call(
        f, [&](const Function& held, kernel_set* kernels) {
          return use(element_function{&record, &held, kernels});
        });
  }

 private:
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
};

}  // namespace krait::detail
