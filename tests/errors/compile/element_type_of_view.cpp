// error: the container's element type differs from the view's: convert the container, or declare the parameter kr::view of its type
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto k = kr::kernel([](kr::view<float> x) { x[0] = 1.0f; });

void f([[maybe_unused]] std::vector<double>& doubles, [[maybe_unused]] std::vector<float>& floats) {
#ifdef RIGHT
  k.launch({1, 1}, floats);
#else
  k.launch({1, 1}, doubles);
#endif
}
