// error: krait: a message has the sums of five arrays, or of two of std::complex<double>: call kr::sum again for more
#include <krait/dist.h>
#include <krait/krait.h>
namespace kr = krait;

void f([[maybe_unused]] kr::dist::array<double, 2>& t) {
#ifdef RIGHT
  (void)kr::sum(t, t, t, t, t);
#else
  (void)kr::sum(t, t, t, t, t, t);
#endif
}
