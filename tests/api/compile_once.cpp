// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often kernels are compiled, counted in what KRAIT_DUMP writes of every compilation:
// concurrent first calls compile once, another specialisation once more, objects with the same
// content share. Exit status 1: another count.
#include <krait/krait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace kr = krait;

namespace {

int dump = -1;

/// Compilations since the program began.
int compilations() {
  std::string text;
  char piece[4096];
  lseek(dump, 0, SEEK_SET);
  for (ssize_t n; (n = read(dump, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(n));
  int count = 0;
  for (std::size_t at = 0; (at = text.find("; ====", at)) != text.npos; ++at) ++count;
  return count;
}

int failures = 0;
void expect(int count, const char* what) {
  const int got = compilations();
  std::printf("%s: %d compilations, expected %d\n", what, got, count);
  failures += got != count;
}

}  // namespace

int main() {
  std::FILE* file = std::tmpfile();
  if (!file) return std::perror("tmpfile"), 1;
  dump = fileno(file);
  setenv("KRAIT_DUMP", (std::to_string(dump) + " ir -").c_str(), 1);

  auto scale = [](int factor) { return kr::vectorize([factor](auto x) { return x * factor; }); };
  auto twice = scale(2);
  std::atomic<bool> go{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  const std::vector<int> input(1000, 21);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      while (!go) std::this_thread::yield();
      const std::vector<int> out = twice(input);
      wrong += out[999] != 42;
    });
  go = true;
  for (std::thread& t : threads) t.join();
  expect(1, "eight concurrent first calls");
  twice(input);
  twice(std::vector<int>(7, 1));
  expect(1, "more calls");
  twice(std::vector<float>(7, 1.0f));
  expect(2, "another element type");
  auto thrice = scale(3);
  thrice(input);
  expect(3, "another capture");
  auto twice_again = scale(2);
  twice_again(input);
  expect(3, "an object of the same content");
  return failures != 0 || wrong != 0;
}
