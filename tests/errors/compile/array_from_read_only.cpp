// error: krait: a view of a const array is read-only: write x.copy() for a new array, or auto for the view
#include <krait/krait.h>
namespace kr = krait;

void f(const kr::array<float, 2>& a) {
#ifdef RIGHT
  kr::array<float> first = a(0).copy();
  auto view = a(0);
  kr::array<float> second = a(1), diagonal = (a * 2.0f).diagonal();  // arrays of their own
#else
  auto view = a(0);
  kr::array<float> first = view;
#endif
}
