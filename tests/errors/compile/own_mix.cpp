// error: ambiguous
#include <krait/krait.h>
namespace kr = krait;

#ifdef RIGHT
namespace mine {
auto mix(auto a, auto b, auto t) { return a + (b - a) * t; }
}  // namespace mine
auto middle(kr::value<float> a, kr::value<float> b) { return mine::mix(a, b, 0.5f); }
#else
// [ambiguous]
auto mix(auto a, auto b, auto t) { return a + (b - a) * t; }
auto middle(kr::value<float> a, kr::value<float> b) { return mix(a, b, 0.5f); }  // Krait's mix is found by its arguments
// [/ambiguous]
#endif
