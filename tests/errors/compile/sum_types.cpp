// error: krait: sums of one call have one type: kr::cast makes it the same
#include <krait/algorithm/reduce.h>
#include <krait/krait.h>
namespace kr = krait;

void f([[maybe_unused]] kr::array<double, 2>& t, [[maybe_unused]] kr::array<float, 2>& u) {
#ifdef RIGHT
  (void)kr::sum(t, kr::cast<double>(u));
#else
  (void)kr::sum(t, u);
#endif
}
