// error: krait: an integer after the array could be the order of a norm: write kr::axis(k)
// error: krait: bincount takes one dimension, as in NumPy: x.reshape(-1)
// error: krait: complex numbers have no order: take kr::abs(z), kr::real(z) or kr::imag(z)
// error: krait: the places of scatter must be integers
#include <krait/algorithm/fft.h>
#include <krait/algorithm/order.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/sets.h>
namespace kr = krait;

void f(kr::array<float>& x, kr::array<float, 2>& a) {
#ifdef RIGHT
  kr::norm(a, kr::axis(1)), kr::bincount(kr::cast<int>(x));
  kr::isin(kr::abs(kr::fft(x)), x), kr::scatter(x, kr::argsort(x), x);
#else
  kr::norm(a, 2);
  kr::bincount(kr::cast<int>(a));
  kr::isin(kr::fft(x), x);
  kr::scatter(x, x, x);
#endif
}
