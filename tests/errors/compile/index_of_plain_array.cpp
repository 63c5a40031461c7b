// error: operator[]
#include <krait/krait.h>
namespace kr = krait;

auto f() {
#ifdef RIGHT
  const float table[] = {0, 1, 4, 9};
  return kr::vectorize([=](auto i) { return kr::constant(table)[i]; });
#else
  // [plain]
  const float table[] = {0, 1, 4, 9};
  return kr::vectorize([=](auto i) { return table[i]; });  // i has no value while the lambda is recorded
  // [/plain]
#endif
}
int main() { f()(1); }
