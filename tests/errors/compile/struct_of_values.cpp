// error: value<float>
#include <krait/krait.h>
namespace kr = krait;

struct best {
  float score;
  int at;
};

auto scored(kr::value<float> v, kr::value<int> i) {
#ifdef RIGHT
  return kr::value<best>(v, i);
#else
  // [members]
  return best{v, i};               // the members are plain numbers, which v and i are not yet
  // [/members]
#endif
}
