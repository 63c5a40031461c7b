// error: std::vector<bool> stores bits, which a kernel cannot access: use std::vector<unsigned char>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

void f([[maybe_unused]] std::vector<bool>& flags, std::vector<unsigned char>& bytes) {
  auto generic = kr::kernel([](auto x, auto y) { y[0] = x[0]; });
#ifdef RIGHT
  generic.launch({1, 1}, bytes, bytes);
#else
  generic.launch({1, 1}, flags, bytes);
#endif
}
