// error: krait: the condition of while_ must be a lambda: while_([&] { return k < n; }, [&] { … })
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  kr::while_([&] { return x[0] > v; }, [&] { x[0] -= 1; });
#else
  kr::while_(x[0] > v, [&] { x[0] -= 1; });
#endif
}
