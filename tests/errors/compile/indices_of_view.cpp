// error: krait: give one index for each dimension of the view, as in x(i, j)
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto k = kr::kernel([](kr::view<const float> v, kr::view<const float, 2> x, kr::view<float, 2> y) {
  auto i = kr::grid<1>();
#ifdef RIGHT
  y(i, 0) = v[i] + x(i, 1);
#else
  y[i] = v(i, 0) + x[i] + y(i);
#endif
});
