// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KRAIT_PLAIN: a function on plain numbers. On x86-64 it is compiled twice, with and without fused
// multiply-add instructions; without them std::fma computes the same. (Clang cannot combine the
// attributes that this takes; there the C library's fma chooses.)
#pragma once

#include "krait/detail/export.h"

#if defined(__x86_64__) && !defined(__clang__)
#define KRAIT_PLAIN KRAIT_API __attribute__((target_clones("fma", "default"), flatten))
#else
#define KRAIT_PLAIN KRAIT_API __attribute__((flatten))
#endif
