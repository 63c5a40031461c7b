// error: krait: a kr::value (and `auto`) is immutable: declare it kr::var to assign to it; elements of a kr::view<const T> are read-only
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  x[k] = c[k];
#else
  c[k] = x[k];
#endif
}
