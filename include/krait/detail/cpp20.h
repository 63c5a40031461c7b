// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every public header includes this before its first line of C++20, directly or not. It gives one
// sentence if the compiler has another standard. An #error alone lets the compiler go on, to
// thousands of errors; a missing file ends it.
#pragma once

#if __cplusplus < 202002L
#error \
    "Krait needs C++20: compile with -std=c++20, or in CMake: target_compile_features(your_program PRIVATE cxx_std_20)"
#include "Krait needs C++20: compile with -std=c++20"
#endif
