# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Krait makes and runs x86-64 code: a build for another processor would crash at its first kernel.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^([xX]86[-_]64|AMD64|amd64)$")
  message(FATAL_ERROR "Krait runs on x86-64 processors only, so far, and this build is for ${CMAKE_SYSTEM_PROCESSOR}: build for x86-64. "
    "The PTX, SPIR-V, WGSL and web pages that krait dump and krait export write on an x86-64 machine work elsewhere.")
endif()
