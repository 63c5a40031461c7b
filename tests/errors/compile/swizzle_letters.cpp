// error: krait: a swizzle names one to four components of the vector, by xyzw or rgba
#include <krait/krait.h>
namespace kr = krait;

kr::vec<float, 2> a;

void f() {
#ifdef RIGHT
  [[maybe_unused]] auto c = kr::swizzle<"yx">(a);
#else
  [[maybe_unused]] auto c = kr::swizzle<"yz">(a);
#endif
}
