// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels tell the host: printed lines, failed checks, accesses out of bounds; and what the
// interpreter finds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "expect.h"

namespace {

using krait::test::expect_library_works;
using krait::test::expect_usage;
using krait::test::place;

/// Collects what kernels print while it lives.
class Lines {
 public:
  Lines() {
    kr::on_print([this](const char* line) { lines_.emplace_back(line); });
  }
  ~Lines() { kr::on_print(nullptr); }
  std::vector<std::string> sorted() {
    kr::synchronize();
    std::sort(lines_.begin(), lines_.end());
    return lines_;
  }
  const std::vector<std::string>& all() {
    kr::synchronize();
    return lines_;
  }

 private:
  std::vector<std::string> lines_;
};

TEST(Print, EveryTypeOfValue) {
  auto show = kr::kernel([](kr::view<double> x) {
    kr::print("{} {} {}", kr::cast<signed char>(x[0]), kr::cast<unsigned char>(x[0]),
              kr::cast<short>(x[0]));
    kr::print("{} {} {}", kr::cast<int>(x[0]), kr::cast<long long>(x[1]),
              kr::cast<unsigned long long>(x[2]));
    kr::print("{} {} {:.3f}", kr::cast<kr::f16>(x[3]), kr::cast<float>(x[3]), x[4]);
    kr::print("{} {} {{}}", x[0] < 0, true);
    kr::print("no value");
    kr::var n = 7;
    n += 1;
    kr::print("{:#x}", n);
  });
  Lines lines;
  kr::array<double> x = kr::to_device(std::vector<double>{-3, -5e9, 1e19, 0.5, 2.0 / 3});
  show.launch({1, 1}, x);
  EXPECT_EQ(lines.all(),
            (std::vector<std::string>{"-3 0 -3", "-3 -5000000000 10000000000000000000",
                                      "0.5 0.5 0.667", "true true {}", "no value", "0x8"}));
}

/// As std::format and printf have them: widths, precisions, bases, signs and forms, which the host
/// applies for every device.
TEST(Print, FormatsOfStdFormat) {
  auto show =
      kr::kernel([](kr::view<const float> x, kr::value<int> n, kr::value<std::uint8_t> byte) {
        kr::print("[{:>4}] [{:<4}] [{:^5}] [{:*>6}] [{:04}]", n, n, n, n, n);
        kr::print("{:x} {:X} {:#o} {:#b} {:08b} {:+} {:c}", n, n, n, n, byte, n, byte);
        kr::print("{:.3f} {:8.2f} {:e} {:.2e} {:g} {:a}", x[0], x[0], x[0], x[1], x[1], x[0]);
        kr::print("{1:.1f} {0}", n, x[0]);
        kr::print("{:s} {:d} {:>6}", n > 0, n > 0, n > 0);
      });
  Lines lines;
  const kr::array<float> x = kr::to_device(std::vector<float>{1.5f, -2500.0f});
  show.launch({1, 1}, x, 42, std::uint8_t(65));
  EXPECT_EQ(
      lines.all(),
      (std::vector<std::string>{
          "[  42] [42  ] [ 42  ] [****42] [0042]", "2a 2A 052 0b101010 01000001 +42 A",
          "1.500     1.50 1.500000e+00 -2.50e+03 -2500 0x1.8p+0", "1.5 42", "true 1   true"}));
}

/// Against C's own printf, value by value.
TEST(Print, FormatsOfPrintf) {
  auto show = kr::kernel([](kr::view<const float> x, kr::value<int> n, kr::value<std::uint8_t> byte,
                            kr::value<long> wide) {
    kr::print("x = %8.3f at %d\n", x[0], n);
    kr::print("[%4d] [%-4d] [%04d] [%+d] [% d] [%i] [%u]", n, n, n, n, n, n, n);
    kr::print("[%x] [%X] [%#x] [%o] [%#o] [%08x] [%-8x]|", n, n, n, n, n, n, n);
    kr::print("%c%5c%-3c| %d%%", byte, byte, byte, byte);
    kr::print("%ld %lld %lu %lx %+d", wide, wide, wide, wide, byte);
    kr::print("%f %.0f %e %.2E %g %G %a %+.1f %010.2f %-9.1f| %#.0f %.f", x[0], x[0], x[0], x[1],
              x[1], x[2], x[0], x[0], x[1], x[0], x[0], x[0]);
    kr::print("%s %6s %d {{}}", n > 0, n > 0, n > 0);
    kr::print("%f %6.2f %g", kr::cast<kr::f16>(x[0]), kr::cast<double>(x[1]),
              kr::cast<kr::bf16>(x[0]));
    kr::print("100% sure\n");
  });
  const auto c = [](const char* text, auto... values) {
    char line[256];
    std::snprintf(line, sizeof line, text, values...);
    return std::string(line);
  };
  constexpr float x[] = {1.5f, -2500.0f, 1e-9f};
  for (const int n : {42, -42}) {
    Lines lines;
    show.launch({1, 1}, kr::to_device(std::vector<float>(x, x + 3)), n, std::uint8_t(65),
                -5'000'000'000L);
    EXPECT_EQ(lines.all(),
              (std::vector<std::string>{
                  c("x = %8.3f at %d", x[0], n),
                  c("[%4d] [%-4d] [%04d] [%+d] [% d] [%i] [%u]", n, n, n, n, n, n, n),
                  c("[%x] [%X] [%#x] [%o] [%#o] [%08x] [%-8x]|", n, n, n, n, n, n, n),
                  c("%c%5c%-3c| %d%%", 65, 65, 65, 65),
                  c("%ld %lld %lu %lx %+d", -5'000'000'000L, -5'000'000'000LL, -5'000'000'000L,
                    -5'000'000'000L, 65),
                  c("%f %.0f %e %.2E %g %G %a %+.1f %010.2f %-9.1f| %#.0f %.f", x[0], x[0], x[0],
                    x[1], x[1], x[2], x[0], x[0], x[1], x[0], x[0], x[0]),
                  c("%s %6s %d {}", n > 0 ? "true" : "false", n > 0 ? "true" : "false", n > 0),
                  c("%f %6.2f %g", 1.5, -2500.0, 1.5), "100% sure"}));
  }
}

TEST(Print, ConversionsThatDoNotFit) {
  const kr::array<int> x(4);
  const auto refused = [&](std::string message, auto print) {
    auto kernel = kr::kernel([print](kr::view<const int> y) { print(y[0]); }, {.name = "refused"});
    expect_usage({"debug_test.cpp:", "kernel refused", std::move(message)}, [&] {
      kernel.launch({1, 1}, x);
    });
  };
  auto placed = kr::kernel([](kr::view<const int> y) { kr::print("%f", y[0]); });
  const unsigned line = __LINE__ - 1;
  expect_usage(
      {place(line),
       "the text \"%f\" does not fit its values: %f prints a floating-point number, but value 1 is an integer: use "
       "%d, %u, %x, %o or %c"},
      [&] {
        placed.launch({1, 1}, x);
      });
  refused(
      "%8.3d has a precision, which only floating-point numbers have: a width with 0 pads with zeros, as in %04d",
      [](auto v) { kr::print("%8.3d", v); });
  refused("%d prints an integer, but value 2 is a floating-point number: use %f, %e, %g or %a",
          [](auto v) { kr::print("%d %d", v, kr::cast<float>(v)); });
  refused("%s prints a bool, but value 1 is an integer: use %d, %u, %x, %o or %c",
          [](auto v) { kr::print("%s", v); });
  refused("%e prints a floating-point number, but value 1 is a bool: use %d or %s",
          [](auto v) { kr::print("%e", v > 0); });
  for (const char* text : {"%q", "%", "%*", "%5.2k", "%n"})
    refused(
        std::string(text) +
            " is not a conversion of kr::print. Use d i u x X o c for integers and bools, f F e E g G a A for floating-point numbers, s for bools, %% for a percent sign",
        [text](auto v) { kr::print(text, v); });
  refused("the text \"%d %d\" has 2 conversions for 1 value",
          [](auto v) { kr::print("%d %d", v); });
  refused("the text \"%d\" has 1 conversion for 2 values", [](auto v) { kr::print("%d", v, v); });
  refused("the text \"{} is %d\" has 1 place {} for 2 values",
          [](auto v) { kr::print("{} is %d", v, v); });
  expect_library_works();
}

TEST(Print, ALineFromEveryThreadThatComes) {
  auto odd = kr::kernel([](kr::view<const int> x) {
    for (auto i : kr::grid_stride(x.size())) {
      kr::if_(x[i] % 2 == 1, [&] { kr::print("x[{}]={}", i, x[i]); });
    }
  });
  std::vector<int> x(1000);
  std::vector<std::string> expected;
  for (int i = 0; i < 1000; ++i) {
    x[std::size_t(i)] = i * 7 % 64;
    if (x[std::size_t(i)] % 2 == 1)
      expected.push_back("x[" + std::to_string(i) + "]=" + std::to_string(x[std::size_t(i)]));
  }
  std::sort(expected.begin(), expected.end());
  Lines lines;
  odd.launch({4, 64}, std::as_const(x));
  EXPECT_EQ(lines.sorted(), expected);
}

TEST(Print, LinesBeyondTheBufferAreCounted) {
  auto chatter = kr::kernel([](kr::value<int> n) {
    for (auto i : kr::range(n)) kr::print("{}", i);
  });
  Lines lines;
  constexpr int each = 500, threads = 1024;
  chatter.launch({8, 128}, each);
  const std::vector<std::string>& all = lines.all();
  ASSERT_GT(all.size(), 1000u);
  std::string last = all.back();
  EXPECT_TRUE(krait::test::says(last, "… {} further messages dropped")) << last;
  last.erase(std::remove(last.begin(), last.end(), ','), last.end());
  EXPECT_EQ(std::size_t(std::atoll(last.c_str() + std::string("… ").size())) + all.size() - 1,
            std::size_t(each) * threads);
  const std::size_t before = all.size();
  chatter.launch({1, 1}, 2);
  EXPECT_EQ(lines.all().size(), before + 2);
  EXPECT_EQ(lines.all().back(), "1") << "the buffer is empty again";
}

TEST(Print, TextAndValuesThatDoNotFit) {
  const kr::array<int> x(4);
  auto missing =
      kr::kernel([](kr::view<const int> y) { kr::print("{} {}", y[0]); }, {.name = "missing"});
  const unsigned line = __LINE__ - 1;
  expect_usage({place(line), "missing", "\"{} {}\" has 2 places {} for 1 value"}, [&] {
    missing.launch({1, 1}, x);
  });
  auto odd = kr::kernel([](kr::view<const int> y) { kr::print("{:q}", y[0]); });
  expect_usage({"\"{:q}\" does not fit its values"}, [&] { odd.launch({1, 1}, x); });
  auto precise = kr::kernel([](kr::view<const int> y) { kr::print("n={:.3}", y[0]); });
  const unsigned where = __LINE__ - 1;
  expect_usage({place(where), "the text \"n={:.3}\" does not fit its values: "}, [&] {
    precise.launch({1, 1}, x);
  });
  auto hexadecimal =
      kr::kernel([](kr::view<const int> y) { kr::print("{:x}", kr::cast<float>(y[0])); });
  expect_usage({"the text \"{:x}\" does not fit its values: "}, [&] {
    hexadecimal.launch({1, 1}, x);
  });
  auto open = kr::kernel([](kr::view<const int> y) { kr::print("{:d", y[0]); });
  expect_usage({"the text \"{:d\" does not fit its values: "}, [&] { open.launch({1, 1}, x); });
  expect_library_works();
}

TEST(Print, InElementWiseFunctions) {
  auto half = kr::vectorize([](auto x) {
    kr::print("half of {}", x);
    return x / 2;
  });
  Lines lines;
  EXPECT_EQ(half(8), 4);
  EXPECT_EQ(half(std::vector<int>{2, 4, 6}), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(lines.sorted(),
            (std::vector<std::string>{"half of 2", "half of 4", "half of 6", "half of 8"}));
}

/// A kernel whose check fails in thread (3, 1, 0) of block (1, 0, 0), and the line of the check.
auto checker(unsigned& line) {
  line = __LINE__ + 4;
  return kr::kernel(
      [](kr::view<int, 2> x) {
        auto [i, j] = kr::grid<2>();
        kr::check(x(j, i) >= 0, "x={} at ({}, {})", x(j, i), j, i);
        x(j, i) = x(j, i) + 1;
      },
      {.name = "checker"});
}

TEST(Check, AFailureNamesItsPlaceAndThread) {
  unsigned line = 0;
  auto k = checker(line);
  std::vector<int> host(2 * 8, 5);
  host[8 + 7] = -4;
  kr::array<int, 2> x({2, 8});
  x.copy_from(host);
  expect_usage(
      {place(line), "kernel checker", "x=-4 at (1, 7)", "block (1, 0, 0)", "thread (3, 1, 0)"},
      [&] {
        k.launch({{2, 1}, {4, 2}}, x);
        kr::synchronize();
      });
  // The thread went on, and so do array and device.
  std::vector<int> after = x.to_host();
  for (int& v : host) ++v;
  EXPECT_EQ(after, host);
  k.launch({{1, 1}, {4, 2}}, x);
  kr::synchronize();
  expect_library_works();
}

TEST(Check, FaultsAreCounted) {
  auto k = kr::kernel([](kr::view<const int> x) { kr::check(x[kr::grid<1>()] == 0); },
                      {.name = "zeros"});
  std::vector<int> x(2000, 0);
  x[5] = x[1500] = x[1501] = 1;
  expect_usage({"zeros", "a check failed", "; and 2 further faults"}, [&] {
    k.launch({20, 100}, std::as_const(x));
  });
  x.assign(2000, 3);
  expect_usage({"; and 1,999 further faults"}, [&] { k.launch({20, 100}, std::as_const(x)); });
  auto many = kr::kernel([] {
    for (auto i : kr::range(1000)) kr::check(i < 0, "{}", i);
  });
  expect_usage({"; and 99,999 further faults"}, [&] {
    many.launch({1, 100});
    kr::synchronize();
  });
}

TEST(Check, InFunctionsThatAreCalled) {
  const unsigned line = __LINE__ + 2;
  const auto root = kr::function([](kr::value<float> x) {
    kr::check(x >= 0, "{} has no root", x);
    return kr::sqrt(x);
  });
  auto k = kr::kernel(
      [&](kr::view<float> x, kr::view<const float> y) {
        auto i = kr::grid<1>();
        x[i] = root(x[i]) + root(y[i]);
      },
      {.name = "roots"});
  kr::array<float> x = kr::to_device(std::vector<float>{4, 9});
  const kr::array<float> y = kr::to_device(std::vector<float>{1, -16});
  expect_usage({place(line), "kernel roots", "-16 has no root", "thread (1, 0, 0)"}, [&] {
    k.launch({1, 2}, x, y);
    kr::synchronize();
  });
  EXPECT_EQ(std::vector<float>(x.to_host())[0], 3);
}

TEST(Check, ThroughStreamsAndGraphs) {
  unsigned line = 0;
  auto k = checker(line);
  kr::array<int, 2> x({2, 8});
  x.copy_from(std::vector<int>(16, -1));
  kr::stream s;
  expect_usage({place(line), "; and 15 further faults"}, [&] {
    k.launch({{2, 1}, {4, 2}, s}, x);
    s.synchronize();
  });
  kr::graph twice([&] {
    k.launch({{2, 1}, {4, 2}}, x);
    k.launch({{2, 1}, {4, 2}}, x);
  });
  x.copy_from(std::vector<int>(16, -1));
  expect_usage({"x=-1", "; and 15 further faults"}, [&] {
    twice.launch();
    kr::synchronize();
  });
  twice.launch();
  EXPECT_EQ(std::vector<int>(x.to_host()), std::vector<int>(16, 3));
}

TEST(Checked, AccessesOutOfBoundsAreToldAndLeftOut) {
  const unsigned line = __LINE__ + 4;
  auto wild = kr::kernel(
      [](kr::view<const int, 2> x, kr::view<int> y, kr::value<std::int64_t> shift) {
        auto i = kr::grid<1>();
        y[i - shift] = x(i, 1) + 1;
      },
      {.name = "wild", .checked = true});
  kr::array<int, 2> x({8, 2});
  x.copy_from(std::vector<int>(16, 10));
  std::vector<int> guarded(16, 0);
  kr::array<int> all = kr::to_device(guarded);
  kr::array<int> y = kr::array<int>::wrap(all.address() + 16, kr::shape<1>(8), all.device());
  const auto launch = [&](std::int64_t shift) {
    wild.launch({1, 8}, x, y, shift);
    kr::synchronize();
  };
  launch(0);
  expect_usage(
      {place(line), "kernel wild", "out of bounds: store to parameter 2 at (-2), extents (8)",
       "block (0, 0, 0)", "further fault"},
      [&] { launch(2); });
  expect_usage({"store to parameter 2 at (8), extents (8)", "thread (7, 0, 0)"},
               [&] { launch(-1); });
  expect_usage({place(line), "load from parameter 1 at (8, 1), extents (8, 2)", "thread (8, 0, 0)",
                "; and 1 further fault"},
               [&] {
                 wild.launch({1, 9}, x, y, 0);
                 kr::synchronize();
               });
  const std::vector<int> after = all.to_host();
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(after[i], i >= 4 && i < 12 ? 11 : 0) << i;
}

TEST(Checked, SharedArraysAndAtomics) {
  const unsigned line = __LINE__ + 3;
  auto k = kr::kernel(
      [](kr::view<int> out, kr::value<int> shift) {
        auto tile = kr::shared<int, 32>();
        auto t = kr::thread_idx().x;
        tile[t] = kr::cast<int>(t);
        kr::syncthreads();
        auto n = kr::atomic(out[t + shift]).add(tile[t + shift]);
        kr::if_(n < 0, [&] { out[t] = n; });
      },
      {.checked = true});
  kr::array<int> out = kr::to_device(std::vector<int>(32, 0));
  expect_usage({place(line + 4), "load from the shared array of " + place(line),
                "at (32), extents (32)", "; and 1 further fault"},
               [&] {
                 k.launch({1, 32}, out, 1);
                 kr::synchronize();
               });
  const std::vector<int> after = out.to_host();
  for (int i = 0; i < 32; ++i) EXPECT_EQ(after[std::size_t(i)], i);
}

TEST(Checked, TheEnvironmentChecksEveryKernel) {
  setenv("KRAIT_CHECK", "1", 1);
  auto k = kr::vectorize([](auto x) { return x; });
  auto wild = kr::kernel([](kr::view<int> x) { x[x.size()] = 1; });
  std::vector<int> x{1, 2, 3, 4};
  std::span<int> first(x.data(), 3);
  expect_usage({"store to parameter 1 at (3), extents (3)"}, [&] { wild.launch({1, 1}, first); });
  unsetenv("KRAIT_CHECK");
  EXPECT_EQ(x, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(k(x), x);
}

TEST(Interpreter, FindsDataRaces) {
  const unsigned line = __LINE__ + 5;
  auto k = kr::kernel(
      [](kr::view<int> x) {
        auto tile = kr::shared<int, 64>();
        auto t = kr::thread_idx().x;
        tile[t] = x[t];
        x[t] = tile[63 - t];
      },
      {.name = "racy"});
  kr::array<int> x({64}, kr::device::find("interpreter"));
  x.copy_from(std::vector<int>(64, 1));
  expect_usage({place(line + 1), "kernel racy",
                "data race: load from the shared array of " + place(line - 2), "write by thread"},
               [&] {
                 k.launch({1, 64}, x);
               });
}

TEST(Interpreter, FindsUninitialisedSharedMemoryAndPrints) {
  auto k = kr::kernel([](kr::view<int> x) {
    auto tile = kr::shared<int, 64>();
    auto t = kr::thread_idx().x;
    kr::if_(t < 60, [&] { tile[t] = x[t]; });
    kr::syncthreads();
    kr::print("t={}", t);
    x[t] = tile[t];
  });
  kr::array<int> x({64}, kr::device::find("interpreter"));
  x.copy_from(std::vector<int>(64, 1));
  Lines lines;
  expect_usage({"uninitialised: load from the shared array", "thread (60, 0, 0)"}, [&] {
    k.launch({1, 64}, x);
  });
  EXPECT_EQ(lines.all().size(), 64u);
  auto add = kr::vectorize([](auto a, auto b) { return kr::sin(a) + b; });
  kr::array<float> y({8}, kr::device::find("interpreter"));
  y.copy_from(std::vector<float>(8, 0.0f));
  EXPECT_EQ(std::vector<float>(add(y, 1.5f).to_host()), std::vector<float>(8, 1.5f));
}

/// What nothing reads is checked before it goes: stores to arrays of the block and the thread, and
/// lengths of arrays.
TEST(Check, StoresThatNobodyReads) {
  const auto make = [](bool checked) {
    return kr::kernel(
        [](kr::view<int> out, kr::value<int> i) {
          auto shared = kr::shared<int, 4>();
          auto local = kr::local<int, 4>();
          shared[i] = 1;
          local[i] = 2;
          out[0] = 3;
        },
        {.checked = checked});
  };
  const auto lengths = [](bool checked) {
    return kr::kernel(
        [](kr::view<int> out, kr::value<int> n) {
          auto nobodys = kr::dynamic_shared<int>(n);
          (void)nobodys;
          out[0] = 3;
        },
        {.checked = checked});
  };
  const auto expect_reported = [](auto&& kernel, auto&& by_length, const kr::device& on) {
    kr::array<int> out({1}, on);
    expect_usage({"out of bounds: store to the shared array of", "at (4), extents (4)",
                  "and 1 further fault"},
                 [&] {
                   kernel.launch({1, 1}, out, 4), kr::synchronize();
                 });
    EXPECT_EQ(std::vector<int>(out.to_host()), std::vector<int>{3});
    kernel.launch({1, 1}, out, 3);
    expect_usage({"dynamic_shared of -5 elements of 4 bytes"}, [&] {
      by_length.launch({1, 1}, out, -5), kr::synchronize();
    });
    by_length.launch({1, 1}, out, 5);
  };
  expect_reported(make(true), lengths(true), kr::device());
  const kr::device interpreter = kr::device::find("interpreter");
  expect_reported(make(true), lengths(true), interpreter);
  expect_reported(make(false), lengths(false), interpreter);
  // Without checks they cost nothing and change nothing, not even the kernel.
  kr::array<int> out({1});
  make(false).launch({1, 1}, out, 4);
  lengths(false).launch({1, 1}, out, -5);
  EXPECT_EQ(std::vector<int>(out.to_host()), std::vector<int>{3});
}

/// The interpreter looks at every index, not at the place that they make together.
TEST(Interpreter, EveryIndexOfAnAccess) {
  auto kernel = kr::kernel([](kr::view<int, 2> x, kr::value<int> j) { x(0, j) = 1; });
  kr::array<int, 2> x({3, 4}, kr::device::find("interpreter"));
  expect_usage(
      {"out of bounds: store to parameter 1 at (0, 5), extents (3, 4), block (0, 0, 0), thread (0, 0, 0)"},
      [&] {
        kernel.launch({1, 1}, x, 5);
      });
}

}  // namespace
