// error: krait: reading an element is a message: kr::dist::at(a, i, j), on all ranks; this rank's elements are a.owned()
#include <krait/dist.h>
#include <krait/krait.h>
#include <iostream>
namespace kr = krait;

void f([[maybe_unused]] kr::dist::array<double, 2>& t, [[maybe_unused]] kr::dist::array<double, 2>& next) {
#ifdef RIGHT
  (void)kr::dist::at(t, 0, 0);
#else
  (void)t(0, 0);
#endif
}
