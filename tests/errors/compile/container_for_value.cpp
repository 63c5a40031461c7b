// error: this parameter is a kr::value: pass a number, or a struct of exactly its type
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto k = kr::kernel([](kr::value<float> a, kr::view<float> x) { x[0] = a; });

void f(std::vector<float>& x) {
#ifdef RIGHT
  k.launch({1, 1}, x[0], x);
#else
  k.launch({1, 1}, x, x);
#endif
}
