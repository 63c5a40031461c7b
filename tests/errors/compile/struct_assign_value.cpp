// error: krait: a kr::value (and `auto`) is immutable: declare it kr::var to assign to it
#include <krait/krait.h>
namespace kr = krait;

struct pair { float x, y; };
auto swapped = [](kr::value<pair> p, kr::view<pair> out) {
#ifdef RIGHT
  kr::var q = p;
  q = pair{1, 2};
  out[0] = q;
#else
  p = pair{1, 2};
  out[0] = p;
#endif
};

void f() {
#ifdef RIGHT
  
#else
  static_cast<void>(swapped);
#endif
}
