// error: krait: a struct in a kernel cannot have references or const members: store plain values
#include <krait/krait.h>
namespace kr = krait;

struct good { int x; };
struct bad { const int x; };
auto k = kr::kernel([](auto s, kr::view<int> out) { out[0] = s.template get<0>(); });
int out[1];

void f() {
#ifdef RIGHT
  k.launch({1, 1}, good{1}, out);
#else
  k.launch({1, 1}, bad{1}, out);
#endif
}
