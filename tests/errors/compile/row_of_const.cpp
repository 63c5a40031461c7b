// error: krait: these elements cannot be written: they repeat, or they are of a const array or an expression; `kr::array y = x` makes an array of an expression x
#include <krait/krait.h>
namespace kr = krait;

void f(kr::array<float, 2>& a, const kr::array<float, 2>& b) {
#ifdef RIGHT
  for (auto row : a) row = row / 2.0f;
  for (auto row : b) row.to_host();
#else
  for (auto row : b) row = row / 2.0f;
  (void)a;
#endif
}
