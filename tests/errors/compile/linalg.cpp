// error: krait: linear algebra needs elements of type float, double, std::complex of these, or an integer type
// error: krait: solve takes matrices: arrays of two dimensions or more
// error: krait: inv takes matrices: arrays of two dimensions or more
// error: krait: det takes matrices: arrays of two dimensions or more
// error: krait: linear algebra needs matrices: arrays of two dimensions or more
#include <krait/algorithm/linalg.h>
namespace kr = krait;

void f(const kr::array<double, 2>& a, [[maybe_unused]] const kr::array<kr::f16, 2>& halves,
       const kr::array<std::complex<double>, 2>& points, const kr::array<double>& b) {
#ifdef RIGHT
  kr::det(a), kr::solve(a, b), kr::solve(points, b);
#else
  kr::det(halves);
  kr::solve(b, b);
  kr::inv(b);
  kr::det(b);
  kr::cholesky(b);
#endif
}
