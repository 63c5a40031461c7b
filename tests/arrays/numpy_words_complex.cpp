// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arrays/numpy_words_of.h"

#include <algorithm>

namespace krait::test {

template std::string run_word<std::complex<float>>(const std::string&, std::istream&, bool&);
template std::string run_word<std::complex<double>>(const std::string&, std::istream&, bool&);

}  // namespace krait::test
