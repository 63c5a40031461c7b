// error: krait: arrays are put together with arrays and expressions: copy a container of the host by kr::to_device
#include <vector>

#include <krait/algorithm/rearrange.h>
namespace kr = krait;

void f(kr::array<float>& x, std::vector<float>& y) {
#ifdef RIGHT
  (void)kr::concatenate(x, kr::to_device(y), x * 2.0f, kr::axis(0));
#else
  (void)kr::concatenate(x, y);
#endif
}
