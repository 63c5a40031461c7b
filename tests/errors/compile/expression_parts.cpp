// error: krait: these elements cannot be written: they repeat, or they are of a const array or an expression; `kr::array y = x` makes an array of an expression x
// An expression has no elements of its own: what is written to a part of it would be lost.
#include <complex>

#include <krait/algorithm/indexing.h>
#include <krait/complex.h>
#include <krait/krait.h>
namespace kr = krait;

void of(kr::array<float, 2>& x, const kr::array<int>& rows) {
#ifdef RIGHT
  kr::array y = x * 2.0f;
  y(0, 0) = 1.0f, y(0, 0) += 1.0f, y(0) = 1.0f, y(rows) = 1.0f, y(y > 0.0f) = 1.0f, y += 1.0f;
  y.reshape(-1)(0) = 1.0f, y.transpose()(0) = 1.0f, y.diagonal() = 1.0f;
  kr::array z = (x * 2.0f).reshape({-1, 1});
  z(0, 0) = 1.0f;
  kr::array<float, 2> t = (x * 2.0f).transpose();
  t(0, 0) = 1.0f;
#else
  // [part]
  auto y = x * 2.0f;
  y(0, 0) = 1.0f;
  // [/part]
#endif
}
#ifndef RIGHT
// error: krait: these elements cannot be written
void real(kr::array<std::complex<float>>& x) { kr::real(x) = kr::imag(x); }
// error: krait: these elements cannot be written
void real(kr::array<std::complex<float>>& x, kr::array<std::complex<float>>& y) { kr::real(x) = kr::real(y); }
// error: krait: these elements cannot be written
void one(kr::array<float, 2>& x) {
  auto y = x * 2.0f;
  y.diagonal() = 1.0f;
}
// error: krait: these elements cannot be written
void more(kr::array<float, 2>& x) {
  auto y = x * 2.0f;
  y(0, 0) += 1.0f;
}
// error: krait: these elements cannot be written
void row(kr::array<float, 2>& x) {
  auto y = x * 2.0f;
  y(0) = 1.0f;
}
// error: krait: these elements cannot be written
void rows(kr::array<float, 2>& x, const kr::array<int>& which) {
  auto y = x * 2.0f;
  y(which) = 1.0f;
}
// error: krait: these elements cannot be written
void above(kr::array<double, 2>& x) {
  auto y = x * 2.0;
  y(y > 0.0) = 1.0;
}
// error: krait: these elements cannot be written
void whole(kr::array<float, 2>& x) {
  auto y = x * 2.0f;
  y += 1.0f;
}
// error: krait: these elements cannot be written
void selected(kr::array<int, 2>& x, const kr::array<int>& which) { x(which)(0, 0) = 1; }
#endif
