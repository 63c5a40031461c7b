// error: krait: std::max is for plain numbers: on traced values write kr::max
#include <krait/krait.h>

#include <algorithm>

namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v) {
#ifdef RIGHT
  auto s = kr::max(v, 0.0f);
#else
  auto s = std::max(v, 0.0f);
#endif
}
