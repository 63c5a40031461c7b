// error: krait: `auto t = x[i]` is a copy of the element: assign to x[i] itself, or declare t kr::var
#include <krait/krait.h>
namespace kr = krait;

struct pair { float x, y; };
[[maybe_unused]] auto first = [](kr::view<pair> out) {
#ifdef RIGHT
  out[0] = pair{1, 2};
#else
  auto t = out[0];
  t = pair{1, 2};
#endif
};

void f() {
#ifdef RIGHT
  
#else
  
#endif
}
