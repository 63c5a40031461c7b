// error: krait: vector() needs #include <krait/span.h>; std::vector<T> v = x.to_host() needs none
#include <krait/krait.h>
#ifdef RIGHT
#include <krait/span.h>
#endif
namespace kr = krait;

auto f(const kr::array<float>& x) { return x.to_host().vector(); }
