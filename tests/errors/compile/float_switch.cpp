// error: krait: switch_ needs an integer or an enumeration
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  kr::switch_(k).case_(1, [&] { x[0] = 1; });
#else
  kr::switch_(v).case_(1, [&] { x[0] = 1; });
#endif
}
