// error: krait: into() writes: it takes no array of const elements
// Misuse of kr::into, an option of algorithms. Other messages may follow from one mistake.
#include <krait/algorithm/einsum.h>
#include <krait/algorithm/linalg.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/methods.h>
#include <krait/algorithm/sort.h>
namespace kr = krait;

#ifndef RIGHT
void to_const(kr::array<float>& x) { kr::sort(x, kr::into(x.share())); }
// error: krait: into() takes as many arrays as the function has results
void one_of_two(kr::array<float>& x) { kr::sort_by_key(x, x, kr::into(x)); }
// error: krait: into() takes an array of the result's element type
void another_type(kr::array<float>& x, kr::array<double>& y) { kr::sort(x, kr::into(y)); }
// error: krait: into() takes an array of as many dimensions as the result has
void another_rank(kr::array<float>& x, kr::array<float, 2>& y) { kr::sort(x, kr::into(y)); }
// error: krait: what is reduced to a number is returned: with into(), say kr::axis or kr::keepdims
void number(kr::array<float>& x) { kr::sum(x, kr::into(x)); }
// error: krait: the product of two vectors is a number, which is returned
void product(kr::array<float>& x) { kr::matmul(x, x, kr::into(x)); }
void trace(kr::array<float, 2>& x, kr::array<float>& y) { kr::einsum<"ii">(x, kr::into(y)); }
// error: krait: the determinant of one matrix is a number, which is returned
void determinant(kr::array<float, 2>& x, kr::array<float>& y) { kr::det(x, kr::into(y)); }
// error: krait: a function's reduce gives a new array: kr::into is an option of kr::sum and its like
auto plus = kr::vectorize([](auto x, auto y) { return x + y; });
void method(kr::array<float, 2>& x, kr::array<float>& y) { plus.reduce(x, kr::into(y)); }
#endif
