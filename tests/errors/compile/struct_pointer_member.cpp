// error: krait: a pointer is not valid on another device: pass the data as a separate array
#include <krait/krait.h>
namespace kr = krait;

struct list { float first; };
struct linked { float first; list* next; };
auto k = kr::kernel([](auto s, kr::view<float> out) { out[0] = s.template get<0>(); });
float out[1];

void f() {
#ifdef RIGHT
  k.launch({1, 1}, list{1}, out);
#else
  k.launch({1, 1}, linked{1, nullptr}, out);
#endif
}
