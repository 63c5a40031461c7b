// error: into() takes kr::array or writable containers
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto g = kr::vectorize([](auto x) { return x + 1; });

void f([[maybe_unused]] std::vector<float>& x, const std::vector<float>& y) {
#ifdef RIGHT
  g.into(x)(y);
#else
  g.into(y)(2.0f);
#endif
}
