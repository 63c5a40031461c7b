// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a target without libFuzzer: all the files that are given, then mutations of them and of the
// target's own seeds.
//   krait_fuzz TARGET [--seconds N] [FILE or FOLDER]…      seconds of processor time for mutations, 0 by default
// KRAIT_TEST_SEED gives a run again. What makes the target fail is written to fuzz-TARGET.failed in
// the current folder.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "targets.h"

extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace krait::test::fuzz {
namespace {

std::string current, failed;  // the input, and the file for it

/// Called in a signal's handler and by sanitizers: no allocation here.
void keep() {
  const int file = open(failed.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const bool kept =
      file >= 0 && write(file, current.data(), current.size()) == ssize_t(current.size());
  std::fprintf(stderr, "%s %s\n", kept ? "the input is in" : "the input cannot be written to",
               failed.c_str());
}
void on_signal(int number) {
  if (number == SIGPROF) std::fprintf(stderr, "the input takes more than 20 s of processor time\n");
  keep();
  std::signal(number == SIGPROF ? SIGABRT : number, SIG_DFL);
  std::raise(number == SIGPROF ? SIGABRT : number);
}

double processor_seconds() {
  double all = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    all += double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * double(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  }
  return all;
}

bool run(const Target& target, const std::string& input) {
  current = input;
  const itimerval limit{{0, 0}, {20, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
  return target.run(current);
}

class Mutator {
 public:
  Mutator(std::vector<std::string>& pool, std::uint64_t seed) : pool_(pool), random_(seed) {}

  std::string next() {
    std::string s = pool_[below(pool_.size())];
    for (std::size_t times = 1 + below(4) * below(3); times > 0; --times) mutate(s);
    if (s.size() > most_bytes) s.resize(most_bytes);
    return s;
  }

 private:
  static constexpr std::size_t most_bytes = 1 << 14;

  std::size_t below(std::size_t n) { return n == 0 ? 0 : std::size_t(random_() % n); }
  /// Where a line begins and ends, with its newline.
  std::pair<std::size_t, std::size_t> line_of(const std::string& s) {
    const std::size_t at = below(s.size());
    const std::size_t before = at == 0 ? s.npos : s.rfind('\n', at - 1), end = s.find('\n', at);
    return {before == s.npos ? 0 : before + 1, end == s.npos ? s.size() : end + 1};
  }
  /// A word or number of a text: where it begins and ends.
  std::pair<std::size_t, std::size_t> word_of(const std::string& s) {
    const auto in_word = [&](std::size_t i) {
      return std::isalnum(static_cast<unsigned char>(s[i])) || s[i] == '_' || s[i] == '-';
    };
    std::size_t begin = below(s.size());
    while (begin < s.size() && !in_word(begin)) ++begin;
    while (begin > 0 && begin <= s.size() && in_word(begin - 1)) --begin;
    std::size_t end = begin;
    while (end < s.size() && in_word(end)) ++end;
    return {begin, end};
  }
  std::string any_number() {
    static constexpr const char* all[] = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "3",
                                          "255",
                                          "256",
                                          "65535",
                                          "65536",
                                          "2147483647",
                                          "2147483648",
                                          "-2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "1e308",
                                          "nan"};
    return all[below(std::size(all))];
  }
  void mutate(std::string& s) {
    const std::size_t at = below(s.size() + 1), length = 1 + below(1 + below(s.size() + 1 - at));
    const std::string& other = pool_[below(pool_.size())];
    switch (below(12)) {
      case 0:
        if (at < s.size()) s[at] = char(s[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < s.size()) s[at] = char(random_());
        break;
      case 2: s.erase(std::min(at, s.size()), std::min<std::size_t>(length, 32)); break;
      case 3: s.insert(at, s.substr(at, length)); break;
      case 4: s.insert(at, other.substr(below(other.size() + 1), 1 + below(64))); break;
      case 5:
      case 6: {
        const auto [begin, end] = word_of(s);
        s.replace(begin, end - begin, any_number());
        break;
      }
      case 7: {  // a word of another
        const auto [begin, end] = word_of(s);
        const auto [from, to] = word_of(other);
        s.replace(begin, end - begin, other.substr(from, to - from));
        break;
      }
      case 8: {
        const auto [begin, end] = line_of(s);
        s.erase(begin, end - begin);
        break;
      }
      case 9: {
        const auto [begin, end] = line_of(s);
        s.insert(begin, s.substr(begin, end - begin));
        break;
      }
      case 10: {
        const auto [from, to] = line_of(other);
        const auto [begin, end] = line_of(s);
        s.insert(begin, other.substr(from, to - from));
        break;
      }
      case 11: {  // 2, 4 or 8 bytes of a number
        const std::size_t bytes = std::size_t(2) << below(3);
        if (s.size() < bytes) break;
        static constexpr std::uint64_t numbers[] = {0,
                                                    1,
                                                    2,
                                                    255,
                                                    0x7fffffff,
                                                    0x80000000,
                                                    0xffffffff,
                                                    0x100000000,
                                                    ~std::uint64_t(0) >> 1,
                                                    ~std::uint64_t(0)};
        const std::uint64_t n = numbers[below(std::size(numbers))] + below(3) - 1;
        std::memcpy(&s[below(s.size() - bytes + 1)], &n, bytes);
        break;
      }
    }
  }

  std::vector<std::string>& pool_;
  std::mt19937_64 random_;
};

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int run_all(const Target& target, double seconds, const std::vector<std::string>& places) {
  std::vector<std::filesystem::path> files;
  for (const std::string& place : places) {
    if (!std::filesystem::is_directory(place)) files.emplace_back(place);
    else
      for (const auto& entry : std::filesystem::recursive_directory_iterator(place))
        if (entry.is_regular_file() && entry.path().extension() != ".cpp")
          files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // the seed gives the same run on every machine
  std::vector<std::string> pool = target.seeds();
  for (const auto& file : files) pool.push_back(read(file));
  std::size_t taken = 0;
  for (const std::string& input : pool) taken += run(target, input);
  std::printf("%s: %zu inputs, %zu of them taken\n", target.name, pool.size(), taken);
  if (pool.empty()) return 1;
  if (seconds <= 0) return 0;

  const char* const given = std::getenv("KRAIT_TEST_SEED");
  const std::uint64_t seed =
      given && *given ? std::strtoull(given, nullptr, 10) : std::random_device()();
  std::printf("KRAIT_TEST_SEED=%llu gives the mutations again\n",
              static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  Mutator mutator(pool, seed);
  std::mt19937_64 places_of_pool(seed);
  constexpr std::size_t most_kept = 4096;
  const std::size_t own = pool.size();
  std::size_t runs = 0;
  for (taken = 0; processor_seconds() < seconds; ++runs) {
    std::string input = mutator.next();
    if (!run(target, input)) continue;
    ++taken;
    if (pool.size() < own + most_kept) pool.push_back(std::move(input));
    else pool[own + places_of_pool() % most_kept] = std::move(input);
  }
  std::printf("%s: %zu mutations, %zu of them taken\n", target.name, runs, taken);
  return 0;
}

}  // namespace
}  // namespace krait::test::fuzz

int main(int argc, char** argv) {
  using namespace krait::test::fuzz;
  const std::string name = argc > 1 ? argv[1] : "";
  const auto* const target = std::find_if(std::begin(targets), std::end(targets),
                                          [&](const Target& t) { return name == t.name; });
  if (target == std::end(targets)) {
    std::fprintf(stderr, "krait_fuzz TARGET [--seconds N] [FILE or FOLDER]…, TARGET one of");
    for (const Target& t : targets) std::fprintf(stderr, " %s", t.name);
    std::fprintf(stderr, "\n");
    return 2;
  }
  failed = "fuzz-" + name + ".failed";
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGPROF})
    if (number == SIGABRT || number == SIGPROF || !__sanitizer_set_death_callback)
      std::signal(number, on_signal);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep);
  double seconds = 0;
  std::vector<std::string> places;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
      seconds = std::strtod(argv[++i], nullptr);
    else places.emplace_back(argv[i]);
  }
  return run_all(*target, seconds, places);
}
