// error: member
#include <krait/krait.h>
namespace kr = krait;

void f(kr::view<float> x) {
#ifdef RIGHT
  auto i = kr::block_idx().x * kr::block_dim().x + kr::thread_idx().x;
#else
  // [words]
  auto i = kr::block_idx.x * kr::block_dim.x + kr::thread_idx.x;  // these are functions: kr::block_idx().x
  // [/words]
#endif
}
