// error: this is a row of a const array: it cannot be written
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
