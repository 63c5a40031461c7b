// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, branches, switches and the ways out of them, run on the interpreter.
#include <limits>
#include <stdexcept>

#include "trace_fixture.h"

namespace {

using namespace trace_test;

// ---- ranges -------------------------------------------------------------------------------------

/// The indices that a range has mathematically.
template <class Index>
std::vector<std::int64_t> indices(Index begin, Index end, std::int64_t step) {
  std::vector<std::int64_t> all;
  __int128 i = begin;
  if (step > 0)
    for (; i < static_cast<__int128>(end); i += step) all.push_back(static_cast<std::int64_t>(i));
  if (step < 0)
    for (; i > static_cast<__int128>(end); i += step) all.push_back(static_cast<std::int64_t>(i));
  return all;
}

/// Runs a range; its indices as i64, in order.
template <class Record, class... Args>
std::vector<std::int64_t> run_range(const Record& lambda, Args... args) {
  std::vector<std::int64_t> out(64, -77), count(1);
  run_one(lambda, out, count, args...);
  out.resize(std::size_t(count[0]));
  return out;
}

template <class Index>
void check_range(Index begin, Index end, int step) {
  SCOPED_TRACE(testing::Message() << +begin << " to " << +end << " step " << step);
  const auto expected = indices(begin, end, step);
  ASSERT_LE(expected.size(), 64u);
  // Everything known at run time.
  EXPECT_EQ(run_range(
                [](kr::view<std::int64_t> out, kr::view<std::int64_t> count, kr::value<Index> b,
                   kr::value<Index> e, kr::value<int> s) {
                  kr::var<std::int64_t> n = 0;
                  for (auto i : kr::range(b, e, s)) out[n++] = kr::cast<std::int64_t>(i);
                  count[0] = n;
                },
                begin, end, step),
            expected);
  // The step, then everything, known while recording.
  EXPECT_EQ(run_range(
                [=](kr::view<std::int64_t> out, kr::view<std::int64_t> count, kr::value<Index> b,
                    kr::value<Index> e) {
                  kr::var<std::int64_t> n = 0;
                  for (auto i : kr::range(b, e, step)) out[n++] = kr::cast<std::int64_t>(i);
                  count[0] = n;
                },
                begin, end),
            expected);
  EXPECT_EQ(run_range([=](kr::view<std::int64_t> out, kr::view<std::int64_t> count) {
              kr::var<std::int64_t> n = 0;
              for (auto i : kr::range(begin, end, step)) out[n++] = kr::cast<std::int64_t>(i);
              count[0] = n;
            }),
            expected);
  if (step != 1) return;
  EXPECT_EQ(run_range(
                [](kr::view<std::int64_t> out, kr::view<std::int64_t> count, kr::value<Index> b,
                   kr::value<Index> e) {
                  kr::var<std::int64_t> n = 0;
                  for (auto i : kr::range(b, e)) out[n++] = kr::cast<std::int64_t>(i);
                  count[0] = n;
                },
                begin, end),
            expected);
  if (begin != 0) return;
  EXPECT_EQ(run_range(
                [](kr::view<std::int64_t> out, kr::view<std::int64_t> count, kr::value<Index> e) {
                  kr::var<std::int64_t> n = 0;
                  for (auto i : kr::range(e)) out[n++] = kr::cast<std::int64_t>(i);
                  count[0] = n;
                },
                end),
            expected);
}

template <class Index>
void check_edges() {
  constexpr Index low = std::numeric_limits<Index>::min(), high = std::numeric_limits<Index>::max();
  for (const int step : {1, 2, 3, 7}) {
    check_range<Index>(0, 0, step);
    check_range<Index>(0, 5, step);
    check_range<Index>(5, 3, step);
    check_range<Index>(3, 13, step);
    check_range<Index>(Index(high - 5), high, step);
    check_range<Index>(low, Index(low + 6), step);
    check_range<Index>(high, low, step);
    check_range<Index>(5, 3, -step);
    check_range<Index>(13, 2, -step);
    check_range<Index>(2, 13, -step);
    check_range<Index>(high, Index(high - 9), -step);
    check_range<Index>(Index(low + 4), low, -step);
  }
}

TEST(trace_range, signed_32) {
  check_edges<int>();
  check_range<int>(-3, 3, 1);
  check_range<int>(std::numeric_limits<int>::min(), std::numeric_limits<int>::max(),
                   std::numeric_limits<int>::max());
  check_range<int>(0, -4, 1);
}
TEST(trace_range, unsigned_32) { check_edges<unsigned>(); }
TEST(trace_range, signed_64) {
  check_edges<std::int64_t>();
  check_range<std::int64_t>(-3, 3, 1);
}
TEST(trace_range, index_has_the_common_type_of_the_bounds) {
  record([](kr::view<int> y) {
    for (auto i : kr::range(3u)) {
      static_assert(std::is_same_v<decltype(i), kr::value<unsigned>>);
      y[i] = 0;
    }
    for (auto i : kr::range(0, y.size())) {
      static_assert(std::is_same_v<decltype(i), kr::value<std::int64_t>>);
      y[i] = 0;
    }
    for (auto i : kr::range(kr::value<short>(3))) {
      static_assert(std::is_same_v<decltype(i), kr::value<int>>);
      y[i] = 0;
    }
    for (auto i : kr::grid_stride(3)) {
      static_assert(std::is_same_v<decltype(i), kr::value<std::int64_t>>);
      y[i] = 0;
    }
  });
}
TEST(trace_range, bounds_are_read_once) {
  std::vector<int> out(1);
  run_one(
      [](kr::view<int> y) {
        kr::var n = 3, trips = 0;
        for (auto i : kr::range(n)) {
          n += i + 10;
          trips += 1;
        }
        y[0] = trips;
      },
      out);
  EXPECT_EQ(out[0], 3);
}
TEST(trace_range, grid_stride_covers_every_index_once) {
  std::vector<int> out(1000);
  const auto recorded = record([](kr::view<int> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] += 1 + kr::cast<int>(i);
  });
  krait::ir::Launch launch;
  launch.grid[0] = 3, launch.block[0] = 32;
  run(*recorded, launch, out);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(out[std::size_t(i)], i + 1);
}

