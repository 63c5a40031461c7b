// error: krait: atomic needs an element of a writable view: kr::atomic(x[i])
#include <krait/atomic.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  kr::atomic(x[k]).add(v);
#else
  kr::atomic(c[k]).add(v);
#endif
}
