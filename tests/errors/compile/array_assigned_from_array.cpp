// error: krait: arrays move: write x.copy_from(y) to copy the elements, x = y.copy() for a new array, or x = std::move(y)
#include <krait/krait.h>
namespace kr = krait;

void f(kr::array<float>& x, kr::array<float>& y) {
#ifdef RIGHT
  x.copy_from(y), x = y.copy(), x = std::move(y);
#else
  x = y;
#endif
}
