// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plug-in's own allocation, seen by nothing outside of it (exports.map). LLVM is built without
// exceptions, so one that operator new throws must not pass LLVM's frames; the plug-in has the C++
// library in it for that. And while the plug-in is loaded, LLVM's static objects cannot fail but by
// ending the process: where the system has no memory then, they get some of a buffer. The linker
// leads what the plug-in calls malloc, calloc, realloc and free to the functions here (--wrap).
#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "codegen/llvm/guard.h"

extern "C" {
void* __real_malloc(std::size_t);
void* __real_calloc(std::size_t, std::size_t);
void* __real_realloc(void*, std::size_t);
void __real_free(void*);
void __wrap_free(void*);
}

namespace {

constexpr std::size_t unit = 64, room = std::size_t(1) << 20;
alignas(unit) char buffer[room];  // its pages are used as touched
std::size_t taken = 0;            // by the one thread that loads the plug-in
bool loading = true;

bool is_in_buffer(const void* memory) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory),
             begin = reinterpret_cast<std::uintptr_t>(buffer);
  return at >= begin && at < begin + room;
}
/// Zeros. The block's size stands in front of it.
void* take_of_buffer(std::size_t bytes) {
  const std::size_t whole = unit + (bytes + unit - 1) / unit * unit;
  if (!loading || bytes > room || room - taken < whole) return nullptr;
  char* const block = buffer + taken;
  taken += whole;
  std::memcpy(block, &bytes, sizeof bytes);
  return block + unit;
}

std::size_t size_of(void* block) {
  if (!is_in_buffer(block)) return malloc_usable_size(block);
  std::size_t bytes = 0;
  std::memcpy(&bytes, static_cast<char*>(block) - unit, sizeof bytes);
  return bytes;
}

void* allocate(std::size_t bytes, std::align_val_t alignment) noexcept {
  const auto aligned = std::size_t(alignment);
  void* const memory = std::aligned_alloc(aligned, (bytes + aligned - 1) / aligned * aligned);
  return memory || aligned > unit ? memory : take_of_buffer(bytes);
}

}  // namespace

extern "C" {
void* __wrap_malloc(std::size_t bytes) {
  void* const memory = __real_malloc(bytes);
  return memory ? memory : take_of_buffer(bytes);
}
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  void* const memory = __real_calloc(count, bytes);
  return memory || (bytes && count > room / bytes) ? memory : take_of_buffer(count * bytes);
}
void* __wrap_realloc(void* old, std::size_t bytes) {
  if (old && !is_in_buffer(old)) {
    void* const memory = __real_realloc(old, bytes);
    if (memory || !loading) return memory;
  }
  void* const memory = __wrap_malloc(bytes);
  if (memory && old) {
    const std::size_t before = size_of(old);
    std::memcpy(memory, old, before < bytes ? before : bytes);
    __wrap_free(old);
  }
  return memory;
}
void __wrap_free(void* memory) {
  if (!is_in_buffer(memory)) __real_free(memory);
}
}

void krait::codegen::end_of_loading() noexcept { loading = false; }

void* operator new(std::size_t bytes) {
  if (void* const memory = std::malloc(bytes ? bytes : 1)) return memory;
  krait::codegen::no_memory();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  if (void* const memory = allocate(bytes, alignment)) return memory;
  krait::codegen::no_memory();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes ? bytes : 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, alignment);
}
