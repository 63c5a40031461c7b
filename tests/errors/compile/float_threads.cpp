// error: krait: forall needs an integer number of threads
#include <krait/krait.h>
namespace kr = krait;

void f(kr::array<float>& y) {
  auto k = kr::kernel([](kr::view<float> x) { x[0] = 1.0f; });
#ifdef RIGHT
  k.forall(100)(y);
#else
  k.forall(1e2)(y);
#endif
}
