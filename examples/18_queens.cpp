// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In how many ways n queens stand on a board of n x n without attacking each other. A thread has the first two queens' places
// from its index and searches the rest depth first, with a stack in local memory. Rows are sets of columns, as bits.
#include <cstdio>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr int largest = 10;

  auto search = kr::kernel([](kr::value<int> n, kr::view<unsigned> solutions) {
    auto i = kr::cast<int>(kr::grid());
    auto all = (1u << n) - 1;
    auto first = 1u << (i / n), second = 1u << (i % n);
    kr::if_(i >= n * n || (second & (first | first << 1 | first >> 1)) != 0, [&] { kr::return_(); });

    // Of each row: the columns still to try, and those attacked straight, to the left and to the right.
    auto free = kr::local<unsigned, largest>(), straight = kr::local<unsigned, largest>();
    auto left = kr::local<unsigned, largest>(), right = kr::local<unsigned, largest>();
    const auto enter = [&](auto row, auto down, auto to_left, auto to_right) {
      straight[row] = down, left[row] = to_left, right[row] = to_right;
      free[row] = all & ~(down | to_left | to_right);
    };
    kr::var row = 2, found = 0;
    enter(row, first | second, first << 2 | second << 1, first >> 2 | second >> 1);
    kr::while_([&] { return row >= 2; }, [&] {
      auto choice = free[row] & (0u - free[row]);  // the lowest column to try
      kr::if_(choice == 0u, [&] { row -= 1; })
          .elif_(row == n - 1, [&] { found += 1, free[row] = free[row] ^ choice; })
          .else_([&] {
            free[row] = free[row] ^ choice;
            enter(row + 1, straight[row] | choice, (left[row] | choice) << 1, (right[row] | choice) >> 1);
            row += 1;
          });
    });
    kr::atomic(solutions[0]).add(found);
  }, {.name = "queens"});

  const unsigned known[] = {2, 10, 4, 40, 92, 352, 724};  // for 4 to 10: OEIS A000170
  for (int n = 4; n <= largest; ++n) {
    std::vector<unsigned> solutions(1);
    search.forall(n * n)(n, solutions);
    std::printf("%2d queens: %4u ways\n", n, solutions[0]);
    if (solutions[0] != known[n - 4]) return std::printf("expected %u\n", known[n - 4]), 1;
  }
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
