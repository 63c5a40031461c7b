// error: krait: the operands of an ending must be arrays or numbers
// Misuse of kr::matmul's endings.
#include <krait/algorithm/matmul.h>
#include <string>
namespace kr = krait;

#ifndef RIGHT
auto plus = [](auto sum, auto x) { return sum + x; };
void text(kr::array<float, 2>& x) { kr::matmul(x, x, plus, std::string("bias")); }
// error: krait: an operand of an ending must not have more dimensions than the product
void rank(kr::array<float, 2>& x, kr::array<float, 3>& y) { kr::matmul(x, x, plus, y); }
// error: krait: a product with an ending or with a result type needs two matrices
void vector(kr::array<float, 2>& x, kr::array<float>& y) { kr::matmul(x, y, [](auto sum) { return sum; }); }
#endif
