// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One allocation fails, somewhere in a first call: the caller gets an exception, or the right
// result, and the same call works afterwards.
//   krait_no_memory                     a few seconds of places that are drawn; KRAIT_TEST_SEED draws the same again
//   krait_no_memory PLACES              as many, spread over all there are; 0: each. A line for each outcome
//   krait_no_memory WORK PLACE [on]     one place, in this process, for a debugger; on: all later allocations fail, too
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <krait/algorithm/fft.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/scan.h>
#include <krait/algorithm/sort.h>
#include <krait/krait.h>

#include "../support/failing_malloc.h"

namespace kr = krait;
using krait::test::fail_allocation;

namespace {

const int table[] = {1, 2, 3, 4};

/// Every word that opens a region, functions, and what is thrown and left in the middle of them.
auto language() {
  static const auto clamp = kr::function([](kr::value<float> x) {
    kr::if_(x > 3.f, [&] { kr::return_(kr::value<float>(3.f)); });
    return x;
  });
  static const auto advance = kr::function([](kr::var<float>& at, kr::value<float> by) {
    kr::if_(by == 0.f, [] { kr::return_(); });
    at += by;
  });
  static const auto halves = kr::vectorize([](auto x) {
    kr::if_(x < 0.f, [&] { kr::return_(0.f * x); });
    return x * 0.5f;
  });
  return kr::kernel(
      [](kr::view<const float> x, kr::view<float> y) {
        const auto numbers = kr::constant(table);
        auto part = kr::shared<float, 64>();
        auto own = kr::local<float, 4>();
        for (auto k : kr::range(4)) own[k] = kr::cast<float>(numbers[k]);
        part[kr::thread_idx().x] = x[kr::thread_idx().x];
        kr::syncthreads();
        for (auto i : kr::grid_stride(y.size())) {
          kr::var<float> v = x[i];
          kr::var<int> trips = 0;
          kr::while_([&] { return trips < 3 && v < 2.f; },
                     [&] {
                       trips += 1;
                       kr::if_(trips == 2, [] { kr::continue_(); });
                       advance(v, own[trips]);
                     });
          for (auto j : kr::range(0, 8, 2)) {
            kr::if_(j == 4, [] { kr::break_(); });
            kr::switch_(j).case_(0, [&] { v += 1.f; }).case_(2, 3, [&] { v -= 1.f; }).default_([&] {
              v = 0.f;
            });
          }
          kr::if_(v < 0.f, [&] { v = 0.f; }).elif_(v > 100.f, [&] { v = 100.f; }).else_([&] {
            v = clamp(v);
          });
          y[i] = kr::select(
                     v > 1.f || x[i] > 1.f, [&] { return halves(v); }, v) +
                 part[i % 64] * 0.f;
        }
      },
      {.name = "language"});
}

struct Data {
  std::vector<float> host = std::vector<float>(1000);
  kr::array<float> x, y;
  std::vector<std::complex<float>> signal = std::vector<std::complex<float>>(256, {1, 0});
  Data() {
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = float(i * 7 % 1000) * 0.25f;
    x = kr::to_device(host), y = kr::zeros<float>(1000);
  }
};

struct Work {
  const char* name;
  bool (*run)(Data&);
};
const Work works[] = {
    {"language",
     [](Data& d) {
       auto k = language();
       k.launch({4, 64}, d.x, d.y);
       const auto r = d.y.to_host();
       for (const float v : r)
         if (!(v >= 0.f && v <= 50.f)) return false;
       return true;
     }},
    {"launch",
     [](Data& d) {
       auto k = kr::kernel([](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
         for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + 1.f;
       });
       std::vector<float> out(1000);
       k.launch({4, 64}, 2.f, d.host, out);
       k.launch({4, 64}, 2.f, d.x, d.y);
       k.compile_async();
       const auto r = d.y.to_host();
       for (std::size_t i = 0; i < out.size(); ++i)
         if (out[i] != 2.f * d.host[i] + 1.f || r[i] != out[i]) return false;
       return true;
     }},
    {"best",  // in the background
     [](Data& d) {
       auto k = kr::kernel([](kr::view<float> y) {
         for (auto i : kr::grid_stride(y.size())) y[i] = kr::sin(y[i]) * 0.f + 2.f;
       });
       k.launch({4, 64}, d.y);
       kr::wait_for_compilations();
       k.launch({4, 64}, d.y);
       return d.y.to_host()[7] == 2.f;
     }},
    {"threads",  // blocks that meet, each on a thread of its own
     [](Data& d) {
       auto k = kr::kernel([](kr::view<float> y) {
         y[kr::block_idx().x] = 1.f;
         kr::grid_sync();
         y[4 + kr::block_idx().x] = y[3 - kr::block_idx().x] + 1.f;
       });
       k.launch({4, 1}, d.y);
       return d.y.to_host()[6] == 2.f;
     }},
    {"arrays",
     [](Data& d) {
       kr::array<float> z = d.x * 2.f + kr::sqrt(d.x);
       z += d.x;
       const auto r = z.to_host();
       return r[0] == 0.f && kr::stream().on() == kr::device() && z.size() == 1000;
     }},
    {"sum", [](Data& d) { return kr::sum(d.x) == 0.25f * 999 * 500; }},
    {"scan", [](Data& d) { return kr::cumsum(d.x).to_host()[2] == 0.25f * 21; }},
    {"sort", [](Data& d) { return kr::sort(d.x).to_host()[4] == 1.f; }},
    {"fft",
     [](Data& d) {
       return std::abs(kr::fft(kr::to_device(d.signal)).to_host()[0] -
                       std::complex<float>(256, 0)) < 1e-2f;
     }},
};

/// From nothing on: the first of a process loads the code generator, too.
bool run(const Work& work) {
  Data data;
  return work.run(data);
}

/// What happened, "…; then right" where all is well. `count`: of the allocations.
std::string try_one(const Work& work, long place, bool on, long& count) {
  std::string result, again;
  fail_allocation(place, on);
  try {
    const bool right = run(work);
    count = krait::test::end_of_failing();
    result = right ? "right" : "WRONG";
  } catch (const kr::error& e) {
    count = krait::test::end_of_failing();
    result = "krait::error";
    std::fprintf(stderr, "%s\n", e.what());
  } catch (const std::bad_alloc&) {
    count = krait::test::end_of_failing();
    result = "std::bad_alloc";
  } catch (const std::exception& e) {
    count = krait::test::end_of_failing();
    result = std::string("WRONG: another exception: ") + e.what();
  }
  try {
    again = run(work) ? "; then right" : "; then WRONG";
  } catch (const std::exception& e) {
    again = std::string("; then WRONG: ") + e.what();
  }
  return result + again;
}

/// The same in a process of its own.
std::string try_apart(const Work& work, long place, bool on, long& count) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    if (!std::freopen("/dev/null", "w", stderr)) std::_Exit(3);
    long counted = 0;
    const std::string said = std::to_string(place) + try_one(work, place, on, counted);
    const std::string line =
        std::to_string(counted) + " " + said.substr(std::to_string(place).size());
    if (write(ends[1], line.data(), line.size()) < 0) std::_Exit(3);
    std::exit(0);
  }
  close(ends[1]);
  std::string said;
  char buffer[1000];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, std::size_t(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  count = std::atol(said.c_str());
  said.erase(0, said.find(' ') + 1);
  if (WIFSIGNALED(status))
    return "WRONG: signal " + std::to_string(WTERMSIG(status)) + " after: " + said;
  return WEXITSTATUS(status)
             ? "WRONG: status " + std::to_string(WEXITSTATUS(status)) + " after: " + said
             : said;
}

