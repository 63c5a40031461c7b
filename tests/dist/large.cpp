// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   krait_dist_large    two ranks of a launcher: 9 GB, and a minute or two
// Messages of more than 2^31 bytes, in which MPI cannot count: to one rank, and back. It is skipped
// (77) without the memory, and where KRAIT_TEST_SEED draws tests.
#include <unistd.h>

#include <cstdlib>

#include "dist/checks.h"
namespace kr = krait;

namespace {

auto value_at(auto i) { return kr::cast<char>((i * 7 + i / 1000003) % 113); }

void all(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks";
  const std::int64_t own = (std::int64_t(1) << 31) + 1000, n = own * ranks.size();
  const auto pattern = kr::vectorize([](auto i) { return value_at(i); });
  kr::dist::array<char> a(ranks, {n});
  kr::dist::fill(a, [](auto i) { return value_at(i); });
  const auto wanted = kr::sum(kr::cast<std::int64_t>(a));
  const kr::array<char> one = kr::dist::gather(a);
  if (ranks.rank() == 0) {
    EXPECT(one.size() == n);
    EXPECT(kr::sum(kr::cast<std::int64_t>(one)) == wanted);
    for (const std::int64_t first : {own - 1000, own, n - 1000, n / 2 + (1 << 30) - 500})
      EXPECT(kr::all(one(kr::range(first, first + 1000)) ==
                     pattern(kr::arange<std::int64_t>(first, first + 1000))));
  }
  a = char(0);
  kr::dist::scatter(one, a);
  EXPECT(kr::sum(kr::cast<std::int64_t>(a)) == wanted);
  for (const std::int64_t at : {own - 1, own, n - 1})
    EXPECT(kr::dist::at(a, at) == char((at * 7 + at / 1000003) % 113));
}

}  // namespace

int main(int argc, char** argv) {
  if (std::getenv("KRAIT_TEST_SEED")) {
    std::puts("skipped: KRAIT_TEST_SEED is set");
    return 77;
  }
  constexpr double needed = 11e9;
  if (double(sysconf(_SC_AVPHYS_PAGES)) * double(sysconf(_SC_PAGESIZE)) < needed) {
    std::puts("skipped: there are less than 11 GB of free memory");
    return 77;
  }
  return dist_test::run(argc, argv, all);
}
