// error: krait: the values of a case must be plain integers or enumerators, and its last argument must be the body
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  kr::switch_(k).case_(1, 2, [&] { x[0] = 1; });
#else
  kr::switch_(k).case_(1, k, [&] { x[0] = 1; });
#endif
}
