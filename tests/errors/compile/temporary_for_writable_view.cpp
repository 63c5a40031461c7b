// error: a const or temporary container cannot be written: declare the parameter kr::view<const T>, or pass a variable (of an expression or a selection, kr::eval(x) makes an array)
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto k = kr::kernel([](kr::view<float> x) { x[0] = 1.0f; });

void f(std::vector<float>& x, kr::array<float>& y) {
#ifdef RIGHT
  k.launch({1, 1}, x);
  k.launch({1, 1}, y(kr::range(0, 2)));
  k.launch({1, 1}, kr::eval(y * 2.0f).copy());
#else
  k.launch({1, 1}, std::vector<float>(x));
  k.launch({1, 1}, y * 2.0f);
#endif
}
