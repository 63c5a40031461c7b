// error: an element-wise function takes numbers, kr::array, and containers with data() and size()
#include <krait/krait.h>
namespace kr = krait;

struct point { int x; };
auto g = kr::vectorize([](auto x) { return x + 1; });

void f([[maybe_unused]] point p) {
#ifdef RIGHT
  g(p.x);
#else
  g(p);
#endif
}
