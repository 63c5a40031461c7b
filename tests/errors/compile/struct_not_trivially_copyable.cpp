// error: krait: kernels copy structs as bytes: this one must be trivially copyable
#include <krait/krait.h>
namespace kr = krait;

struct good { float f; };
struct bad { float f; ~bad() {} };
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
