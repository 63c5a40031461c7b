// error: krait: a traced value is not known while recording: use kr::if_, kr::while_ or kr::select instead of if, while and ?:
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  kr::while_([&] { return x[0] > v; }, [&] { x[0] -= 1; });
#else
  while (x[0] > v) x[0] -= 1;
#endif
}
