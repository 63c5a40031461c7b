// error: the container's element type differs from the array's
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

void f(kr::array<float>& x, [[maybe_unused]] const std::vector<float>& floats, [[maybe_unused]] const std::vector<int>& ints) {
#ifdef RIGHT
  x.copy_from(floats);
#else
  x.copy_from(ints);
#endif
}
