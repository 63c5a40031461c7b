// error: declare it kr::var
#include <krait/krait.h>

namespace kr = krait;

int main() {
  kr::kernel([](kr::view<const float> x, kr::view<float> out) {
#ifdef RIGHT
    kr::var sum = 0.0f;
#else
    float sum = 0;
#endif
    for (auto i : kr::range(x.size())) sum += x[i];
    out[0] = sum;
  }).forall(1);
}
