// error: krait: the ends of groups must be int or std::int64_t
// Misuse of kr::grouped_matmul.
#include <krait/algorithm/grouped_matmul.h>
namespace kr = krait;

#ifndef RIGHT
void ends(kr::array<float, 2>& x, kr::array<float, 3>& y, kr::array<float>& z) { kr::grouped_matmul(x, y, z); }
#endif
