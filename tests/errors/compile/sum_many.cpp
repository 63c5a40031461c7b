// error: krait: a call has the sums of five arrays: call kr::sum again for more
#include <krait/algorithm/reduce.h>
#include <krait/krait.h>
namespace kr = krait;

void f([[maybe_unused]] kr::array<int>& x) {
#ifdef RIGHT
  (void)kr::sum(x, x, x, x, x);
#else
  (void)kr::sum(x, x, x, x, x, x);
#endif
}
