// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every public header includes before its first line of C++20, by what it includes: one sentence where the compiler has another
// standard. An #error alone lets the compiler go on, to thousands of errors; a file that is missing ends it.
#pragma once

#if __cplusplus < 202002L
#error "Krait needs C++20: compile with -std=c++20, or in CMake: target_compile_features(your_program PRIVATE cxx_std_20)"
#include "Krait needs C++20: compile with -std=c++20"
#endif
