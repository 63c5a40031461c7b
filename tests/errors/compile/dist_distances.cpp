// error: krait: a stencil's at() has a distance for each dimension
#include <krait/dist.h>
#include <krait/krait.h>
#include <iostream>
namespace kr = krait;

void f([[maybe_unused]] kr::dist::array<double, 2>& t, [[maybe_unused]] kr::dist::array<double, 2>& next) {
#ifdef RIGHT
  kr::dist::stencil([](auto at) { return at(0, 1); }, t, next);
#else
  kr::dist::stencil([](auto at) { return at(1); }, t, next);
#endif
}
