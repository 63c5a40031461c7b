// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices by tensor cores: forms, and the choice among them. Tests and benchmarks
// choose forms, too.
#pragma once

#include <span>

#include "algorithms/matmul/products.h"
#include "algorithms/tensor_form.h"

namespace krait::host {

/// The forms for factors of a type.
KRAIT_API std::span<const TensorForm> tensor_forms(scalar factor);

/// What the choice of a form asks a device.
struct TensorDevice {
  std::int64_t shared;           // bytes of a block
  std::int64_t multiprocessors;  // of the device
  double bytes_per_microsecond;  // that a kernel reads of what another has just written
};
/// From what a device tells; 0: nothing.
KRAIT_API TensorDevice tensor_device(std::int64_t shared, std::int64_t multiprocessors,
                                     double bytes_per_second);
KRAIT_API TensorDevice tensor_device_of(void* handle);

struct ProductSize {
  std::int64_t batch, rows, columns, steps;
};
/// Where a form leaves multiprocessors idle they share the depth, if a part has as many steps as
/// hide what a block costs.
KRAIT_API std::int64_t most_parts(const TensorForm& f, const ProductSize& of,
                                  const TensorDevice& on);
/// In microseconds. Parts are summed up by a second kernel.
KRAIT_API double time_of(const TensorForm& f, const ProductSize& of, std::int64_t parts,
                         const TensorDevice& on);

struct TensorChoice {
  const TensorForm* form = nullptr;
  std::int64_t parts = 1;
};
/// The form that is predicted to be the fastest of those that fit the device's shared memory; of
/// nearly equal ones the largest, which copies least.
KRAIT_API TensorChoice choose_form(scalar factor, const ProductSize& of, const TensorDevice& on);
/// For groups of equal sizes, whose depth is not shared.
TensorChoice choose_group_form(scalar factor, const ProductSize& of, const TensorDevice& on);

/// The least shared memory of a block that has tensor cores at work.
std::int64_t least_tensor_memory(scalar factor);

/// An operand as the kernel reads it: with contiguous rows, or columns, in pieces of 16 bytes.
struct TensorOperand {
  any_array matrix;
  bool turned;
};
/// Factors that tensor cores take with k along rows or along columns; of others k runs along
/// memory.
inline bool lies_either_way(scalar factor) {
  return bytes_of(factor) == 2 || bytes_of(factor) == 8;
}
/// `turned`: k runs along columns in memory, if that matters to the type.
KRAIT_API TensorOperand tensor_operand_of(const any_array& x, bool turned);

/// In so many parts of the depth, which are summed up after.
KRAIT_API void multiply_tensor_form(const TensorForm& f, scalar sums, const TensorOperand& x,
                                    const TensorOperand& y, const any_array& out,
                                    std::int64_t parts, const product_ending& ending = {});
KRAIT_API void multiply_groups_form(const TensorForm& f, scalar sums, const any_array& x,
                                    const TensorOperand& y, const any_array& ends,
                                    const any_array& out, const product_ending& ending);
/// The recorded kernel of factors of this type, x as it is and y turned.
KRAIT_API text tensor_kernel_text(const TensorForm& f, scalar factor, scalar sums);

/// By the best form.
void multiply_tensor(const Product& p, scalar sums);

// ---- recording ------------------------------------------------------------------------------
/// A factor's tile in a view, and the slots in shared memory that it is copied to.
struct TilePart {
  detail::tile_shape shape;
  detail::tile_place place;
};
TilePart part_of(scalar type, int rows, int columns, node view,
                 std::initializer_list<detail::operand> first, edges how);
/// sums += left * right for each step of k; sources(step, edges) gives the left and the right part,
/// of which one that is `turned` is transposed. The first `whole` steps leave no operand.
struct TensorSteps {
  const TensorForm& form;
  scalar left, right;
  bool left_turned, right_turned;
  detail::tile_shape sum;
  detail::tile_nodes& sums;
};
void record_steps(const TensorSteps& with, const Index& steps, const Index& whole,
                  const std::function<std::pair<TilePart, TilePart>(const Index&, edges)>& sources);
/// The ending's elements as a tile.
detail::tile_nodes ended_tile(
    const detail::tile_shape& sum, const detail::tile_nodes& sums, scalar out,
    const std::function<Element(const Element&, const value<int>&, const value<int>&)>& end);

}  // namespace krait::host
