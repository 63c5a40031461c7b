// error: std::vector<bool> stores bits, which a kernel cannot access: use std::vector<unsigned char>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto both = kr::vectorize([](auto x, auto y) { return x && y; });

void f([[maybe_unused]] const std::vector<bool>& flags, const std::vector<unsigned char>& bytes) {
#ifdef RIGHT
  both(bytes, bytes);
#else
  both(flags, bytes);
#endif
}
