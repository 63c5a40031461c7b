// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One case of word_cases.py: what Krait makes of it, compared with what NumPy did. Each element
// type is compiled in a file of its own.
#pragma once

#include <complex>
#include <istream>
#include <string>

namespace krait::test {

/// The first difference, or empty. `known` becomes false for a function that the type does not
/// have.
template <class T>
std::string run_word(const std::string& function, std::istream& in, bool& known);

}  // namespace krait::test
