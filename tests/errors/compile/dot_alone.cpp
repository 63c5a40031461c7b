// error: krait: dot of more than one dimension needs #include <krait/algorithm/matmul.h>
#include <krait/algorithm/reduce.h>
namespace kr = krait;

auto f(kr::array<float, 2>& a, kr::array<float>& x) {
#ifdef RIGHT
  return kr::dot(x * 2.0f, x);
#else
  return kr::dot(a * 2.0f, x);
#endif
}