struct Outcomes {
  std::map<std::string, long> all;
  long tries = 0, wrong = 0;
  void add(const Work& work, long place, bool on) {
    long count = 0;
    const std::string outcome = try_apart(work, place, on, count);
    ++tries;
    if (++all[outcome] == 1 && outcome.find("WRONG") != outcome.npos)
      std::printf("krait_no_memory %s %ld%s: %s\n", work.name, place, on ? " on" : "",
                  outcome.c_str());
    wrong += outcome.find("WRONG") != outcome.npos;
  }
};

std::uint64_t seed() {
  const char* const text = std::getenv("KRAIT_TEST_SEED");
  if (!text || !*text) return std::random_device()();
  std::uint32_t drawn = 0;
  std::seed_seq(text, text + std::strlen(text)).generate(&drawn, &drawn + 1);
  return drawn;
}

}  // namespace

int main(int argc, char** argv) {
  setenv("KRAIT_CACHE", "off", 0);
  if (argc > 2) {
    long count = 0;
    for (const Work& w : works)
      if (!std::strcmp(w.name, argv[1]))
        std::puts(try_one(w, std::atol(argv[2]), argc > 3, count).c_str());
    return 0;
  }
  long places[std::size(works)], total = 0;
  for (std::size_t w = 0; w < std::size(works); ++w) {
    if (const std::string none = try_apart(works[w], 0, false, places[w]);
        none != "right; then right")
      return std::printf("%s where nothing fails: %s\n", works[w].name, none.c_str()), 1;
    total += places[w];
  }
  Outcomes outcomes;
  if (argc > 1) {
    const long asked = std::atol(argv[1]), step = asked > 0 ? std::max(1L, total / asked) : 1;
    for (std::size_t w = 0; w < std::size(works); ++w)
      for (const bool on : {false, true})
        for (long place = 1 + long(w) % step; place <= places[w]; place += on ? 10 * step : step)
          outcomes.add(works[w], place, on);
  } else {
    const std::uint64_t first = seed();
    std::printf("seed %llu of %ld places\n", static_cast<unsigned long long>(first), total);
    std::mt19937_64 random(first);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    for (std::size_t w = random() % std::size(works); std::chrono::steady_clock::now() < end;
         w = (w + 1) % std::size(works))
      if (places[w] < 20'000 || random() % 10 == 0)  // the others take long
        outcomes.add(works[w], 1 + long(random() % std::uint64_t(places[w])), random() % 10 == 0);
  }
  for (const auto& [outcome, count] : outcomes.all)
    std::printf("%6ld  %s\n", count, outcome.c_str());
  std::printf("%ld places, %ld wrong\n", outcomes.tries, outcomes.wrong);
  return outcomes.wrong != 0;
}
