// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For one source of a program: its allocations, and those of all libraries in it, fail where it
// asks for that.
#pragma once

#include <sys/auxv.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace krait::test {

/// Allocations since counting began, and the one of them that fails; 0: none does. With `on`, all
/// later ones fail, too.
inline std::atomic<long> allocated{0}, failing{0};
inline std::atomic<bool> counting{false}, failing_on{false};

inline void fail_allocation(long number, bool on = false) {
  failing = number, failing_on = on, allocated = 0, counting = true;
}
/// How many there were.
inline long end_of_failing() {
  counting = false;
  return allocated;
}
/// The loader ends the process where it cannot give a thread its thread-local data: what it asks
/// for on other threads than the first does not fail.
inline bool is_for_thread_data(const void* caller) {
  static const std::uintptr_t loader = getauxval(AT_BASE), begins = loader,
                              ends = loader + (std::uintptr_t(1) << 18);
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  return at >= begins && at < ends && gettid() != getpid();
}
inline bool fails(const void* caller) {
  if (!counting.load(std::memory_order_relaxed) || is_for_thread_data(caller)) return false;
  const long number = ++allocated, at = failing;
  if (at == 0 || (failing_on ? number < at : number != at)) return false;
  errno = ENOMEM;
  return true;
}

}  // namespace krait::test

// glibc's own names, under the public ones; operator new comes here too.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t bytes) {
  return krait::test::fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(bytes);
}
void* calloc(std::size_t n, std::size_t bytes) {
  return krait::test::fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(n, bytes);
}
void* realloc(void* old, std::size_t bytes) {
  return krait::test::fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(old, bytes);
}
void* memalign(std::size_t align, std::size_t bytes) {
  return krait::test::fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(align, bytes);
}
void* aligned_alloc(std::size_t align, std::size_t bytes) {
  return krait::test::fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(align, bytes);
}
int posix_memalign(void** to, std::size_t align, std::size_t bytes) {
  void* const memory =
      krait::test::fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(align, bytes);
  if (memory) *to = memory;
  return memory ? 0 : ENOMEM;
}
}
