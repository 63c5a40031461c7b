// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's part of an array in a file, in C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "krait/detail/layout.h"

namespace krait::dist {

struct FilePart {
  std::string path;
  std::uint64_t begin = 0;  // of the elements, in bytes
  int rank = 0;
  std::int64_t extents[krait::detail::max_rank]{}, first[krait::detail::max_rank]{},
      count[krait::detail::max_rank]{};
  std::size_t element_bytes = 0;
};

/// Calls f(number of its first element in the whole array, and in the part) for each row.
template <class Function>
void each_row(const FilePart& of, const Function& f) {
  if (of.rank == 0) return f(std::uint64_t(0), std::size_t(0));
  std::int64_t at[krait::detail::max_rank]{};
  const int last = of.rank - 1;
  for (int d = 0; d < of.rank; ++d)
    if (of.count[d] == 0) return;
  for (std::size_t done = 0;; done += std::size_t(of.count[last])) {
    std::uint64_t place = 0;
    for (int d = 0; d < of.rank; ++d)
      place = place * std::uint64_t(of.extents[d]) + std::uint64_t(of.first[d] + at[d]);
    f(place, done);
    int d = last - 1;
    for (; d >= 0 && ++at[d] == of.count[d]; --d) at[d] = 0;
    if (d < 0) return;
  }
}

}  // namespace krait::dist
