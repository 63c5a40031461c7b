// error: krait: into() writes to its array: the elements must not be const
// Misuse of kr::into, an option of algorithms. Other messages may follow from one mistake.
#include <krait/algorithm/einsum.h>
#include <krait/algorithm/linalg.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/methods.h>
#include <krait/algorithm/sort.h>
namespace kr = krait;

#ifndef RIGHT
void to_const(kr::array<float>& x) { kr::sort(x, kr::into(x.share())); }
// error: krait: into() needs one array for each result of the function
void one_of_two(kr::array<float>& x) { kr::sort_by_key(x, x, kr::into(x)); }
// error: krait: into() needs an array of the result's element type
void another_type(kr::array<float>& x, kr::array<double>& y) { kr::sort(x, kr::into(y)); }
// error: krait: into() needs an array with the result's number of dimensions
void another_rank(kr::array<float>& x, kr::array<float, 2>& y) { kr::sort(x, kr::into(y)); }
// error: krait: a reduction to one number returns it: with into(), add kr::axis or kr::keepdims
void number(kr::array<float>& x) { kr::sum(x, kr::into(x)); }
// error: krait: matmul of two vectors returns a number: call it without into()
void product(kr::array<float>& x) { kr::matmul(x, x, kr::into(x)); }
void trace(kr::array<float, 2>& x, kr::array<float>& y) { kr::einsum<"ii">(x, kr::into(y)); }
// error: krait: det of one matrix returns a number: call it without into()
void determinant(kr::array<float, 2>& x, kr::array<float>& y) { kr::det(x, kr::into(y)); }
// error: krait: a function's reduce returns a new array: kr::into works with kr::sum and the other reductions
auto plus = kr::vectorize([](auto x, auto y) { return x + y; });
void method(kr::array<float, 2>& x, kr::array<float>& y) { plus.reduce(x, kr::into(y)); }
#endif