// ---- ways out -----------------------------------------------------------------------------------

TEST(trace_control, break_and_continue) {
  std::vector<int> out(1);
  run_one(
      [](kr::view<int> y) {
        kr::var sum = 0;
        for (auto i : kr::range(100)) {
          kr::if_(i % 2 == 0, [&] { kr::continue_(); });
          kr::if_(i > 10, [&] {
            kr::break_();
            sum += 1000;  // dead
          });
          sum += i;
        }
        y[0] = sum;
      },
      out);
  EXPECT_EQ(out[0], 1 + 3 + 5 + 7 + 9);
}

TEST(trace_control, while_evaluates_its_condition_each_trip) {
  std::vector<int> out(2);
  run_one(
      [](kr::view<int> y) {
        kr::var n = 0, tests = 0;
        kr::while_(
            [&] {
              tests += 1;
              return n < 5;
            },
            [&] {
              n += 1;
              kr::if_(n == 2, [&] { kr::continue_(); });
              y[0] += 10;
            });
        y[1] = tests;
      },
      out);
  EXPECT_EQ(out, (std::vector{40, 6}));
}

TEST(trace_control, return_in_nested_loops_ends_the_thread) {
  std::vector<int> out(8);
  const auto recorded = record([](kr::view<int> y) {
    const auto t = kr::grid();
    kr::var k = 0;
    for (auto i : kr::range(3)) {
      kr::while_([&] { return k < 100; },
                 [&] {
                   k += 1;
                   kr::if_(k > t, [&] {
                     y[t] = k + 10 * i;
                     kr::return_();
                   });
                 });
    }
    y[t] = -1;
  });
  krait::ir::Launch launch;
  launch.block[0] = 8;
  run(*recorded, launch, out);
  EXPECT_EQ(out, (std::vector{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(trace_control, code_after_a_terminator_is_dead) {
  EXPECT_EQ(text([](kr::view<int> y) {
              kr::return_();
              y[0] = 1;
              kr::if_(y[1] > 0, [&] { y[2] = 0; });
            }),
            "kir 1\nkernel fp(native) (%0: view<i32, 1>) {\n  return\n}\n");
}

// ---- branches -----------------------------------------------------------------------------------

TEST(trace_control, elif_conditions_are_guarded) {
  std::vector<int> out(4), calls(3);
  const auto recorded = record([](kr::view<int> y, kr::view<int> called) {
    const auto t = kr::grid();
    const auto is = [&](int n) {
      kr::atomic(called[n]).add(1);
      return t == n;
    };
    kr::if_(is(0), [&] { y[t] = 10; })
        .elif_(is(1), [&] { y[t] = 11; })
        .elif_(is(2), [&] { y[t] = 12; })
        .else_([&] { y[t] = 13; });
  });
  krait::ir::Launch launch;
  launch.block[0] = 4;
  run(*recorded, launch, out, calls);
  EXPECT_EQ(out, (std::vector{10, 11, 12, 13}));
  EXPECT_EQ(calls, (std::vector{4, 3, 2}));
}

TEST(trace_control, conditions_of_any_arithmetic_type) {
  std::vector<int> out(5);
  run_one(
      [](kr::view<int> y, kr::value<float> nan) {
        kr::if_(y.size(), [&] { y[0] = 1; });
        kr::if_(kr::value(-0.0f), [&] { y[1] = 1; });
        kr::if_(nan, [&] { y[2] = 1; });
        kr::if_(true, [&] { y[3] = 1; });
        kr::var<bool> no;
        kr::if_(no, [&] { y[4] = 1; });
      },
      out, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(out, (std::vector{1, 0, 1, 1, 0}));
}

TEST(trace_control, select_of_lambdas_is_lazy) {
  std::vector<int> out(3);
  run_one(
      [](kr::view<int> y, kr::value<int> n) {
        y[0] = kr::select(
            n > 0,
            [&] {
              y[1] = 1;
              return n;
            },
            [&] {
              y[2] = 1;
              return 7;
            });
      },
      out, 5);
  EXPECT_EQ(out, (std::vector{5, 1, 0}));
  record([](kr::value<float> f, kr::value<short> s, kr::value<int> i) {
    static_assert(std::is_same_v<decltype(kr::select(i > 0, s, s)), kr::value<short>>);
    static_assert(std::is_same_v<decltype(kr::select(i > 0, s, i)), kr::value<int>>);
    static_assert(std::is_same_v<decltype(kr::select(
                                     i > 0, [&] { return f; }, i)),
                                 kr::value<float>>);
    static_assert(std::is_same_v<decltype(kr::select(i > 0, 1.0, f)), kr::value<double>>);
  });
}

TEST(trace_control, switch_selects_one_body) {
  std::vector<int> out(8);
  const auto recorded = record([](kr::view<int> y) {
    const auto t = kr::cast<int>(kr::grid());
    kr::switch_(t - 2)
        .case_(-2, [&] { y[t] = 100; })
        .case_(0, 1, 3, [&] { y[t] = 101; })
        .case_(4, [&] { y[t] += 102; })
        .default_([&] { y[t] = 103; });
  });
  krait::ir::Launch launch;
  launch.block[0] = 8;
  run(*recorded, launch, out);
  EXPECT_EQ(out, (std::vector{100, 103, 101, 101, 103, 101, 102, 103}));
}

TEST(trace_control, switch_without_default_in_a_loop) {
  std::vector<int> out(1);
  run_one(
      [](kr::view<int> y) {
        for (auto i : kr::range(10u))
          kr::switch_(i).case_(2, [&] { y[0] += 1; }).case_(5, [&] { kr::break_(); });
        y[0] += 10;
      },
      out);
  EXPECT_EQ(out[0], 11);
}

// ---- element-wise bodies ------------------------------------------------------------------------

/// As kr::vectorize records a lambda on one element.
template <class Lambda>
std::vector<int> each(std::vector<int> in, const Lambda& lambda) {
  std::vector<int> out(in.size(), -1);
  const auto recorded = record([&](kr::view<const int> x, kr::view<int> y) {
    for (auto i : kr::grid_stride(x.size())) {
      const auto keep = [&](kr::detail::node result) {
        y[i] = kr::value<int>(kr::detail::convert(kr::detail::scalar::i32, result));
      };
      const auto scope = kr::detail::begin_body(
          [](void* context, kr::detail::node result) {
            (*static_cast<decltype(keep)*>(context))(result);
          },
          const_cast<void*>(static_cast<const void*>(&keep)));
      keep(node_of(kr::value<int>(lambda(x[i]))));
      kr::detail::end_body(scope);
    }
  });
  krait::ir::Launch launch;
  launch.block[0] = 4;
  run(*recorded, launch, in, out);
  return out;
}

TEST(trace_body, return_with_a_value_leaves_the_element) {
  const std::vector<int> in{3, -1, 0, 7, 100, 12, 5, 6, 31};
  std::vector<int> expected;
  const auto plain = [](int v) {
    if (v < 0) return 0;
    for (int i = 2; i < 50; ++i) {
      int k = 0;
      while (k < 10) {
        k += 1;
        if (k * i == v) return k * 1000 + i;
      }
      if (i > v) return -2;
    }
    return -3;
  };
  for (const int v : in) expected.push_back(plain(v));
  EXPECT_EQ(each(in,
                 [](kr::value<int> v) {
                   kr::if_(v < 0, [&] { kr::return_(0); });
                   for (auto i : kr::range(2, 50)) {
                     kr::var k = 0;
                     kr::while_([&] { return k < 10; },
                                [&] {
                                  k += 1;
                                  kr::if_(k * i == v, [&] { kr::return_(k * 1000 + i); });
                                });
                     kr::if_(i > v, [&] { kr::return_(-2); });
                   }
                   return kr::value(-3);
                 }),
            expected);
}

TEST(trace_body, an_inlined_one_is_left_alone) {
  const auto sign = [](kr::value<int> v) {
    kr::if_(v < 0, [&] { kr::return_(-1); });
    for (auto i : kr::range(3)) kr::if_(v == i, [&] { kr::return_(i * 10); });
    return v;
  };
  const auto inlined = [&](kr::value<int> v) {
    return kr::detail::call_inlined([&] { return sign(v); });
  };
  EXPECT_EQ(each({-7, 0, 2, 9},
                 [&](kr::value<int> v) {
                   kr::if_(v == 9, [&] { kr::return_(inlined(v - 8) + 1); });
                   return inlined(v) * 2;
                 }),
            (std::vector{-2, 0, 40, 11}));
}

TEST(trace_body, plain_bodies_leave_no_trace) {
  const auto recorded = record([](kr::view<int> y) {
    const auto scope = kr::detail::begin_body([](void*, kr::detail::node) {}, nullptr);
    y[0] = 1;
    kr::detail::end_body(scope);
  });
  EXPECT_EQ(krait::ir::print(recorded->module).find("slot"), std::string::npos);
}

// ---- exceptions ---------------------------------------------------------------------------------

TEST(trace_control, an_exception_leaves_the_recorder_clean) {
  struct Stop : std::runtime_error {
    using runtime_error::runtime_error;
  };
  const auto failing = [](kr::view<int> y) {
    for (auto i : kr::range(3))
      kr::if_(y[i] > 0, [&] {
        y[i] = 0;
        kr::while_([&] { return y[0] > 1; }, [&] { throw Stop("stop"); });
      });
  };
  for (int attempt = 0; attempt < 3; ++attempt) {
    EXPECT_THROW(record(failing), Stop);
    EXPECT_FALSE(kr::detail::recording_active());
    std::vector<int> out(1);
    run_one([](kr::view<int> y) { y[0] = 5; }, out);
    EXPECT_EQ(out[0], 5);
  }
}

TEST(trace_control, hints_promises_and_time) {
  EXPECT_EQ(text([](kr::view<std::int64_t> y, kr::value<std::uint32_t> n) {
              kr::assume(n > 0u);
              const auto start = kr::clock();
              kr::nanosleep(n);
              kr::if_(kr::likely(n > 1u), [&] {
                y[0] = kr::clock() - start;
              }).elif_(kr::unlikely(n), [&] { y[1] = 1; });
            }),
            R"(kir 1
kernel fp(native) (%0: view<i64, 1>, %1: u32) {
  %2: u32 = const 0
  %3: bool = gt %1, %2
  assume %3
  %4: i64 = clock
  nanosleep %1
  %5: u32 = const 1
  %6: bool = gt %1, %5
  if.likely %6 {
    %7: i64 = clock
    %8: i64 = sub %7, %4
    %9: i64 = const 0
    %10: i64 = load %0, %9
    store.i64 %0, %9, %8
    yield
  } else {
    %11: bool = cast %1
    if.unlikely %11 {
      %12: i64 = const 1
      %13: i64 = load %0, %12
      %14: i64 = const 1
      store.i64 %0, %12, %14
      yield
    }
    yield
  }
  return
}
)");
  static_assert(kr::likely(3) && !kr::unlikely(0.0));
}

/// Reads of the clock are neither merged nor moved over each other, over waits and out of branches
/// and loops.
TEST(trace_control, clocks_stay_where_they_are) {
  std::vector<std::int64_t> out(7);
  run_one(
      [](kr::view<std::int64_t> y) {
        const auto first = kr::clock(), second = kr::clock();
        kr::nanosleep(100);
        y[0] = first, y[1] = second;
        kr::if_(second > first, [&] { y[2] = kr::clock(); }).else_([&] { y[2] = -1; });
        for (auto i : kr::range(3)) y[3 + i] = kr::clock();
        y[6] = kr::clock() - first;
      },
      out);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_GT(out[i], out[i - 1]) << i;
  EXPECT_EQ(out[6], 6);
}

}  // namespace
