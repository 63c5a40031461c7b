// error: into() needs one output per value that the function returns
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto g = kr::vectorize([](auto x) { return std::tuple(x + 1, x - 1); });

void f(std::vector<float>& x, [[maybe_unused]] std::vector<float>& y) {
#ifdef RIGHT
  g.into(x, y)(2.0f);
#else
  g.into(x)(2.0f);
#endif
}
