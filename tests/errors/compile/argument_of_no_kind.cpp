// error: an element-wise function takes numbers, plain structs of numbers, kr::array, and containers with data() and size()
#include <krait/krait.h>
namespace kr = krait;

class point {
 public:
  explicit point(int at) : x_(at) {}
  int x() const { return x_; }

 private:
  int x_;
};
auto g = kr::vectorize([](auto x) { return x + 1; });

void f([[maybe_unused]] point p) {
#ifdef RIGHT
  g(p.x());
#else
  g(p);
#endif
}
