// error: krait: a kr::array is made from its extents, one per dimension, as in kr::array<float, 2> a({rows, columns}): an array of these numbers is kr::to_device({1.0f, 2.0f, 3.0f})
// error: the container's element type differs from the array's
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

void f() {
#ifdef RIGHT
  kr::array<float> x = kr::to_device({1.0f, 2.0f, 3.0f});
  kr::array<float, 2> a({480, 640});
  kr::array<float> b = std::vector<float>{1, 2};
#else
  kr::array<float> x = {1, 2, 3};
  kr::array<float> a({480, 640});
  kr::array<float> b = std::vector<double>{1, 2};
#endif
}
