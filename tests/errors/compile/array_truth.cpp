// error: krait: the truth value of an array is ambiguous: write kr::all(x) or kr::any(x)
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/reduce.h>
#include <krait/krait.h>
namespace kr = krait;

int f(kr::array<float>& x, kr::array<int>& n) {
#ifdef RIGHT
  if (kr::all(x == x(n))) return 1;
#else
  if (x) return 1;
  if (kr::abs(x) < 0.2f) return 2;
  if (!(x == x)) return 3;
  if (x(n)) return 4;
#endif
  return 0;
}
