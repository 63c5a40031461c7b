// error: krait: a kr::value (and `auto`) is immutable: declare it kr::var for ++
// error: krait: a kr::value (and `auto`) is immutable: declare it kr::var for --
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto k = kr::kernel([](kr::view<int> x) {
#ifdef RIGHT
  kr::var i = kr::grid<1>();
#else
  auto i = kr::grid<1>();
#endif
  x[i] = 0;
  i++, ++i, i--, --i;
});
