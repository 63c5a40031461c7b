// error: krait: a traced value has no value while the kernel is recorded, so printf cannot print it: kr::print("{}", v) prints it from the kernel's threads
#include <cstdio>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto f() {
  return kr::vectorize([](auto a) {
#ifdef RIGHT
    std::printf("%d\n", 1);
    int (*const c)(const char*, ...) = std::printf;
    c("%s\n", "one");
    kr::print("{}", a);
#else
    // [printf]
    std::printf("%f\n", a);
    // [/printf]
#endif
    return a;
  });
}
int main() {
  std::vector<float> x{1};
  f()(x);
}
