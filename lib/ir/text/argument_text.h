// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of a launch as text:
//   3   -0x1p-3   nan   bits(2a)          a scalar of the parameter's type; its bits in hexadecimal
//   [64]=7   [4,16]={1,2,3}   …           a view by its extents, which may be products, and its
//                                         elements in C order:
//     NUMBER                all of them
//     {A,B,C}               these, again and again
//     ramp(FROM,STEP)       FROM, FROM + STEP, FROM + 2 STEP …
//     hash(N,FROM,STEP)     FROM + k STEP, the k without order and below N; FROM is 0 and STEP 1
//                           where they are left out
//     permuted(K)           every index once, in steps of K, which has no factor in common with the
//                           number of elements
//     random(SEED)          numbers of every size, and of floats the edges, too
//     bytes(HEX)            what lies in memory
// Elements of an aggregate are its bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "ir/text/kernel_file.h"

namespace krait::ir {

/// "3*32": 96.
std::int64_t product(std::string_view text);

class ArgumentReader {
 public:
  explicit ArgumentReader(std::string_view text) : text_(text) {}
  /// The next argument, for a parameter of this type. Throws krait::error.
  HostArgument argument(const Type& type);
  /// Throws krait::error where there are more.
  void end();

 private:
  [[noreturn]] void refuse(std::string_view what) const;
  bool accept(char c);
  void expect(char c);
  /// What comes before a blank, a comma or a bracket that closes.
  std::string_view word();
  std::vector<std::string_view> list(char end);
  void fill(HostArgument& a, Scalar s, std::size_t count);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace krait::ir
