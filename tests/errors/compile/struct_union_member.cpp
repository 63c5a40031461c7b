// error: krait: kernels cannot access the members of a union: use a struct and kr::bitcast
#include <krait/krait.h>
namespace kr = krait;

union bits { float f; int i; };
struct good { float f; };
struct bad { bits b; int tag; };
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
