// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kr::function: what calls record, how arguments go in and results come out, and what is refused.
#include "krait/function.h"
#include "trace_fixture.h"

namespace {

using namespace trace_test;

/// What of the recording becomes the key: without the locals that functions keep their results in.
template <class Lambda>
std::string prepared_text(const Lambda& lambda) {
  auto recorded = record(lambda);
  krait::passes::prepare(recorded->module);
  return krait::ir::print(recorded->module);
}

TEST(trace_functions, one_function_for_calls_with_the_same_types) {
  const auto square = kr::function([](auto x) { return x * x; }, {.name = "square"});
  EXPECT_EQ(prepared_text([&](kr::view<float> y, kr::value<int> n) {
              y[0] = square(y[1]) + square(y[2]);
              y[1] = kr::cast<float>(square(n));
            }),
            R"(kir 1
kernel fp(native) (%0: view<f32, 1>, %1: i32) {
  %2: i64 = const 0
  %3: i64 = const 1
  %4: f32 = load %0, %3
  %5: f32 = call @square(%4)
  %6: i64 = const 2
  %7: f32 = load %0, %6
  %8: f32 = call @square(%7)
  %9: f32 = add %5, %8
  store.f32 %0, %2, %9
  %10: i64 = const 1
  %11: i32 = call @square.2(%1)
  %12: f32 = cast %11
  store.f32 %0, %10, %12
  return
}
func @square (%0: f32) -> f32 {
  %1: f32 = mul %0, %0
  yield %1
}
func @square.2 (%0: i32) -> i32 {
  %1: i32 = mul %0, %0
  yield %1
}
)");
}

TEST(trace_functions, variables_are_taken_by_reference_where_they_are_assigned) {
  const auto step = kr::function(
      [](kr::var<int>& n, kr::var<float>& untouched, kr::value<int> by) {
        n += by;
        return untouched * 2.0f;
      },
      {.name = "step"});
  EXPECT_EQ(prepared_text([&](kr::view<float> y) {
              kr::var n = 1;
              kr::var x = 3.0f;
              y[0] = step(n, x, 5);
              y[1] = kr::cast<float>(n);
            }),
            R"(kir 1
kernel fp(native) (%0: view<f32, 1>) {
  %1: i64 = const 0
  %2: i32 = const 1
  %3: f32 = const 0x1.8p+1
  %4: i32 = const 5
  %5: f32, %6: i32 = call @step(%2, %3, %4)
  store.f32 %0, %1, %5
  %7: i64 = const 1
  %8: f32 = cast %6
  store.f32 %0, %7, %8
  return
}
func @step (%0: i32, %1: f32, %2: i32) -> (f32, i32) {
  %3: f32 = const 0x1p+1
  %4: f32 = mul %1, %3
  %5: i32 = add %0, %2
  yield %4, %5
}
)");
}

TEST(trace_functions, results_arguments_and_early_returns) {
  const auto divide =
      kr::function([](kr::value<int> x, kr::value<int> y) { return std::tuple(x / y, x % y); });
  const auto first_factor = kr::function([](kr::value<int> n) {
    for (auto i : kr::range(2, 100)) kr::if_(n % i == 0, [&] { kr::return_(i); });
    return kr::value<int>(-1);
  });
  const auto put = kr::function([](kr::view<int> y, auto at, auto x) {
    kr::if_(x < 0, [] { kr::return_(); });
    y[at] = x;
  });
  const auto twice = kr::function([&](auto x) { return first_factor(x) + first_factor(x + 1); });
  std::vector<int> y{35, 6, -5, 0, 0, 0};
  run_one(
      [&](kr::view<int> a) {
        const auto [quotient, rest] = divide(a[0], a[1]);
        const kr::value<int> negative = a[2];
        put(a, 3, quotient);
        put(a, 4, rest);
        put(a, 5, twice(a[0]));
        put(a, 0, negative);
      },
      y);
  EXPECT_EQ(y, (std::vector<int>{35, 6, -5, 5, 5, 7}));
}

TEST(trace_functions, barriers_and_shared_arrays_work_in_functions) {
  const auto turn = kr::function([](kr::view<int> y) {
    auto tile = kr::shared<int, 4>();
    const auto t = kr::thread_idx().x;
    tile[t] = y[t];
    kr::syncthreads();
    y[t] = tile[3 - t];
    kr::syncthreads();
  });
  const auto recorded = record([&](kr::view<int> y, kr::value<int> n) {
    kr::if_(n > 0, [&] { turn(y); });
    kr::if_(n > 1, [&] { turn(y); });
  });
  krait::ir::Launch launch;
  launch.block[0] = 4;
  std::vector<int> y{1, 2, 3, 4};
  run(*recorded, launch, y, 1);
  EXPECT_EQ(y, (std::vector<int>{4, 3, 2, 1}));
  run(*recorded, launch, y, 2);
  EXPECT_EQ(y, (std::vector<int>{4, 3, 2, 1}));
}

TEST(trace_functions, a_barrier_in_a_function_is_checked_where_it_is_called) {
  const auto wait = kr::function([] { kr::syncthreads(); });
  auto recorded = record([&](kr::view<int>) { kr::if_(kr::thread_idx().x > 0, [&] { wait(); }); });
  const std::string refused =
      krait::passes::run_pipeline(recorded->module, {krait::support::TargetKind::Interpreter});
  EXPECT_NE(refused.find("only some threads of a block may reach "), refused.npos) << refused;
}

TEST(trace_functions, plain_values_run_on_the_host) {
  const auto half = kr::function([](auto x) { return x * 0.5f; });
  EXPECT_EQ(half(3.0f), 1.5f);
}

TEST(trace_functions, nothing_of_the_caller_is_captured) {
  EXPECT_NE(misuse([](kr::view<int> y) {
              const kr::value<int> outer = y[0];
              const auto f =
                  kr::function([&](kr::value<int> x) { return x + outer; }, {.name = "f"});
              y[0] = f(y[1]);
            }).find("function f uses a traced value of its caller: pass it as an argument"),
            std::string::npos);
}

struct Factorial {
  kr::value<int> operator()(kr::value<int> n) const;
};
const auto factorial = kr::function(Factorial{}, {.name = "factorial"});
kr::value<int> Factorial::operator()(kr::value<int> n) const {
  kr::var result = 1;
  kr::if_(n > 1, [&] { result = factorial(n - 1) * n; });
  return result;
}

TEST(trace_functions, recursion_is_refused) {
  EXPECT_NE(
      misuse([](kr::view<int> y) { y[0] = factorial(y[1]); })
          .find(
              "function factorial calls itself, directly or through others: kernels do not support recursion; use a "
              "loop, with a kr::local array as its stack if needed"),
      std::string::npos);
}

TEST(trace_functions, control_flow_stays_inside) {
  EXPECT_NE(misuse([](kr::view<int> y) {
              const auto leave = kr::function([](kr::value<int>) { kr::break_(); });
              for (auto i : kr::range(3)) leave(y[i]);
            }).find("break_() outside a recorded loop"),
            std::string::npos);
  EXPECT_NE(
      misuse([](kr::view<int> y) {
        const auto pair = kr::function([](kr::value<int> x) {
          kr::if_(x > 0, [] { kr::return_(); });
          return std::tuple(x, x);
        });
        y[0] = std::get<0>(pair(y[1]));
      }).find("return_ cannot leave a function with several results: end it with its `return`"),
      std::string::npos);
}

TEST(trace_functions, an_exception_in_a_function_leaves_a_clean_recorder) {
  EXPECT_THROW(record([](kr::view<int> y) {
                 const auto f = kr::function([](kr::value<int>) { throw 7; });
                 f(y[0]);
               }),
               int);
  EXPECT_FALSE(kr::detail::recording_active());
}

}  // namespace
