// error: deleted
#include <krait/krait.h>
namespace kr = krait;

void f(kr::array<float>& x) {
#ifdef RIGHT
  kr::array<float> y = static_cast<kr::array<float>&&>(x);
#else
  kr::array<float> y = x;
#endif
}
