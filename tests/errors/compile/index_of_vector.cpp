// error: krait: a traced value is not known while recording, so C++ cannot take it as an index or a size: a table is kr::constant(table)[i], or a parameter kr::view<const T>
#include <array>
#include <span>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

auto f(const std::vector<float>& table) {
#ifdef RIGHT
  return kr::vectorize([&](auto i) { return kr::constant(table)[i] + table[2]; });
#else
  // [vector]
  return kr::vectorize([&](auto i) { return table[i]; });
  // [/vector]
#endif
}
void g(kr::view<float> x, kr::value<int> i, kr::value<float> v, bool flag, std::int64_t n) {
#ifdef RIGHT
  // The choice of a plain flag keeps its type.
  kr::value<std::int64_t> end = flag ? x.size() : n;
  kr::value<float> larger = flag ? v : 2.0f, other = flag ? v : i;
  x[end - 1] = larger + other;
#else
  x[0] = std::array<float, 4>{}[x.size()];
  std::vector<float> local(i);
  x[0] = std::span<float>(local)[i % 4];
#endif
}
int main() { f({0, 1, 4, 9})(1); }
