// error: krait: integers() needs an integer type
// error: krait: random numbers are float or double; convert an expression of them to narrow floats
#include <krait/algorithm/random.h>
namespace kr = krait;

void f(kr::generator& random) {
#ifdef RIGHT
  (void)random.integers<int>(3, 0, 2);
  (void)random.uniform<float>(3);
#else
  (void)random.integers<bool>(3, false, true);
  (void)random.uniform<kr::f16>(3);
#endif
}
