// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arrays/case_reader.h"

namespace krait::test {

/// What kr::einsum gives for the operands that are read.
Any<int> run_einsum(const std::string& subscripts, std::istream& in);
/// What kr::matmul gives for operands of ranks as "32".
Any<int> run_matmul(const std::string& ranks, std::istream& in);
/// The same of kr::dot.
Any<int> run_dot(const std::string& ranks, std::istream& in);

}  // namespace krait::test
