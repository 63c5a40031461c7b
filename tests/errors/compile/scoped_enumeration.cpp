// error: krait: a scoped enumeration has no arithmetic: convert it with kr::cast<int>(v)
#include <krait/krait.h>
namespace kr = krait;

enum class color { red, green };
[[maybe_unused]] auto next = [](kr::value<color> c, kr::view<int> out) {
#ifdef RIGHT
  out[0] = kr::cast<int>(c) + 1;
#else
  out[0] = c + 1;
#endif
};

void f() {
#ifdef RIGHT
  
#else
  
#endif
}
