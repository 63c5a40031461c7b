// error: krait: complex numbers have no order: reduce kr::abs(z), kr::real(z) or kr::imag(z)
// error: krait: complex numbers have no order: take kr::abs(z) or kr::real(z)
// error: krait: complex numbers have no order: take kr::abs(z), kr::real(z) or kr::imag(z)
// error: krait: functions without NaN take real numbers: kr::real(z) or kr::imag(z)
// error: krait: a product of complex numbers has no ending and no other type
#include <krait/algorithm/differences.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/order.h>
#include <krait/algorithm/statistics.h>
#include <krait/complex.h>
namespace kr = krait;
using complex = std::complex<float>;

void f(kr::array<complex>& z, kr::array<complex, 2>& a) {
#ifdef RIGHT
  kr::array<complex> w = z + z;
  kr::max(kr::abs(z));
  kr::matmul(a, a);
#else
  kr::max(z);
  kr::argmin(z);
  kr::cummax(z);
  kr::median(z);
  kr::gradient(z);
  kr::nansum(z);
  kr::matmul<complex>(a, a);
#endif
}
