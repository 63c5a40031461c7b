// error: grid and block must be at least 1 in each dimension
#include <krait/krait.h>
namespace kr = krait;

void f() {
#ifdef RIGHT
  kr::kernel<1, 128>([](kr::view<float> x) { x[0] = 1.0f; });
#else
  kr::kernel<0, 128>([](kr::view<float> x) { x[0] = 1.0f; });
#endif
}
