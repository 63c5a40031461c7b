// error: an element-wise function must return a value: end it with `return value;`
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

#ifdef RIGHT
auto g = kr::vectorize([](auto x) { return x + 1; });
#else
auto g = kr::vectorize([](auto x) { x + 1; });
#endif

void f(const std::vector<float>& x) {
  g(x);
}
