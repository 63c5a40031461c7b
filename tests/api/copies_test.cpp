// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic updates of small arrays by many threads, of which the CPU's workers may make copies: the
// same results as a loop, whether there are copies or not. Run with several numbers of threads.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

template <class T>
std::vector<T> some(std::size_t n, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> x(n);
  for (T& e : x) e = T(random());
  return x;
}

/// Updates of 61 elements by `n` others, in two kernels: of a range, and of a grid of threads with
/// some of them.
template <class T, class Update, class Expected>
void check_update(Update update, Expected expected, std::size_t n) {
  const std::vector<T> x = some<T>(n), start = some<T>(61, 2);
  auto all = kr::kernel([=](kr::view<const T> from, kr::view<T> to) {
    for (auto i : kr::grid_stride(from.size())) update(kr::atomic(to[i * 7 % 61]), from[i]);
  });
  auto some_of = kr::kernel([=](kr::view<const T> from, kr::view<T> to) {
    auto i = kr::grid();
    kr::if_(i < from.size() && (from[i] & 4) == 4,
            [&] { update(kr::atomic(to[i * 7 % 61]), from[i]); });
  });
  std::vector<T> a = start, b = start, each = start, chosen = start;
  for (std::size_t i = 0; i < n; ++i) {
    each[i * 7 % 61] = expected(each[i * 7 % 61], x[i]);
    if (x[i] & 4) chosen[i * 7 % 61] = expected(chosen[i * 7 % 61], x[i]);
  }
  all.launch({16, 128}, x, a);
  EXPECT_EQ(a, each);
  some_of.forall(std::int64_t(n))(x, b);
  EXPECT_EQ(b, chosen);
}

template <class T>
void check_updates(std::size_t n) {
  using U = std::make_unsigned_t<T>;
  check_update<T>([](auto to, auto v) { to.add(v); }, [](T a, T b) { return T(U(a) + U(b)); }, n);
  check_update<T>([](auto to, auto v) { to.sub(v); }, [](T a, T b) { return T(U(a) - U(b)); }, n);
  check_update<T>([](auto to, auto v) { to.and_(v); }, [](T a, T b) { return T(a & b); }, n);
  check_update<T>([](auto to, auto v) { to.or_(v); }, [](T a, T b) { return T(a | b); }, n);
  check_update<T>([](auto to, auto v) { to.xor_(v); }, [](T a, T b) { return T(a ^ b); }, n);
  check_update<T>([](auto to, auto v) { to.min(v); }, [](T a, T b) { return std::min(a, b); }, n);
  check_update<T>([](auto to, auto v) { to.max(v); }, [](T a, T b) { return std::max(a, b); }, n);
}

constexpr std::size_t many = 100003, few = 150;
TEST(Copies, I32) { check_updates<std::int32_t>(many), check_updates<std::int32_t>(few); }
TEST(Copies, U32) { check_updates<std::uint32_t>(many), check_updates<std::uint32_t>(few); }
TEST(Copies, I64) { check_updates<std::int64_t>(many), check_updates<std::int64_t>(few); }
TEST(Copies, U64) { check_updates<std::uint64_t>(many), check_updates<std::uint64_t>(few); }

inline constexpr auto count = [](kr::view<const int> x, kr::view<int> counts) {
  for (auto i : kr::grid_stride(x.size()))
    kr::atomic(counts[kr::cast<std::int64_t>(x[i] & 0xfffffff) % counts.size()]).add(1);
};

std::vector<int> counted(const std::vector<int>& x, std::size_t bins, int times = 1) {
  std::vector<int> c(bins);
  for (int v : x) c[std::size_t(v & 0xfffffff) % bins] += times;
  return c;
}

TEST(Copies, ArraysOfManySizes) {
  const std::vector<int> x = some<int>(300000);
  auto kernel = kr::kernel(count);
  for (std::size_t bins : {1, 2, 17, 256, 1000, 65536, 65537, 200000}) {
    std::vector<int> c(bins);
    kernel.launch({16, 128}, x, c);
    EXPECT_EQ(c, counted(x, bins)) << bins;
  }
}

