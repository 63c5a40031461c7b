// error: the array and the view differ in their number of dimensions: declare the parameter kr::view<T, N> with the array's number, or pass a.reshape(...)
#include <krait/krait.h>
namespace kr = krait;

auto k = kr::kernel([](kr::view<float, 2> x) { x(0, 0) = 1.0f; });

void f([[maybe_unused]] kr::array<float>& flat, [[maybe_unused]] kr::array<float, 2>& matrix) {
#ifdef RIGHT
  k.launch({1, 1}, matrix);
#else
  k.launch({1, 1}, flat);
#endif
}
