// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: how the library records the kernels of one (lib/algorithms/reduce/kernel.cpp) and
// runs them (lib/algorithms/reduce/reduce.cpp). A few small functions depend on types; the kernels'
// loops and trees are recorded in the library.
#pragma once

#include <krait/detail/elementwise.h>

namespace krait::detail {

/// The scalars of a value that is passed around while a kernel is recorded.
inline constexpr int max_words = 10;
struct words {
  node at[max_words];
};

/// Where an element is: an index a dimension of the inputs, and its number among the elements that
/// one result is made of.
struct reduced_place {
  const node* indices;
  int rank;
  node number;
};

/// How elements become a result: element → joined with others of its kind → absorbed in a state →
/// combined with other states → finished. Sums of floats join in their own type and absorb with the
/// rounding errors; in most reductions the two kinds are one.
struct reduction_recipe {
  const char* name;                   // NumPy's, for messages
  int state_words;                    // an element has the first of them, or all
  scalar types[max_words];            // of both
  std::uint64_t identity[max_words];  // of the state, bits
  scalar result;
  std::uint32_t result_bytes;
  int results;          // that the elements of one result give, side by side: mostly 1
  bool needs_elements;  // a result of no element is an error unless an initial value is given
  bool numbered;        // elements are numbered in C order

  const parameter_type* inputs;  // rank 0: numbers; arrays get the rank that a launch has
  unsigned input_nodes;

  words (*enter)(const node* inputs, const reduced_place& at);
  words (*join)(const words& x, const words& y);
  words (*absorb)(const words& state, const words& element);
  words (*combine)(const words& x, const words& y);
  /// The `results`. `count`: elements that each is made of, an i64.
  words (*finish)(const words& state, node count);
};

struct reduction_kernels;  // compiled code of one recipe
KRAIT_API reduction_kernels* make_reduction(const reduction_recipe& recipe);
KRAIT_API void free_reduction(reduction_kernels* kernels) noexcept;
struct reduction_owner {
  explicit reduction_owner(reduction_kernels* made) noexcept : kernels(made) {}
  reduction_owner(reduction_owner&& other) noexcept : kernels(other.kernels) {
    other.kernels = nullptr;
  }
  reduction_owner& operator=(reduction_owner&&) = delete;
  ~reduction_owner() { free_reduction(kernels); }
  reduction_kernels* kernels;
};

/// Axes of an array, given from the front or the end, as bits. Throws error{usage} for others, and
/// for one that is given twice.
KRAIT_API unsigned axes_mask(const std::int64_t* axes, int count, int rank);
/// The extents of the first `own` inputs; the rest are a mask's, which broadcast to them. Throws
/// error{usage} for inputs that do not, and for a mask without a value to start from (`starts`)
/// where the recipe has no result of no element.
KRAIT_API void reduced_shape(const reduction_recipe& of, const argument* inputs, std::size_t own,
                             bool starts, int rank, std::int64_t* extents);
/// Writes the results into `out`, contiguous, in C order of the dimensions that stay. `extents` are
/// what the inputs broadcast to; `initial`: words of a state, or null. Throws error{usage} for
/// reductions of nothing.
KRAIT_API void reduce(reduction_kernels* kernels, const argument* inputs, int rank,
                      const std::int64_t* extents, unsigned axes, const std::uint64_t* initial,
                      const argument& out);
/// The `results` of all elements, into memory of the host. Waits for them.
KRAIT_API void reduce_to_number(reduction_kernels* kernels, const argument* inputs, int rank,
                                const std::int64_t* extents, const std::uint64_t* initial,
                                void* result);

}  // namespace krait::detail
