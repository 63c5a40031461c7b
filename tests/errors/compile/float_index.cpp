// error: krait: an index must be an integer: convert it with kr::cast<int>(v)
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  x[kr::cast<int>(v)] = 1;
#else
  x[v] = 1;
#endif
}
