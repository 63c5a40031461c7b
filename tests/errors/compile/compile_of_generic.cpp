// error: compile() needs the types of the parameters: declare them in the lambda, or call the kernel
#include <krait/krait.h>
namespace kr = krait;

void f() {
#ifdef RIGHT
  kr::kernel([](kr::view<float> x) { x[0] = 1.0f; }).compile();
#else
  kr::kernel([](auto x) { x[0] = 1.0f; }).compile();
#endif
}
