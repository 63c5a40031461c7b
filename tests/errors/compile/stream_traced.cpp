// error: krait: a traced value has no value while the kernel is recorded, so a stream cannot print it: kr::print("{}", v) prints it from the kernel's threads
#include <krait/krait.h>

#include <iostream>

namespace kr = krait;

void f(kr::value<float> v, kr::value<int> n) {
#ifdef RIGHT
  std::cout << "recording\n" << 1;
  kr::print("{}", v);
  auto shifted = n << 2;
#else
  std::cout << v << "\n";
#endif
}
