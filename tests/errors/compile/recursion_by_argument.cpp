// error: krait: kernels do not support recursion: write a loop, kr::while_, with a kr::local array as its stack
#include <krait/krait.h>
namespace kr = krait;

void f(kr::view<int> x) {
#ifdef RIGHT
  auto fib = kr::function([](kr::value<int> n) {
    kr::var a = 0, b = 1;
    for ([[maybe_unused]] auto k : kr::range(n)) {
      kr::value next = a + b;
      a = b, b = next;
    }
    return kr::value(a);
  });
  x[0] = fib(x[1]);
#else
  auto fib = kr::function([](auto self, kr::value<int> n) -> kr::value<int> {
    return kr::select(n < 2, [&] { return n; }, [&] { return self(self, n - 1) + self(self, n - 2); });
  });
  x[0] = fib(fib, x[1]);
#endif
}
