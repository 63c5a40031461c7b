// error: krait: the body of if_, while_ or switch_ must return nothing: assign to a kr::var, or use kr::select or kr::return_
#include <krait/control.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<float> v, [[maybe_unused]] kr::value<int> k, [[maybe_unused]] kr::view<float> x,
       [[maybe_unused]] kr::view<const float> c) {
#ifdef RIGHT
  kr::if_(v > 0, [&] { x[0] = v; });
#else
  kr::if_(v > 0, [&] { return v; });
#endif
}
