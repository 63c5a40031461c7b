// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Things that are made once for all calls that need the same.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "algorithms/record/kept.h"

namespace {

using krait::host::Facts;
using krait::host::Kept;

struct Thing {
  explicit Thing(int n) : number(n) {}
  int number;
};

TEST(Kept, EqualFactsAreOneThingForAllThreads) {
  Kept<Thing> kept;
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int n = 0; n < 200; ++n) {
        const Thing& found = kept.of<Thing>({n, true}, [&] {
          ++made;
          return std::make_unique<Thing>(n);
        });
        if (found.number != n) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(made, 200);
  EXPECT_EQ(wrong, 0);
}

TEST(Kept, FactsTheirNumberAndTheMakerTellThingsApart) {
  Kept<Thing> kept;
  const auto number_of = [&]<class Maker>(const Facts& facts, Maker, int n) {
    return kept.of<Maker>(facts, [&] { return std::make_unique<Thing>(n); }).number;
  };
  const int x = 0, y = 0;
  EXPECT_EQ(number_of({1, 2}, 0, 10), 10);
  EXPECT_EQ(number_of({1, 2}, 0, 11), 10);
  EXPECT_EQ(number_of({2, 1}, 0, 12), 12);
  EXPECT_EQ(number_of({1, 2, 0}, 0, 13), 13);
  EXPECT_EQ(number_of({1, 2}, 0.0, 14), 14);
  EXPECT_EQ(number_of({&x}, 0, 15), 15);
  EXPECT_EQ(number_of({&y}, 0, 16), 16);
  EXPECT_EQ(number_of({}, 0, 17), 17);
}

}  // namespace
