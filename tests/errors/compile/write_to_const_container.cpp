// error: a const or temporary container cannot be written: declare the parameter kr::view<const T>, or pass a variable
#include <krait/krait.h>
#include <vector>
namespace kr = krait;

void f(std::vector<float>& y, const std::vector<float>& z) {
  auto k = kr::kernel([](kr::view<float> x) { x[0] = 1; });
#ifdef RIGHT
  k.forall(1)(y);
#else
  k.forall(1)(z);
#endif
}
