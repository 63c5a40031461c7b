// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// error: krait: a volatile_view needs a writable kr::view<T>, not a kr::view<const T>
#include <krait/krait.h>
#include <krait/volatile.h>
namespace kr = krait;

#ifdef RIGHT
using element = float;
#else
using element = const float;
#endif
auto k = kr::kernel([](kr::view<element> x, kr::view<float> y) {
  kr::volatile_view v(x);
  y[0] = v.load(0);
});
