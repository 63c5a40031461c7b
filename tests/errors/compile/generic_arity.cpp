// error: the lambda cannot be called with these arguments
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto k = kr::kernel([](auto a, auto x) { x[0] = a; });

void f(std::vector<float>& x) {
#ifdef RIGHT
  k.launch({1, 1}, 2.0f, x);
#else
  k.launch({1, 1}, 2.0f, x, x);
#endif
}
