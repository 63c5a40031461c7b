// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   word_cases.py SEED COUNT | numpy_words
// Calls Krait's function for each line and compares with what NumPy made of it.
#include "arrays/numpy_words.h"

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>

#include <krait/krait.h>

namespace {

using Run = std::string (*)(const std::string&, std::istream&, bool&);
const std::map<std::string, Run> types = {
    {"bool", krait::test::run_word<bool>},
    {"u8", krait::test::run_word<std::uint8_t>},
    {"i16", krait::test::run_word<std::int16_t>},
    {"i32", krait::test::run_word<std::int32_t>},
    {"u32", krait::test::run_word<std::uint32_t>},
    {"i64", krait::test::run_word<std::int64_t>},
    {"f32", krait::test::run_word<float>},
    {"f64", krait::test::run_word<double>},
    {"c64", krait::test::run_word<std::complex<float>>},
    {"c128", krait::test::run_word<std::complex<double>>},
};

}  // namespace

int main() {
  std::map<std::string, int> counts;
  int wrong = 0, all = 0;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string function, type;
    in >> function >> type;
    std::string said;
    bool known = true;
    try {
      said = types.at(type)(function, in, known);
      if (!known) said = "no such function of this type";
    } catch (const krait::error& e) {
      said = std::string("krait::error: ") + e.message();
    } catch (const std::exception& e) {
      said = std::string("exception: ") + e.what();
    }
    ++all, ++counts[function];
    if (!said.empty()) {
      ++wrong;
      std::printf("%s\n  %s\n", line.c_str(), said.c_str());
    }
  }
  for (const auto& [function, count] : counts) std::printf("%s %d, ", function.c_str(), count);
  std::printf("\n%d cases of %zu functions, %d wrong\n", all, counts.size(), wrong);
  return wrong != 0 || all == 0;
}
