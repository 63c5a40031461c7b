// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of somebody else, built against the installed package.
#include <krait/krait.h>

int main() {
  return krait::vectorize([](auto x, auto y) { return x + y; })(3, 4) == 7 ? 0 : 1;
}
