// error: krait: kr::einsum of arrays of kr::dist is a product of two matrices, as kr::einsum<"ij,jk->ik">(a, b)
#include <krait/dist/algorithms.h>
#include <krait/krait.h>
namespace kr = krait;

void f([[maybe_unused]] kr::dist::array<double, 2>& a, [[maybe_unused]] kr::dist::array<double, 2>& b) {
#ifdef RIGHT
  (void)kr::einsum<"ij,kj->ki">(a, b);
#else
  (void)kr::einsum<"ij,ij->ij">(a, b);
#endif
}
