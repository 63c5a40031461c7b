// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/sort/sorter.h"

namespace krait::host {

template class Sorter<std::uint32_t>;
template class Sorter<std::uint64_t>;

}  // namespace krait::host
