// error: krait: kr::einsum of arrays of kr::dist takes letters, a comma between operands and ->, without ...
#include <krait/dist/algorithms.h>
#include <krait/krait.h>
namespace kr = krait;

void f([[maybe_unused]] kr::dist::array<double, 2>& a) {
#ifdef RIGHT
  (void)kr::einsum<"ij,ij->ij">(a, a);
#else
  (void)kr::einsum<"...j,...j->...j">(a, a);
#endif
}
