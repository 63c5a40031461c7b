// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instead of new.cpp where a sanitizer allocates.
#include "codegen/llvm/guard.h"

void krait::codegen::end_of_loading() noexcept {}
