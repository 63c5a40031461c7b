// error: krait: a kr::array has no [i]: write a(i) on the host; a kernel takes the array as a parameter, kr::view<T>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

void f(kr::array<float>& a) {
#ifdef RIGHT
  auto k = kr::kernel([](kr::view<float> x) { x[kr::grid<1>()] = 1; });
  k.forall(a.size())(a);
#else
  auto k = kr::kernel([&] { a[kr::grid<1>()] = 1; });
#endif
}
