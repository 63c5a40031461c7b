// error: krait: multivariate_normal needs #include <krait/algorithm/linalg.h> and <krait/algorithm/matmul.h>
#include <krait/algorithm/random.h>
namespace kr = krait;

void f(kr::array<float, 2>& a, kr::array<float>& x) {
  kr::generator random(7);
#ifdef RIGHT
  random.normal<float>(a.extent(0));
  static_cast<void>(x);
#else
  random.multivariate_normal(x, a, 4);
#endif
}
