# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Read by ctest before it starts tests: they compile what they test, and leave the user's cache alone. Tests of the cache name a
# folder of their own.
set(ENV{KRAIT_CACHE} memory)
include(${CMAKE_CURRENT_LIST_DIR}/sanitizers/environment.cmake)
