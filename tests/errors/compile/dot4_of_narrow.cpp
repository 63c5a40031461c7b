// error: krait: dot4 needs 32-bit integers
#include <krait/bits.h>
namespace kr = krait;

void f([[maybe_unused]] kr::value<int> v, [[maybe_unused]] kr::view<int> x) {
#ifdef RIGHT
  x[0] = kr::dot4(v, v, v);
#else
  x[0] = kr::dot4(v, std::int64_t(1), v);
#endif
}
