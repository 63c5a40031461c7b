// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// error: krait: a linked function takes and returns numbers of 32 or 64 bits
#include <krait/krait.h>
#include <krait/native.h>

#ifdef RIGHT
auto narrow = krait::linked_function<float(int)>("narrow", ".func narrow()", [](auto x) { return x; });
#else
auto narrow = krait::linked_function<float(short)>("narrow", ".func narrow()", [](auto x) { return x; });
#endif
