// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ways to multiply matrices share. Operands and results have three dimensions, the batch
// first.
#pragma once

#include "algorithms/record/kernels.h"
#include "algorithms/tuning.h"
#include "krait/algorithm/detail/product.h"

namespace krait::host {

using detail::divided_up;
using detail::product_ending;

/// A product that is to be computed. Sums are words.
struct Product {
  const any_array &x, &y, &out;
  scalar word;
  const product_ending& ending;
};

/// An ending as its kernels record it: without the operands of a call.
struct RecordedEnding {
  decltype(product_ending::record) record;
  const void* function;
  scalar out;
  /// The element to store. `operands`: the nodes of the ending's parameters.
  Element of(const Element& sum, const Index& batch, const Index& row, const Index& column,
             const node* operands) const;
};

/// The kernel of that body, a lambda of Parameters and the ending, of those with this ending. Its
/// parameters are followed by the ending's operands.
template <class Body>
const Kernel& kernel_of(const product_ending& ending, scalar out, const char* name,
                        const Facts& facts, std::initializer_list<Parameter> parameters,
                        const Body& body, const options& with = default_options) {
  const auto record = [body, ended = RecordedEnding{ending.record, ending.function, out}](
                          const Parameters& p) { body(p, ended); };
  return kernel_of(ending.kernels ? *ending.kernels : own_kernels(), name, facts, parameters,
                   record, with, {ending.parameters, ending.count});
}
/// The arguments of the ending's operands, after all others.
inline std::span<const argument> operands_of(const product_ending& ending) {
  return {ending.arguments, ending.count};
}

/// `dots`: by kr::dot4 for bytes, by kr::dot2_bf16 for bf16; `tiles`: of those, by products of
/// words. A thread has so many rows of a column; a product of words has as many.
struct PanelForm {
  bool dots = false, tiles = false;
  int rows = 1;
};
/// By panels, on a CPU.
KRAIT_API void multiply_panels(const Product& p, PanelForm form);
/// By tiles in shared memory, on GPUs: of a size that fills the device, or of this one.
KRAIT_API void multiply_tiles(const Product& p);
KRAIT_API void multiply_in_registers(const Product& p, int own_rows, int own_columns);
/// The elements as words in `to`, with zeros after the rows and columns of x.
void copy_padded(const any_array& x, const any_array& to);

}  // namespace krait::host
