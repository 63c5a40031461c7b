// error: krait: the bounds of a range must be integers: convert with kr::cast<int>(n)
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  for (auto i : kr::range(k)) x[i] = 0;
#else
  for (auto i : kr::range(v)) x[i] = 0;
#endif
}
