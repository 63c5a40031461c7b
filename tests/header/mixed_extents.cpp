// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes in braces, of integers of several types: nothing narrows, by any compiler.
#include <krait/algorithm/random.h>
#include <krait/krait.h>
#include <krait/span.h>

namespace kr = krait;

void shapes(std::size_t n, int m, long k, unsigned short s, bool fortran, float* memory) {
  kr::array<float, 2> a({n, 3}), b({3, n}), c({n, k}), d({m, k}), e({s, n}), f({2, 3}),
      g({n, n}, kr::device::cpu());
  kr::array<float, 1> line({n});
  kr::array<float, 3> cube({n, m, 3});
  auto z = kr::zeros<float>({n, 3}), o = kr::ones<float>({m, n}),
       h = kr::empty<float>({k, n}, kr::device::cpu());
  auto full = kr::full({n, 3}, 7.5f);
  auto wrapped =
      kr::wrap(memory, {n, 3}, fortran ? kr::storage_order::fortran : kr::storage_order::c);
  auto random = kr::generator(7).uniform({n, 3}, 0.0f, 1.0f);
  static_assert(decltype(z)::rank == 2 && decltype(full)::rank == 2 &&
                decltype(wrapped)::rank == 2 && decltype(random)::rank == 2);
}
