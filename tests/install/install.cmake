# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the build into a folder of its own, moves it, and uses it from there: find_package, pkg-config, the tool.
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE text)
  set(output "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/prefix)  # nothing may remember where it was installed
set(libraries ${WORK}/prefix/${LIBDIR})

# find_package
run(${CMAKE_COMMAND} -S ${PROJECT} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/user)
run(${WORK}/build/user_of_packs)
function(refused files text)
  file(WRITE ${WORK}/refused.cmake "include(${libraries}/cmake/krait/kraitPack.cmake)\nkrait_pack(wrong ${files})\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -P ${WORK}/refused.cmake RESULT_VARIABLE failed ERROR_VARIABLE said)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  string(FIND "${said}" "${text}" at)
  if(at LESS 0 OR NOT failed)
    message(FATAL_ERROR "krait_pack(wrong ${files}): expected \"${text}\", not\n${said}")
  endif()
endfunction()
refused("" "krait_pack(wrong ): expected KERNELS and files, then TARGETS and targets, OUTPUT and a file")
refused("KERNELS sum.kir OUTPUT" "krait_pack(wrong KERNELS;sum.kir;OUTPUT): expected KERNELS and files")
refused("KERNELS sum.kir x.cpp" "krait_pack(wrong): kernels in text form (.kir) and sources of a program do not go into one pack: make two")

# pkg-config
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${libraries}/pkgconfig)
  run(${PKG_CONFIG} --cflags --libs krait)
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(${COMPILER} -std=c++20 ${PROJECT}/main.cpp ${flags} -Wl,-rpath,${libraries} -o ${WORK}/user)
  run(${WORK}/user)
else()
  message(STATUS "pkg-config is not installed: its file is not tested")
endif()

# The tool finds the library and the code generators beside it.
foreach(target cpu sm_90 "spirv features=i64")
  run(${WORK}/prefix/${BINDIR}/krait dump ${PROJECT}/sum.kir --emit asm --target ${target})
  if(NOT output MATCHES "[aA]dd")
    message(FATAL_ERROR "krait dump --target ${target} printed no code:\n${output}")
  endif()
endforeach()

# Only the public interface is visible: two versions of a private dependency may live in one process.
find_program(nm nm)
if(nm)
  run(${nm} -DC --defined-only ${libraries}/libkrait.so)
  string(REGEX REPLACE "\n[^\n]* krait::[^\n]*" "" others "\n${output}")
  string(REGEX REPLACE "\n[^\n]* (vtable|typeinfo|typeinfo name) for krait::error" "" others "${others}")
  string(REGEX REPLACE "\n[^\n]* T krait_[a-z_]+" "" others "${others}")  # krait_c.h
  string(REGEX REPLACE "\n[^\n]* __jit_debug_(descriptor|register_code)" "" others "${others}")  # gdb looks for these names
  string(STRIP "${others}" others)
  if(others)
    message(FATAL_ERROR "libkrait.so also exports:\n${others}")
  endif()
endif()

# The headers that are installed are all that there are, and no private one.
file(GLOB_RECURSE installed RELATIVE ${WORK}/prefix/${INCLUDEDIR} ${WORK}/prefix/${INCLUDEDIR}/*)
file(GLOB_RECURSE own RELATIVE ${SOURCE}/include ${SOURCE}/include/*)
if(NOT installed STREQUAL own)
  message(FATAL_ERROR "installed headers: ${installed}\nheaders: ${own}")
endif()
