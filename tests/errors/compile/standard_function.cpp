// error: krait: std::sin is for plain numbers: on traced values write kr::sin
#include <krait/krait.h>

#include <cmath>

namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v) {
#ifdef RIGHT
  auto s = kr::sin(v);
#else
  // [sine]
  auto s = std::sin(v);
  // [/sine]
#endif
}
