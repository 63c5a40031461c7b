// error: krait: this kr::var is const: a lambda that captures it by copy, [=], has a local of its own: capture by reference, [&]
#include <krait/krait.h>
namespace kr = krait;

void f(kr::view<float> x) {
  kr::var sum = 0.0f;
#ifdef RIGHT
  kr::if_(x[0] > 0, [&] { sum = x[0] + 1; });
#else
  kr::if_(x[0] > 0, [=] { sum = x[0] + 1; });
#endif
}
