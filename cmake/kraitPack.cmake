# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# krait_pack(NAME KERNELS FILE… [TARGETS TARGET…] [OUTPUT PACK])
#
# A pack that is made when the project is built, by the target NAME: NAME.kpack in the current binary folder, or PACK. Its path is the
# target's property KRAIT_PACK. Kernels in text form (.kir) are packed by `krait pack`. Other files are the sources of a program that calls
# kr::pack itself: its arguments are the pack and, where they are given here, the targets with semicolons between.
include_guard()

function(krait_pack name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT" "KERNELS;TARGETS")
  if(NOT arg_KERNELS OR arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "krait_pack(${name} ${ARGN}): expected KERNELS and files, then TARGETS and targets, OUTPUT and a file")
  endif()
  set(text ${arg_KERNELS})
  list(FILTER text INCLUDE REGEX "\\.kir$")
  if(text AND NOT text STREQUAL arg_KERNELS)
    message(FATAL_ERROR "krait_pack(${name}): kernels in text form (.kir) and sources of a program do not go into one pack: make two")
  endif()
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT ${name}.kpack)
  endif()
  cmake_path(ABSOLUTE_PATH arg_OUTPUT BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  set(makers $<TARGET_FILE:krait::krait>)  # another Krait makes it anew
  if(TARGET krait_codegen)
    list(APPEND makers krait_codegen)
  endif()
  set(files "")
  foreach(file ${arg_KERNELS})
    cmake_path(ABSOLUTE_PATH file)
    list(APPEND files ${file})
  endforeach()
  set(command $<TARGET_FILE:krait::tool> pack ${arg_OUTPUT} ${files})
  set(option --targets)
  if(NOT text)
    add_executable(${name}_program ${files})
    target_link_libraries(${name}_program PRIVATE krait::krait)
    set(command $<TARGET_FILE:${name}_program> ${arg_OUTPUT})
    set(option "")
    list(APPEND makers ${name}_program)
  endif()
  if(arg_TARGETS)
    list(JOIN arg_TARGETS "; " targets)
    list(APPEND command ${option})
    string(REPLACE ";" "\\;" targets "${targets}")
    list(APPEND command "${targets}")
  endif()
  # What a developer checks is not what is shipped.
  add_custom_command(OUTPUT ${arg_OUTPUT} COMMAND ${CMAKE_COMMAND} -E env --unset=KRAIT_CHECK ${command} DEPENDS ${files} ${makers} VERBATIM
                     COMMENT "Packing kernels into ${arg_OUTPUT}")
  add_custom_target(${name} ALL DEPENDS ${arg_OUTPUT})
  set_target_properties(${name} PROPERTIES KRAIT_PACK ${arg_OUTPUT})
endfunction()
