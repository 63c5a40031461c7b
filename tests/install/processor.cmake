# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A build for a processor that Krait has no code for is refused with a sentence; no cross compiler takes part.
foreach(processor x86_64 AMD64)
  execute_process(COMMAND ${CMAKE_COMMAND} -DCMAKE_SYSTEM_PROCESSOR=${processor} -P ${SOURCE}/cmake/processor.cmake COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(processor aarch64 arm64 riscv64 i686 "")
  execute_process(COMMAND ${CMAKE_COMMAND} -DCMAKE_SYSTEM_PROCESSOR=${processor} -P ${SOURCE}/cmake/processor.cmake RESULT_VARIABLE result ERROR_VARIABLE said)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  if(result EQUAL 0 OR NOT said MATCHES "Krait runs on x86-64 processors only, so far, and this build is for ${processor}: build for x86-64. The PTX, SPIR-V, WGSL and web pages that krait dump and krait export write on an x86-64 machine work elsewhere.")
    message(FATAL_ERROR "\"${processor}\" is not refused: ${said}")
  endif()
endforeach()
