# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A stage of the compiler: one OBJECT library. Sources include each other as "ir/ir.h" and the public headers as "krait/…".
function(krait_stage name)
  add_library(krait_${name} OBJECT ${ARGN})
  target_include_directories(krait_${name} PUBLIC ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(krait_${name} PUBLIC krait_format)
  krait_options(krait_${name})
  krait_in_batches(krait_${name})
endfunction()

# A whole build compiles eight sources as one: the headers are read once, and it takes a third of the time. The other arguments are
# sources that stay alone, as they have names that others have, too. tools/alone.py sees that no source lacks an include.
function(krait_in_batches target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${KRAIT_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  if(KRAIT_UNITY)  # a name of one source is no mistake in another
    target_compile_options(${target} PRIVATE -Wno-shadow)
  endif()
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
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
