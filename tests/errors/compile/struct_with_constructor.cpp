// error: krait: this class has constructors or private members: use a plain struct, or std::complex with krait/complex.h
#include <krait/krait.h>
namespace kr = krait;

struct good { float f; };
struct bad {
  bad() = default;
  explicit bad(float x) : f(x) {}
  float f;
};
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
