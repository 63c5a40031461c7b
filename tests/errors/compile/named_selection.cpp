// error: krait: `auto s = x(which)` names the selected elements of x: write x(which) = y to change them, or declare `kr::array s = x(which)` for an array of their values
#include <krait/algorithm/indexing.h>
#include <krait/krait.h>
namespace kr = krait;

void of(kr::array<float, 2>& x, const kr::array<int>& rows) {
#ifdef RIGHT
  x(rows) = 1.0f, x(rows) += 1.0f, x(kr::all, rows) = 1.0f, x(kr::all, rows) *= 2.0f;
  kr::array s = x(rows);
  s = 1.0f, s += 1.0f;
#else
  auto s = x(rows);
  s = 1.0f;
#endif
}
#ifndef RIGHT
// error: krait: `auto s = x(which)` names the selected elements of x
void more(kr::array<float, 2>& x, const kr::array<int>& rows) {
  auto s = x(rows);
  s += 1.0f;
}
// error: krait: `auto s = x(which)` names the selected elements of x
void columns(kr::array<float, 2>& x, const kr::array<int>& which) {
  auto s = x(kr::all, which);
  s = 1.0f;
}
#endif
