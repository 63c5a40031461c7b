// error: this parameter is a kr::value: pass a number, or a struct of exactly its type
#include <krait/krait.h>
namespace kr = krait;

struct wanted { float f; };
struct other { float f; };
float out[1];
auto k = kr::kernel([](kr::value<wanted> s, kr::view<float> to) { to[0] = s[&wanted::f]; });

void f() {
#ifdef RIGHT
  k.launch({1, 1}, wanted{1}, out);
#else
  k.launch({1, 1}, other{1}, out);
#endif
}
