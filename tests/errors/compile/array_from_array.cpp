// error: deleted
// error: krait: arrays move; x.copy() makes a new array, x(kr::all) one more view of the elements
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
