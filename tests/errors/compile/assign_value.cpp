// error: a kr::value (and `auto`) is immutable: declare it kr::var
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  kr::var sum = v; sum = 1;
#else
  auto sum = v; sum = 1;
#endif
}
