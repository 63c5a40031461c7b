// error: krait: the array and the selection differ in their number of dimensions
#include <krait/algorithm.h>
namespace kr = krait;

void f(kr::array<float>& x) {
#ifdef RIGHT
  kr::array<int> chosen = x(kr::to_device({0, 1}));
#else
  kr::array<int, 2> chosen = x(kr::to_device({0, 1}));
#endif
}
