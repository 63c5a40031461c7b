# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A stage of the compiler: one OBJECT library. Sources include each other as "ir/ir.h" and the public headers as "krait/…".
function(krait_stage name)
  add_library(krait_${name} OBJECT ${ARGN})
  target_include_directories(krait_${name} PUBLIC ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(krait_${name} PUBLIC krait_format)
  krait_options(krait_${name})
endfunction()

# What is delivered names no folder of the machine that built it: neither in messages nor in debug lines (tests/install/paths.sh).
macro(krait_hide_folders)
  add_compile_options(-ffile-prefix-map=${PROJECT_BINARY_DIR}=./build -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
endmacro()

# Warnings, and no contraction by the host compiler: results on plain values are compared bit by bit.
function(krait_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow -Wno-sign-conversion -Werror=switch -ffp-contract=off)
  if(KRAIT_WERROR)
    # g++ 12 sees overflows in inlined vector::insert that are none.
    target_compile_options(${target} PRIVATE -Werror $<$<CXX_COMPILER_ID:GNU>:-Wno-error=stringop-overflow>)
  endif()
endfunction()
