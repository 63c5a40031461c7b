// error: krait: operands of an ending are arrays or numbers
// Misuse of kr::matmul's endings.
#include <krait/algorithm/matmul.h>
#include <string>
namespace kr = krait;

#ifndef RIGHT
auto plus = [](auto sum, auto x) { return sum + x; };
void text(kr::array<float, 2>& x) { kr::matmul(x, x, plus, std::string("bias")); }
// error: krait: an operand of an ending has no more dimensions than the product
void rank(kr::array<float, 2>& x, kr::array<float, 3>& y) { kr::matmul(x, x, plus, y); }
// error: krait: a product with an ending, or with a type of its own, takes two matrices
void vector(kr::array<float, 2>& x, kr::array<float>& y) { kr::matmul(x, y, [](auto sum) { return sum; }); }
#endif
