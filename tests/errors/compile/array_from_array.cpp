// error: krait: arrays move: write x.copy() for a new array, x(kr::all) for one more view of the elements, or std::move(x)
#include <krait/krait.h>
namespace kr = krait;

void f(kr::array<float>& x) {
#ifdef RIGHT
  kr::array<float> y = x.copy(), view = x(kr::all), moved = std::move(x);
#else
  // [copy]
  kr::array<float> y = x;
  // [/copy]
#endif
}
