// error: krait: the vectors have different numbers of components
#include <krait/krait.h>
namespace kr = krait;

kr::vec<float, 2> a;
kr::vec<float, 3> b;

void f() {
#ifdef RIGHT
  [[maybe_unused]] auto c = a + kr::swizzle<"xy">(b);
#else
  [[maybe_unused]] auto c = a + b;
#endif
}
