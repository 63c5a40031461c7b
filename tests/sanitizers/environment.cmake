# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Options of the sanitizers, where a build has them. Tests ask for more memory than there is, and start threads after fork.
set(ENV{ASAN_OPTIONS} allocator_may_return_null=1:detect_stack_use_after_return=1)
set(ENV{LSAN_OPTIONS} suppressions=${CMAKE_CURRENT_LIST_DIR}/lsan.supp:print_suppressions=0)
set(ENV{UBSAN_OPTIONS} print_stacktrace=1)
set(ENV{TSAN_OPTIONS} suppressions=${CMAKE_CURRENT_LIST_DIR}/tsan.supp:print_suppressions=0:allocator_may_return_null=1:die_after_fork=0)
