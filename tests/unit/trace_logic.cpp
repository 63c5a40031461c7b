// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// && and ||: random nested expressions whose operands store, assign and load run in a kernel as the
// same C++ expression runs on plain values, for every combination of inputs.
#include <utility>

#include "trace_fixture.h"

namespace {

using namespace trace_test;

constexpr int inputs = 6, leaves = 8;

constexpr unsigned mix(unsigned x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ x >> 16;
}

/// The state that operands see, as plain C++.
struct PlainWorld {
  const int* in;
  int* calls;
  int number = 1;
  bool flag = false;

  bool input(int i) { return in[i] != 0; }
  bool constant(bool x) { return x; }
  bool counted(int i) {
    calls[i] += 1;
    return in[i] != 0;
  }
  bool assigned(int i) {
    number = number * 3 + i;
    return (number & 4) != 0;
  }
  bool& toggled(int i) {
    flag = flag != (in[i] != 0);
    return flag;
  }
  int loaded(int i) { return in[number & 3] + i; }
};

/// The same, traced: thread t has its inputs at t * inputs and its calls at t * leaves.
struct TracedWorld {
  kr::view<const int> in;
  kr::view<int> calls;
  kr::value<std::int64_t> thread;
  kr::var<int> number{1};
  kr::var<bool> flag{false};

  kr::value<bool> input(int i) { return in[thread * inputs + i] != 0; }
  kr::value<bool> constant(bool x) { return x; }
  kr::value<bool> counted(int i) {
    kr::atomic(calls[thread * leaves + i]).add(1);
    return in[thread * inputs + i] != 0;
  }
  kr::value<bool> assigned(int i) {
    number = number * 3 + i;
    return (number & 4) != 0;
  }
  kr::var<bool>& toggled(int i) {
    flag = flag != input(i);
    return flag;
  }
  auto loaded(int i) { return in[thread * inputs + (number & 3)] + i; }
};

/// An expression drawn from the seed; operands are of every kind: traced, var by reference, int,
/// plain bool, negated.
template <unsigned Seed, int Depth, class World>
decltype(auto) expression(World& w) {
  constexpr unsigned draw = mix(Seed);
  constexpr int leaf = static_cast<int>(draw >> 8) % inputs;
  if constexpr (Depth == 0) {
    if constexpr (draw % 8 == 0) return w.input(leaf);
    else if constexpr (draw % 8 == 1) return w.constant((draw & 64) != 0);
    else if constexpr (draw % 8 == 2) return w.toggled(leaf);
    else if constexpr (draw % 8 == 3) return w.loaded(leaf);
    else if constexpr (draw % 8 <= 5) return w.assigned(leaf);
    else return w.counted(leaf);
  } else if constexpr (draw % 16 == 0) {
    return !expression<Seed * 3 + 1, Depth - 1>(w);
  } else if constexpr (draw % 16 == 1) {
    return expression<Seed * 3 + 1, Depth - 1>(w) && (draw & 64) != 0;  // plain
  } else if constexpr (draw % 16 == 2) {
    return expression<Seed * 3 + 1, Depth - 1>(w) || (draw & 64) != 0;
  } else if constexpr (draw % 16 == 3) {
    return true && expression<Seed * 3 + 1, Depth - 1>(w);
  } else if constexpr (draw % 16 == 4) {
    return false || expression<Seed * 3 + 1, Depth - 1>(w);
  } else if constexpr (draw % 2 == 0) {
    return expression<Seed * 3 + 1, Depth - 1>(w) &&
           expression<Seed * 3 + 2, Depth - (draw % 3 ? 1 : Depth)>(w);
  } else {
    return expression<Seed * 3 + 1, Depth - (draw % 3 ? 1 : Depth)>(w) ||
           expression<Seed * 3 + 2, Depth - 1>(w);
  }
}

template <unsigned Seed>
void check() {
  constexpr int threads = 1 << inputs;
  std::vector<int> in(threads * inputs), calls(threads * leaves), results(threads * 3);
  for (int t = 0; t < threads; ++t)
    for (int i = 0; i < inputs; ++i) in[std::size_t(t * inputs + i)] = (t >> i & 1) * (i + 1);
  std::vector<int> expected_calls = calls, expected = results;
  for (int t = 0; t < threads; ++t) {
    PlainWorld w{in.data() + t * inputs, expected_calls.data() + t * leaves};
    int* const out = expected.data() + t * 3;
    out[0] = expression<Seed, 4>(w) ? 1 : 0;
    out[1] = w.number;
    out[2] = w.flag;
  }
  const auto recorded =
      record([](kr::view<const int> from, kr::view<int> called, kr::view<int> out) {
        TracedWorld w{from, called, kr::grid<1>()};
        const kr::value<bool> result(expression<Seed, 4>(w));
        out[w.thread * 3] = result;
        out[w.thread * 3 + 1] = w.number;
        out[w.thread * 3 + 2] = w.flag;
      });
  krait::ir::Launch launch;
  launch.block[0] = threads;
  run(*recorded, launch, in, calls, results);
  EXPECT_EQ(results, expected) << "seed " << Seed << '\n' << krait::ir::print(recorded->module);
  EXPECT_EQ(calls, expected_calls) << "seed " << Seed << '\n' << krait::ir::print(recorded->module);
}

TEST(trace_logic, random_expressions) {
  []<unsigned... Seeds>(std::integer_sequence<unsigned, Seeds...>) {
    (check<Seeds * 7919 + 1>(), ...);
  }(std::make_integer_sequence<unsigned, 120>{});
}

TEST(trace_logic, plain_left_operand_that_decides) {
  std::vector<int> out(2);
  run_one(
      [](kr::view<int> y) {
        y[0] = false && y[1] == 0;
        y[1] = true || y[1] == 0;
      },
      out);
  EXPECT_EQ(out, (std::vector{0, 1}));
  const std::string message =
      misuse([](kr::view<int> y) { y[0] = false && kr::atomic(y[1]).add(1) > 0; });
  EXPECT_NE(
      message.find(
          "the left operand of && or || is a plain bool that decides the result, but the right operand has side effects and is already recorded. Write if (flag) around it, or kr::value(flag) on the left"),
      std::string::npos)
      << message;
}

TEST(trace_logic, cheap_right_sides_need_no_branch) {
  EXPECT_EQ(text([](kr::view<int> out, kr::value<int> n) {
              kr::if_(n > 0 && n < 9, [&] { out[0] = n; });
            }),
            R"(kir 1
kernel fp(native) (%0: view<i32, 1>, %1: i32) {
  %2: i32 = const 0
  %3: bool = gt %1, %2
  %4: i32 = const 9
  %5: bool = lt %1, %4
  %6: bool = and %3, %5
  if %6 {
    %7: i64 = const 0
    %8: i32 = load %0, %7
    store.i32 %0, %7, %1
    yield
  }
  return
}
)");
}

TEST(trace_logic, a_load_is_guarded) {
  EXPECT_EQ(canonical_text([](kr::view<const int> x, kr::view<bool> out,
                              kr::value<std::int64_t> i) { out[i] = i < x.size() && x[i] != 0; }),
            R"(kir 1
kernel fp(native) (%0: view<i32, 1, const>, %1: view<bool, 1>, %2: i64) {
  %3: i64 = extent %0 {0}
  %4: bool = lt %2, %3
  %5: bool = if %4 {
    %6: i32 = load %0, %2
    %7: i32 = const 0
    %8: bool = ne %6, %7
    yield %8
  } else {
    %9: bool = const false
    yield %9
  }
  store.bool %1, %2, %5
  return
}
)");
}

}  // namespace
