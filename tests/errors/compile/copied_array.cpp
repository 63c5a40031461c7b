// error: deleted
// error: krait: arrays move; x.copy() makes a new array, x(kr::all) one more view of the elements
#include <krait/krait.h>
namespace kr = krait;

void f(const kr::array<float>& x) {
#ifdef RIGHT
  kr::array<float> y = x.copy();
  kr::array<const float> view = x(kr::all);
#else
  kr::array<float> y = x;  // deleted, so that type traits tell it
#endif
}
