// error: a kernel's parameters must be kr::value<T>, kr::view<T>, kr::specialized<T> or auto: a plain T would be read once, while recording
#include <krait/krait.h>
namespace kr = krait;

void f(kr::array<float>& y) {
#ifdef RIGHT
  kr::kernel([](kr::value<float> a, kr::view<float> x) { x[0] = a; }).forall(1)(2.0f, y);
#else
  kr::kernel([](float a, kr::view<float> x) { x[0] = a; }).forall(1)(2.0f, y);
#endif
}
