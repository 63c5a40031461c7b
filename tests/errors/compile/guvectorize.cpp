// error: wrong_layout<krait::detail::layout_problem::expected_open_parenthesis, 5>
// error: krait: guvectorize's layout needs a ( at the character that wrong_layout names, counted from 0
// error: wrong_layout<krait::detail::layout_problem::expected_name_or_size, 3>
// error: krait: guvectorize's layout needs a dimension's name or size at the character that wrong_layout names, counted from 0
// error: wrong_layout<krait::detail::layout_problem::expected_comma_or_close, 2>
// error: krait: guvectorize's layout needs a , or ) at the character that wrong_layout names, counted from 0
// error: wrong_layout<krait::detail::layout_problem::expected_comma_or_arrow, 4>
// error: krait: guvectorize's layout needs a , or -> at the character that wrong_layout names, counted from 0
// error: wrong_layout<krait::detail::layout_problem::expected_end, 9>
// error: krait: guvectorize's layout should end at the character that wrong_layout names, counted from 0
// error: krait: an operand of guvectorize's layout has more than 6 dimensions
// error: krait: guvectorize's layout has more than 12 operands
#include <krait/guvectorize.h>
namespace kr = krait;

void f() {
  auto nothing = [](const auto&...) {};
#ifdef RIGHT
  kr::guvectorize<" ( n , m3 ) , () -> ( n , 4 ) ">(nothing);
#else
  kr::guvectorize<"(n)->n">(nothing);
  kr::guvectorize<"(n,)->()">(nothing);
  kr::guvectorize<"(n?)->(n)">(nothing);
  kr::guvectorize<"(n) (n)->()">(nothing);
  kr::guvectorize<"(n)->(n) x">(nothing);
  kr::guvectorize<"(a,b,c,d,e,f,g)->()">(nothing);
  kr::guvectorize<"(),(),(),(),(),(),(),(),(),(),(),()->()">(nothing);
#endif
}
