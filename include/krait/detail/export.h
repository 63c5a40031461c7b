// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <krait/detail/cpp20.h>

/// Marks what the shared library exports; everything else is hidden.
#define KRAIT_API __attribute__((visibility("default")))
