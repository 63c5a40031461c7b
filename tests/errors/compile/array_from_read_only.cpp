// error: krait: a view of a const array is read-only: write x.copy() for a new array, or auto for the view
#include <krait/krait.h>
namespace kr = krait;

void f(const kr::array<float, 2>& a) {
#ifdef RIGHT
  kr::array<float> first = a(0).copy();
  auto view = a(0);
  kr::array<float> diagonal = (a * 2.0f).diagonal();
#else
  kr::array<float> first = a(0);
#endif
}
