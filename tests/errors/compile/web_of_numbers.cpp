// error: kr::web needs an array among the arguments of an element-wise function: plain numbers need no GPU
#include <vector>

#include <krait/krait.h>
#include <krait/web.h>
namespace kr = krait;

auto f = kr::vectorize([](auto x, auto y) { return x + y; });

void g(const std::vector<float>& x) {
#ifdef RIGHT
  kr::web(f, 1.0f, x);
#else
  kr::web(f, 1.0f, 2.0f);
#endif
}
