// error: an array has at least one dimension
// Misuse of views of arrays, of assignments to them and of reductions. Other messages may follow from one mistake.
#include <string>

#include <krait/algorithm/reduce.h>
#include <krait/krait.h>
namespace kr = krait;

#ifndef RIGHT
void of_no_dimension(kr::array<float>& x) { x.squeeze(0); }
// error: an array has at most 6 dimensions
void of_seven_dimensions(kr::array<float, 6>& x) { x(kr::newaxis); }
// error: too many indices for array: it has fewer dimensions
void of_two_indices(kr::array<float>& x) { x(0, 1); }
// error: axes don't match array: give each dimension once
void of_two_axes(kr::array<float>& x) { x.permute(0, 1); }
// error: diag requires an array of at least two dimensions
void of_a_line(kr::array<float>& x) { x.diagonal(); }
// error: krait: these elements cannot be written: they repeat, or they are of a const array or an expression; `kr::array y = x` makes an array of an expression x
void to_const(const kr::array<float>& x) { x(kr::all) = 1.0f; }
// error: krait: these elements cannot be written: they repeat, or they are of a const array or an expression; `kr::array y = x` makes an array of an expression x
void into_const(const kr::array<float>& x, const float (&from)[2]) { x(kr::all).copy_from(from); }
// error: krait: the expression has more dimensions than the array that it is assigned to
void of_fewer_dimensions(kr::array<float>& x, kr::array<float, 2>& y) { x(kr::all) = y + 1.0f; }
// error: elements are assigned from a number, an array or an expression
void of_text(kr::array<float>& x) { x(kr::all) = std::string("1"); }
// error: krait: more axes than dimensions
void of_more_axes(kr::array<float>& x) { kr::sum(x, kr::axis(0, 1)); }
// error: krait: the mask has more dimensions than the array that is reduced
void by_a_table(kr::array<float>& x, kr::array<bool, 2>& mask) { kr::sum(x, kr::where(mask)); }
// error: krait: kernels support the arithmetic types except long double, enumerations, kr::f16, kr::bf16, kr::f8e4m3 and kr::f8e5m2
void of_long_double(kr::value<long double> x) { kr::detail::find_scalar<long double>(); }
// error: krait: kernels support the arithmetic types except long double, enumerations, kr::f16, kr::bf16, kr::f8e4m3, kr::f8e5m2, kr::vec and plain structs of these
static_assert(kr::detail::check_aggregate<long double>());
#endif
