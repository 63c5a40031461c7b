// error: krait: the outputs of kr::tune must be writable arrays
#include <krait/krait.h>
#include <krait/tune.h>
namespace kr = krait;

void f(const kr::array<float>& x, kr::array<float>& y) {
  const auto run = [](const kr::candidate&) {};
#ifdef RIGHT
  kr::tune("f", {{"block", {64}}}, run, {}, y);
  (void)x;
#else
  kr::tune("f", {{"block", {64}}}, run, {}, x.share(), y);
#endif
}
