// error: krait: complex numbers do not have this: take kr::real(z), kr::imag(z), kr::abs(z) or kr::arg(z) first
// error: krait: a complex number does not become a real one: take kr::real(z), kr::imag(z) or kr::abs(z)
#include <krait/algorithm/elements.h>
#include <krait/complex.h>
namespace kr = krait;
using complex = std::complex<float>;

void f(kr::array<complex>& z, kr::array<float>& x) {
#ifdef RIGHT
  kr::array<complex> w = z + x;
  kr::array<float> sizes = kr::abs(z);
#else
  kr::array<bool> below = z < z;
  kr::array<complex> rest = z % z;
  kr::array<complex> whole = kr::floor(z);
  kr::array<complex> steep = kr::asin(z);
  kr::array<complex> limited = kr::clip(z, 0.0f, 1.0f);
  kr::array<complex> signs = kr::sign(z);
  kr::array<float> parts = z + x;
#endif
  static_cast<void>(x);
}
