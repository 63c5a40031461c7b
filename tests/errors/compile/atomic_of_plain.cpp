// error: krait: atomic needs an element of a writable view: kr::atomic(x[i])
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto k = kr::kernel([](kr::view<int> count) {
#ifndef RIGHT
  int found = 0;
  kr::atomic(found).add(1);
#else
  kr::atomic(count[0]).add(1);
#endif
});
