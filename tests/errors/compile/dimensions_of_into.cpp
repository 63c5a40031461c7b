// error: an argument has more dimensions than the output
#include <krait/krait.h>
namespace kr = krait;

auto g = kr::vectorize([](auto x) { return x + 1; });

void f([[maybe_unused]] kr::array<float>& flat, kr::array<float, 2>& matrix) {
#ifdef RIGHT
  g.into(matrix)(flat);
#else
  g.into(flat)(matrix);
#endif
}
