// error: value<int>
#include <krait/krait.h>
namespace kr = krait;

void f(kr::value<float> v) {
#ifdef RIGHT
  kr::value<int> n = kr::cast<int>(v * 3.0f);
  kr::value<int> m(v);
  kr::var<int> k = v * 3.0f;
  auto i = kr::cast<int>(kr::grid());
#else
  // [narrow]
  kr::value<int> n = v * 3.0f;     // a float does not become an int by itself
  kr::value<int> i = kr::grid();   // nor do 64 bits become 32
  // [/narrow]
#endif
}
