// error: krait: the element types of the two arrays differ: kr::array<T> y = kr::cast<T>(x) converts
#include <krait/krait.h>
namespace kr = krait;

void f(const kr::array<float>& x) {
#ifdef RIGHT
  kr::array<double> y = kr::cast<double>(x);
#else
  kr::array<double> y = x;
#endif
}
