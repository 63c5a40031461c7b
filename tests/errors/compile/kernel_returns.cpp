// error: a kernel must return nothing: write its results to a view
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

#ifdef RIGHT
auto k = kr::kernel([](kr::view<float> x) { x[0] = 1.0f; });
#else
auto k = kr::kernel([](kr::view<float> x) { return x[0] + 1.0f; });
#endif

void f(std::vector<float>& x) {
  k.launch({1, 1}, x);
}
