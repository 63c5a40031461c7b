// error: bit-field
#include <krait/krait.h>
namespace kr = krait;

struct good { unsigned a, b; };
struct bad { unsigned a : 3, b : 5; };
good goods[1];
bad bads[1];
auto read = kr::kernel([](auto s) { [[maybe_unused]] auto first = s[0]; });

void f() {
#ifdef RIGHT
  read.launch({1, 1}, goods);
#else
  read.launch({1, 1}, bads);
#endif
}
