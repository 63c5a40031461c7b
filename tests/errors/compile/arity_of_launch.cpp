// error: the launch and the lambda differ in their number of arguments: pass one argument per parameter
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto k = kr::kernel([](kr::value<float> a, kr::view<float> x) { x[0] = a; });

void f(std::vector<float>& x) {
#ifdef RIGHT
  k.launch({1, 1}, 2.0f, x);
#else
  k.launch({1, 1}, x);
#endif
}
