// error: the call and guvectorize's layout differ in their number of inputs
// error: krait: an input does not have enough dimensions for guvectorize's layout
// error: krait: guvectorize's layout gives this input dimensions: pass an array, not a number
// error: krait: guvectorize's function must return nothing: it writes its outputs
// error: krait: a dimension of an output of guvectorize's layout is in no input: give the output, f.into(z)(…)
// error: krait: an output does not have enough dimensions for guvectorize's layout
// error: krait: into() needs one output for each output of guvectorize's layout
// error: krait: guvectorize's signature and its layout differ in their number of results
// error: krait: the batch and the layout's dimensions are more than 6
// error: krait: an operand of guvectorize needs one index for each dimension that the layout gives it
#include <krait/guvectorize.h>
#include <krait/krait.h>
namespace kr = krait;

const auto fill = kr::guvectorize<"(n)->(m)">([](auto, auto y) { y[0] = 1; });
const auto sum = kr::guvectorize<"(m,n)->()">([](auto x, auto y) { y() = x(0, 0); });
const auto outer = kr::guvectorize<"(m),(n)->(m,n)">([](auto x, auto y, auto z) { z(0, 0) = x[0] * y[0]; });
const auto two = kr::guvectorize<"()->()", std::tuple<int, int>(int)>([](auto x, auto y) { y() = x; });
const auto returns = kr::guvectorize<"()->()">([](auto x, auto) { return x; });
const auto flat = kr::guvectorize<"(m,n)->()">([](auto x, auto y) { y() = x(0); });

void f(kr::array<int, 1>& x, kr::array<int, 2>& y, kr::array<int, 6>& six) {
#ifdef RIGHT
  fill.into(x)(y);
  sum(y), outer(x, y);
#else
  sum(y, y);
  sum(x);
  outer(1, x);
  returns(x);
  fill(x);
  outer.into(x)(x, x);
  sum.into(x, x)(y);
  two(x);
  outer(six, x);
  flat(y);
#endif
  (void)six;
}
