// error: where() needs into(output): without it, elements that the mask leaves out have no value
// Misuse of calls of element-wise functions, of their methods and of selections. Other messages may follow from one mistake.
#include <tuple>

#include <krait/algorithm/indexing.h>
#include <krait/algorithm/methods.h>
namespace kr = krait;

auto plus = kr::vectorize([](auto x, auto y) { return x + y; });
#ifndef RIGHT
void without_output(kr::array<float>& x) { plus.where(x > 0.0f)(x, x); }
// error: give where() once: combine the masks with &
void two_masks(kr::array<bool>& x) { plus.where(x).where(x); }
// error: give into() once, with all outputs
void two_outputs(kr::array<float>& x) { plus.into(x).into(x); }
// error: krait: the folded function must take two numbers and return one
auto both = kr::vectorize([](auto x, auto y) { return std::tuple{x, y}; });
void fold_of_two(kr::array<float>& x) { both.reduce(x); }
// error: krait: indices must be integers
void by_floats(kr::array<float>& x) { kr::take(x, x); }
// error: krait: a mask must have as many dimensions as the array: use broadcast_to on the mask
void mask_of_rows(kr::array<float, 2>& x, kr::array<bool>& rows) { kr::compress(rows, x); }
// error: krait: these elements cannot be written
void to_const(const kr::array<float>& x, kr::array<int>& i) { x(i) = 1.0f; }
#endif
