// error: krait: a traced value cannot become a plain C++ value: keep it in `auto` or kr::value, and convert with kr::cast<T>(v)
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  auto h = v * 2; x[0] = h;
#else
  auto h = static_cast<float>(v) * 2; x[0] = h;
#endif
}
