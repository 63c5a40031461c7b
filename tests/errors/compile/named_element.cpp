// error: krait: `auto t = x[i]` is a copy of the element: assign to x[i] itself, or declare t kr::var
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  x[k] = 1;
#else
  auto t = x[k]; t = 1;
#endif
}
