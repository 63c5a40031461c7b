// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays and users' functions without their types: what the headers of algorithms give the library,
// which records and launches the kernels (lib/algorithms). Only the function itself is compiled
// with the program.
#pragma once

#include <krait/aggregate.h>
#include <krait/detail/arguments.h>
#include <krait/detail/lasting.h>

namespace krait::detail {

/// The scalars of an array's element.
struct element_type {
  const leaf* scalars;
  unsigned count;
  std::uint32_t bytes;
  scalar whole;   // of a number; none: a struct
  bool as_bytes;  // a struct that a launch passes as bytes
};
template <class Type>
const element_type& element_type_of() {
  if constexpr (plain<Type>) {
    static constexpr leaf only{scalar_of<Type>, 0};
    static constexpr element_type made{&only, 1, sizeof(Type), scalar_of<Type>, false};
    return made;
  } else {
    static const leaf_list<Type> leaves;
    static const element_type made{leaves.at, leaf_count<Type>, sizeof(Type), scalar::none,
                                   travels_as_bytes<Type>};
    return made;
  }
}

/// An array, while the reference to its memory lasts.
struct erased_array {
  const element_type& type;
  layout at;
  const memory_share& memory;
  void* device;
};
template <class Elem, int Rank>
erased_array any_of(const array<Elem, Rank>& x) {
  return {element_type_of<std::remove_const_t<Elem>>(), x.at(), x.memory_owner(),
          handle_of(x.device())};
}

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
      return use(kept.erased());
    } else {
      const recorded_function once(f);
      return use(once.erased());
    }
  }

 private:
  element_function erased() const { return {&record, &function_, kernels_}; }
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
