// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <krait/interop/files.h>
