// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ways to multiply matrices share. Operands and results have three dimensions, the batch
// first.
#pragma once

#include "algorithms/library_kernel.h"
#include "krait/algorithm/detail/product.h"

namespace krait::detail {

struct product_kernels {
  host::KernelStore made;
};

}  // namespace krait::detail

namespace krait::host {

using detail::any_array;
using detail::divided_up;
using detail::product_ending;

/// A product that is to be computed. Sums are words.
struct Product {
  const any_array &x, &y, &out;
  scalar word;
  const product_ending& ending;
};

/// An ending as its kernels record it: without the operands of a call.
class RecordedEnding {
 public:
  RecordedEnding(const product_ending& of, scalar out)
      : record_(of.record),
        function_(of.function),
        parameters_(of.parameters, of.parameters + of.count),
        out_(out) {}
  void add_parameters(std::vector<detail::parameter_type>& to) const {
    to.insert(to.end(), parameters_.begin(), parameters_.end());
  }
  /// The element to store. `operands`: the nodes of the ending's parameters.
  Number of(const Number& sum, const Index& batch, const Index& row, const Index& column,
            const node* operands) const;

 private:
  decltype(product_ending::record) record_;
  const void* function_;
  std::vector<detail::parameter_type> parameters_;
  scalar out_;
};

/// The kernel for a key, of those with this ending.
inline const LibraryKernel& kernel_of(const product_ending& ending, const KernelKey& key,
                                      const KernelStore::Make& make) {
  return (ending.kernels ? ending.kernels->made : KernelStore::of_library()).of(key, make);
}
/// Launches with the operands of the ending after all others.
void launch_ended(const LibraryKernel& kernel, const dims& blocks, int threads,
                  LibraryKernel::Arguments arguments, const product_ending& ending);

/// A new array of a dense layout, in any order of dimensions.
any_array new_array(scalar type, std::uint32_t bytes, const detail::layout& at, void* on);
/// In C order.
inline any_array new_array(scalar type, std::initializer_list<std::int64_t> extents, void* on) {
  return new_array(type, bytes_of(type), detail::dense(extents.begin(), int(extents.size()), false),
                   on);
}
/// The elements in a new array in C order.
any_array copied(const any_array& x);
/// The elements with other extents: shared where strides can say it, else copied.
any_array reshaped(any_array x, const std::int64_t* extents, int rank);
/// With the last two dimensions exchanged.
any_array transposed(const any_array& x);
/// Bytes from address 0; 0 where there is no element.
std::uint64_t address_of(const any_array& x);

/// By panels, on a CPU. `dots`: by kr::dot4 for bytes, by kr::dot2_bf16 for bf16. A thread has so
/// many rows of a column.
KRAIT_API void multiply_panels(const Product& p, bool dots, int rows);
/// By tiles in shared memory, on GPUs: of a size that fills the device, or of this one.
KRAIT_API void multiply_tiles(const Product& p);
KRAIT_API void multiply_in_registers(const Product& p, int own_rows, int own_columns);
/// The elements as words in `to`, with zeros after the rows and columns of x.
void copy_padded(const any_array& x, const any_array& to);

/// Threads of a block of the kernels for GPUs.
inline constexpr int tile_threads = 256;

}  // namespace krait::host
