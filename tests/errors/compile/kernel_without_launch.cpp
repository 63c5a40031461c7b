// error: krait: a kernel is called with its launch: k.forall(n)(args...), k[{grid, block}](args...) or k.launch({grid, block}, args...)
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto k = kr::kernel([](kr::view<float> x) { x[kr::grid<1>()] = 1; });

void f(std::vector<float>& x) {
#ifdef RIGHT
  k.forall(x.size())(x);
#else
  k(x);
#endif
}
