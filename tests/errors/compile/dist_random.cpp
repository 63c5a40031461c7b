// error: krait: these random numbers are float or double
#include <krait/dist/algorithms.h>
#include <krait/krait.h>
namespace kr = krait;

void f([[maybe_unused]] kr::dist::array<double>& t, [[maybe_unused]] kr::dist::array<int>& n) {
  kr::dist::generator random(42);
#ifdef RIGHT
  random.uniform(t);
#else
  random.uniform(n);
#endif
}
