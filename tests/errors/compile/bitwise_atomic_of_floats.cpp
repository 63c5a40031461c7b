// error: krait: bitwise and counting atomics need integers
#include <krait/atomic.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  kr::atomic(x[k]).exchange(v);
#else
  kr::atomic(x[k]).or_(v);
#endif
}
