// error: krait: the result of dot has more than 6 dimensions
#include <krait/algorithm/matmul.h>
namespace kr = krait;

void f(kr::array<int, 2>& x, kr::array<int, 4>& y, kr::array<int, 5>& z) {
#ifdef RIGHT
  (void)kr::dot(x + 1, x);
  (void)kr::dot(y, y);
#else
  (void)kr::dot(y, z);
#endif
}
