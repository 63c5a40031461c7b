// error: krait: DLPack supports numbers and complex numbers, but not structs
// error: krait: the elements of this array are const, which DLManagedTensor cannot express: use DLManagedTensorVersioned, or a copy()
// error: krait: wrap shares memory, and this container is a temporary: give it a name
// error: krait: this array is a temporary: give it a name
// error: krait: the array and the mdspan differ in their number of dimensions
#include <krait/dlpack.h>
#include <krait/krait.h>
#include <krait/span.h>

#include <dlpack/dlpack.h>
#include <vector>

#include "../../arrays/mdspan_like.h"
namespace kr = krait;

struct pair {
  int x, y;
};

void f(kr::array<pair>& pairs, const kr::array<int>& constant, kr::array<int>& a, std::vector<int>& v) {
  using kr::test::strided;
#ifdef RIGHT
  kr::to_dlpack<DLManagedTensor>(constant.copy());
  kr::wrap(v);
  kr::to_span(a);
  kr::to_mdspan<strided<int, 1>>(a);
#else
  kr::to_dlpack<DLManagedTensor>(pairs);
  kr::to_dlpack<DLManagedTensor>(constant);
  kr::wrap(std::vector<int>(3));
  kr::to_span(a.copy());
  kr::to_mdspan<strided<int, 2>>(a);
#endif
  (void)pairs, (void)v;
}
