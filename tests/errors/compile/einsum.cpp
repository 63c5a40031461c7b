// error: wrong_subscripts<krait::detail::subscripts_problem::letter, 2>
// error: krait: invalid subscript in einstein sum subscripts string, subscripts must be letters: at the character that wrong_subscripts names, counted from 0
// error: wrong_subscripts<krait::detail::subscripts_problem::ellipsis, 1>
// error: krait: einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...'), or two of them: at the character that wrong_subscripts names, counted from 0
// error: wrong_subscripts<krait::detail::subscripts_problem::arrow, 1>
// error: krait: einstein sum subscripts string does not contain proper '->' output specified: at the character that wrong_subscripts names, counted from 0
// error: wrong_subscripts<krait::detail::subscripts_problem::unknown, 4>
// error: krait: einstein sum subscripts string included an output subscript which never appeared in an input: at the character that wrong_subscripts names, counted from 0
// error: wrong_subscripts<krait::detail::subscripts_problem::repeated, 4>
// error: krait: einstein sum subscripts string includes an output subscript multiple times: at the character that wrong_subscripts names, counted from 0
// error: krait: einsum takes up to 8 operands of up to 6 dimensions
// error: krait: einstein sum subscripts string contains too many subscripts for an operand
// error: krait: operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to broadcast the extra dimensions.
// error: krait: einsum needs as many operands as its subscripts have
// error: krait: the subscripts of einsum name more than 6 dimensions
// error: krait: output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to broadcast the extra dimensions.
#include <krait/algorithm/einsum.h>
namespace kr = krait;

void f(kr::array<int, 1>& x, kr::array<int, 2>& y, kr::array<int, 4>& z) {
#ifdef RIGHT
  kr::einsum<" i j , ... -> ... j ">(y, x);
#else
  kr::einsum<"i,2->i">(x, x);
  kr::einsum<"i..j">(y);
  kr::einsum<"i-i">(x);
  kr::einsum<"i->ij">(x);
  kr::einsum<"i->ii">(x);
  kr::einsum<"a,b,c,d,e,f,g,h,i">(x, x, x, x, x, x, x, x, x);
  kr::einsum<"ij">(x);
  kr::einsum<"i">(y);
  kr::einsum<"i,i">(x);
  kr::einsum<"abcd,efgh->">(z, z);
  kr::einsum<"i...->i">(y);
#endif
  (void)z;
}
