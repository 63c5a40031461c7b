// error: krait: this operator needs integers: convert with kr::cast<int>(v)
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  x[0] = k << 2;
#else
  x[0] = v << 2;
#endif
}
