// error: krait: dot takes one dimension: kr::sum(x * y) adds all products
#include <krait/dist.h>
#include <krait/krait.h>
#include <iostream>
namespace kr = krait;

void f([[maybe_unused]] kr::dist::array<double, 2>& t, [[maybe_unused]] kr::dist::array<double, 2>& next) {
#ifdef RIGHT
  (void)kr::sum(t * next);
#else
  (void)kr::dot(t, next);
#endif
}
