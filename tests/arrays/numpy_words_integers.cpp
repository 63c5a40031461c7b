// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arrays/numpy_words_of.h"

#include <algorithm>

namespace krait::test {

template std::string run_word<bool>(const std::string&, std::istream&, bool&);
template std::string run_word<std::uint8_t>(const std::string&, std::istream&, bool&);
template std::string run_word<std::int16_t>(const std::string&, std::istream&, bool&);

}  // namespace krait::test
