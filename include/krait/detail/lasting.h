// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that functions of the headers make once: kernels, mostly. Static objects of a program may
// use them in their destructors, so they outlive those. At exit they are never destroyed. When a
// library that has them is unloaded, they are destroyed after all of its static objects.
#pragma once

#include <utility>

#include <krait/detail/export.h>

namespace krait::detail {

/// `inside` is an address in the library, or the program, that owns the object.
KRAIT_API void keep_while_loaded(const void* inside, void* object, void (*destroy)(void*));
/// Destroys what that library owns, the last first; nothing where the process ends.
KRAIT_API void destroy_kept(const void* inside) noexcept;

/// The object for a static reference: `static auto& k = lasting(kernel(…));`. Types that several
/// functions keep need a `For` of their own, by whose code the linker chooses whose the object is.
template <class For = void, class Type>
Type& lasting(Type made) {
  static const char inside = 0;
  Type* const object = new Type(std::move(made));
  try {
    keep_while_loaded(&inside, object, [](void* it) { delete static_cast<Type*>(it); });
  } catch (...) {
    delete object;
    throw;
  }
  return *object;
}

// Destructors with a priority run after those of static objects. Each source of the library has
// one; all but the first do nothing.
__attribute__((destructor(101), used)) static void destroy_lasting() {
  destroy_kept(reinterpret_cast<const void*>(&destroy_lasting));
}

}  // namespace krait::detail
