// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// volk's own code, compiled into the library.
#define VOLK_IMPLEMENTATION
#include <volk.h>
