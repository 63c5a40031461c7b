// error: a const or temporary container cannot be written: declare the parameter kr::view<const T>, or pass a variable
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto k = kr::kernel([](kr::view<float> x) { x[0] = 1.0f; });

void f(std::vector<float>& x) {
#ifdef RIGHT
  k.launch({1, 1}, x);
#else
  k.launch({1, 1}, std::vector<float>(x));
#endif
}