TEST(Copies, OfTwoDimensionsAndAPart) {
  const std::vector<int> x = some<int>(50000);
  auto kernel = kr::kernel([](kr::view<const int> from, kr::view<unsigned, 2> to) {
    for (auto i : kr::grid_stride(from.size()))
      kr::atomic(to(from[i] & 3, (from[i] >> 2) & 15)).add(2u);
  });
  kr::array<unsigned, 2> all(kr::shape<2>(6, 16));
  all.copy_from(std::vector<unsigned>(96, 9));
  std::vector<unsigned> expected(96, 9);
  for (int v : x) expected[std::size_t((v & 3) * 16 + ((v >> 2) & 15))] += 2;
  kernel.launch({8, 128}, kr::to_device(x), all);
  EXPECT_EQ(std::vector<unsigned>(all.to_host()), expected);
}

TEST(Copies, AResultThatIsUsed) {
  const std::vector<int> x = some<int>(20000);
  auto kernel = kr::kernel([](kr::view<const int> from, kr::view<int> places, kr::view<int> next) {
    for (auto i : kr::grid_stride(from.size()))
      places[kr::atomic(next[0]).add(1)] = kr::cast<int>(i);
  });
  std::vector<int> places(x.size(), -1), next(1);
  kernel.launch({16, 128}, x, places, next);
  EXPECT_EQ(next[0], int(x.size()));
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < places.size(); ++i) ASSERT_EQ(places[i], int(i));
}

TEST(Copies, AnArrayPassedTwice) {
  std::vector<int> x = some<int>(20000), c(64);
  auto kernel = kr::kernel([](kr::view<const int> from, kr::view<int> to, kr::view<int> also) {
    for (auto i : kr::grid_stride(from.size())) {
      kr::atomic(to[from[i] & 63]).add(1);
      kr::atomic(also[from[i] & 63]).add(2);
    }
  });
  const kr::array<int> in = kr::to_device(x);
  kr::array<int> to = kr::to_device(c), other = kr::to_device(c);
  kernel.launch({16, 128}, in, to, to);
  EXPECT_EQ(std::vector<int>(to.to_host()), counted(x, 64, 3));
  to.copy_from(c);
  kernel.launch({16, 128}, in, to, other);
  EXPECT_EQ(std::vector<int>(to.to_host()), counted(x, 64, 1));
  EXPECT_EQ(std::vector<int>(other.to_host()), counted(x, 64, 2));
}

TEST(Copies, LaunchesOfTwoStreamsAndThreads) {
  const std::vector<int> x = some<int>(200000);
  const kr::array<int> in = kr::to_device(x);
  kr::array<int> to = kr::to_device(std::vector<int>(256));
  auto kernel = kr::kernel(count);
  constexpr int each = 20;
  const auto launch = [&] {
    kr::stream mine;
    for (int i = 0; i < each; ++i) kernel.launch({16, 128, mine}, in, to);
    mine.synchronize();
  };
  std::thread first(launch), second(launch);
  first.join(), second.join();
  EXPECT_EQ(std::vector<int>(to.to_host()), counted(x, 256, 2 * each));
}

TEST(Copies, InAChildOfFork) {
  if (const char* why = krait::test::cannot_fork()) GTEST_SKIP() << why;
  if (std::string(kr::device().id()) != "cpu")
    GTEST_SKIP() << "a GPU's driver does not survive fork";
  const std::vector<int> x = some<int>(200000);
  auto kernel = kr::kernel(count);
  const auto works = [&] {
    std::vector<int> c(256);
    kernel.launch({16, 128}, x, c);
    return c == counted(x, 256);
  };
  ASSERT_TRUE(works());
  const pid_t child = fork();
  if (child == 0) _exit(works() && works() ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(works());
}

}  // namespace
