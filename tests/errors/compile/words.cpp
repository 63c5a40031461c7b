// error: krait: an array has at most 6 dimensions
// error: krait: all the arrays must have the same number of dimensions
// error: krait: roll takes one distance, or one for each axis
// error: krait: roll by several distances needs kr::axis with as many axes
// error: krait: triangles are of matrices: arrays of two dimensions or more
// error: krait: the function of fromfunction must not capture anything: scale the result, or call a kr::vectorize, which may capture numbers, with kr::indices
// error: krait: the right side of lstsq is a vector or a matrix
// error: krait: the keys of lexsort must have one dimension
// error: krait: tensordot sums over more axes than an array has
// error: krait: the result of tensordot has more than 6 dimensions
// error: krait: kron takes arrays of up to three dimensions
// error: krait: trace takes arrays of two dimensions or more
// error: krait: split needs a number of parts
// error: krait: repeat takes a number, or one count per index
// error: krait: rot90 turns arrays of two dimensions or more
// error: krait: several quantiles of all elements have one dimension
// error: krait: options of quantiles are kr::axis(k), kr::keepdims and a method's name
#include <krait/algorithm/grids.h>
#include <krait/algorithm/matrix_functions.h>
#include <krait/algorithm/order.h>
#include <krait/algorithm/products.h>
#include <krait/algorithm/rearrange.h>
#include <krait/algorithm/statistics.h>
namespace kr = krait;

void f(kr::array<float>& x, kr::array<float, 2>& a, kr::array<float, 3>& c, kr::array<float, 4>& d,
       kr::array<float, 6>& e) {
#ifdef RIGHT
  kr::stack(x, x);
  kr::kron(c, c);
#else
  int shift = 1;
  kr::stack(e, e);
  kr::concatenate(x, a);
  kr::roll(a, {1, 2, 3}, kr::axis(0, 1));
  kr::roll(a, {1, 2});
  kr::tril(x);
  kr::fromfunction<float>([shift](auto i) { return i + shift; }, {4});
  kr::lstsq(a, c);
  kr::lexsort(x, a);
  kr::tensordot<2>(x, a);
  kr::tensordot<0>(d, d);
  kr::kron(d, d);
  kr::trace(x);
  kr::split<0>(x);
  kr::repeat(x, a);
  kr::rot90(x);
  kr::quantile(a, x, kr::keepdims);
  kr::quantile(x, 0.5, 7.5);
#endif
}
