// error: this parameter is a view: pass kr::array or a container with data() and size()
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto k = kr::kernel([](kr::view<float> x) { x[0] = 1.0f; });

void f([[maybe_unused]] std::vector<float>& x) {
#ifdef RIGHT
  k.launch({1, 1}, x);
#else
  k.launch({1, 1}, 3.0f);
#endif
}
