// error: krait: kr::cumsum is in another header: #include <krait/algorithm/scan.h>
// error: krait: kr::sum is in another header: #include <krait/algorithm/reduce.h>
// error: krait: kr::axis is in another header: #include <krait/algorithm/reduce.h>
// error: krait: kr::einsum is in another header: #include <krait/algorithm/einsum.h>
// error: krait: kr::split is in another header: #include <krait/algorithm/rearrange.h>
// error: krait: kr::fromfunction is in another header: #include <krait/algorithm/grids.h>
// error: krait: kr::where is in another header: #include <krait/algorithm/indexing.h> or <krait/algorithm/reduce.h>
// error: krait: kr::matmul is in another header: #include <krait/algorithm/matmul.h> or <krait/algorithm/sparse.h>
// error: krait: kr::norm is in another header: #include <krait/algorithm/reduce.h> or <krait/complex.h>
// error: krait: kr::partition is in another header: #include <krait/algorithm/order.h> or <krait/algorithm/select.h>
// error: krait: kr::max of an array is in another header: #include <krait/algorithm/reduce.h>
#include <krait/krait.h>
#ifdef RIGHT
#include <krait/algorithm/einsum.h>
#include <krait/algorithm/grids.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/order.h>
#include <krait/algorithm/rearrange.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/scan.h>
#endif
namespace kr = krait;

void f(kr::array<float>& x, kr::array<float, 2>& a) {
  // [scan]
  kr::array<float> sums = kr::cumsum(x);
  // [/scan]
  kr::array<float> columns = kr::sum(a, kr::axis(0));
  kr::array<float, 2> product = kr::einsum<"ij,jk->ik">(a, a);
  float most = kr::max(x + 1.0f);
  float length = kr::norm(x);
  product = kr::matmul(a, a);
  auto halves = kr::partition(x, 3);
  auto parts = kr::split<2>(x);
  auto table = kr::fromfunction<float>([](auto i, auto j) { return i + j; }, {3, 4});
  kr::array<float> larger = kr::where(x > 0.0f, x, 0.0f);
}
// Where krait is open, the functions of a header that is there come first.
void g(kr::array<float>& x) {
#ifdef RIGHT
  using namespace krait;
  auto all = sum(x);
  array<float> sums = cumsum(x), larger = where(x > all, x, 0.0f);
#endif
}
