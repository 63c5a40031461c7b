// error: krait: kr::dist::stencil and kr::dist::fill take at most 3 dimensions
#include <krait/dist.h>
#include <krait/krait.h>
namespace kr = krait;

void f([[maybe_unused]] kr::dist::array<double, 4>& t) {
#ifdef RIGHT
  t = 1.0;
#else
  kr::dist::fill(t, [](auto...) { return 1.0; });
#endif
}
