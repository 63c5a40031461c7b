// error: a kr::value (and `auto`) is immutable: declare it kr::var
#include <krait/control.h>
#include <utility>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  kr::var a = v, b = x[0]; std::swap(a, b);
#else
  kr::value a = v, b = v * 2; std::swap(a, b);
#endif
}
