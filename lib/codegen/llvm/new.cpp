// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plug-in's own operator new, seen by nothing outside of it (exports.map): LLVM is built without exceptions, so one that it throws
// must not pass LLVM's frames. The plug-in has the C++ library in it for that; its operator delete calls std::free.
#include <cstdlib>
#include <new>

#include "codegen/llvm/guard.h"

namespace {

void* allocate(std::size_t bytes) noexcept { return std::malloc(bytes ? bytes : 1); }
void* allocate(std::size_t bytes, std::align_val_t alignment) noexcept {
  const auto unit = std::size_t(alignment);
  return std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (void* const memory = allocate(bytes)) return memory;
  krait::codegen::no_memory();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  if (void* const memory = allocate(bytes, alignment)) return memory;
  krait::codegen::no_memory();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, alignment);
}
