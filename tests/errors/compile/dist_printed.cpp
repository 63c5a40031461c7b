// error: krait: printing an array of kr::dist sends messages: kr::dist::print(a), on all ranks
#include <krait/dist.h>
#include <krait/krait.h>
#include <iostream>
namespace kr = krait;

void f([[maybe_unused]] kr::dist::array<double, 2>& t, [[maybe_unused]] kr::dist::array<double, 2>& next) {
#ifdef RIGHT
  kr::dist::print(t);
#else
  std::cout << t;
#endif
}
