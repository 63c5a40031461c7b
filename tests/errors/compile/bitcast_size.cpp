// error: krait: bitcast needs two types of the same size
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  x[0] = kr::bitcast<float>(k);
#else
  x[0] = kr::cast<float>(kr::bitcast<double>(k));
#endif
}
