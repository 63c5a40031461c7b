// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Misuse while recording: the error names the user's line, and the next kernel records as if
// nothing had happened.
#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include "expect.h"

using krait::test::expect_library_works;
using krait::test::expect_usage;
using krait::test::place;

namespace {

TEST(Misuse, ExceptionsOfTheLambdaReachTheCaller) {
  struct Mine : std::runtime_error {
    using runtime_error::runtime_error;
  };
  std::vector<int> out{5};
  bool fail = true;
  auto k = kr::kernel([&fail](kr::view<int> x) {
    x[0] = 1;
    if (fail) throw Mine("from the lambda");
  });
  EXPECT_THROW(k.launch({1, 1}, out), Mine);
  EXPECT_EQ(out[0], 5);
  expect_library_works();
  fail = false;
  k.launch({1, 1}, out);  // the same object records anew
  EXPECT_EQ(out[0], 1);

  auto in_a_body = kr::kernel([](kr::view<int> x) {
    for (auto i : kr::grid_stride(x.size())) kr::if_(i == 0, [&] { throw Mine("deep"); });
  });
  EXPECT_THROW(in_a_body.forall(1)(out), Mine);
  expect_library_works();
  auto element_wise = kr::vectorize([](auto x) -> decltype(x + x) { throw Mine("element"); });
  EXPECT_THROW(element_wise(1), Mine);
  expect_library_works();
}

TEST(Misuse, SwallowedExceptionInALoop) {
  std::vector<int> out{5};
  auto k = kr::kernel([](kr::view<int> x) {
    try {
      for (auto i : kr::range(3)) {
        x[i] = 1;
        throw 1;
      }
    } catch (int) {
    }
  });
  expect_usage({"loop"}, [&] { k.launch({1, 1}, out); });
  EXPECT_EQ(out[0], 5);
  expect_library_works();
}

TEST(Misuse, CppBreakOutOfARecordedLoop) {
  std::vector<int> out{5};
  auto k = kr::kernel([](kr::view<int> x) {
    for (auto i : kr::range(3)) {
      x[i] = 1;
      break;
    }
  });
  expect_usage(
      {"a C++ break, return or exception left the body of this loop: the body is recorded once, so use break_(), "
       "continue_() or return_()",
       place(__LINE__ - 8)},
      [&] {
        k.launch({1, 1}, out);
      });
  EXPECT_EQ(out[0], 5);
  expect_library_works();
}

TEST(Misuse, TracedValueOfAnotherRecording) {
  std::optional<kr::value<int>> kept;
  std::vector<int> out(1);
  auto first = kr::kernel([&kept](kr::view<int> x) { kept.emplace(x[0] + 1); });
  first.launch({1, 1}, out);
  auto second = kr::kernel([&kept](kr::view<int> x) { x[0] = *kept; }, {.name = "second"});
  expect_usage({"second", "another recording"}, [&] { second.launch({1, 1}, out); });
  expect_library_works();
}

TEST(Misuse, TracedValueWhileNothingRecords) {
  std::optional<kr::value<int>> kept;
  std::vector<int> out(1);
  auto first = kr::kernel([&kept](kr::view<int> x) { kept.emplace(x[0] + 1); });
  first.launch({1, 1}, out);
  expect_usage({"is used outside a kernel: move it into the lambda"}, [&] { *kept + 1; });
  expect_usage({"is used outside a kernel: move it into the lambda"},
               [] { [[maybe_unused]] kr::var x = 1; });
  expect_usage({"is used outside a kernel: move it into the lambda"}, [] { kr::grid<1>(); });
  expect_library_works();
}

TEST(Misuse, TracedValueAfterItsBody) {
  std::vector<int> out(1);
  unsigned line = 0;
  auto k = kr::kernel(
      [&line](kr::view<int> x) {
        std::optional<kr::value<int>> kept;
        kr::if_(x[0] == 0, [&] { kept.emplace(x[0] + 1); });
        line = __LINE__ + 1;
        x[0] = *kept;
      },
      {.name = "leaky"});
  try {
    k.launch({1, 1}, out);
    FAIL();
  } catch (const kr::error& e) {
    EXPECT_EQ(int(e.kind()), int(kr::error::kind_type::usage));
    EXPECT_EQ(std::string(e.file()), __FILE__);
    EXPECT_EQ(e.line(), line);
    EXPECT_EQ(std::string(e.what()),
              place(line) +
                  ": kernel leaky: a traced value is used outside the body that made it: declare a "
                  "kr::var before the body and assign to it inside");
  }
  expect_library_works();
}

TEST(Misuse, KernelCalledWhileRecording) {
  std::vector<int> out(3, 4);
  auto inner = kr::kernel([](kr::view<int> x) { x[0] = 1; }, {.name = "inner"});
  auto outer = kr::kernel([&](kr::view<int> x) {
    inner.launch({1, 1}, out);
    x[0] = 2;
  });
  expect_usage(
      {"inner",
       "{} is called while another kernel is being recorded: kernels cannot launch kernels; call a vectorised function "
       "on traced values, or an ordinary C++ function, instead"},
      [&] {
        outer.launch({1, 1}, out);
      });
  EXPECT_EQ(out, std::vector<int>(3, 4));
  expect_library_works();
  auto numbers = kr::vectorize([](auto x) { return x + 1; });
  auto calls_numbers = kr::kernel([&](kr::view<int> x) { x[0] = numbers(3); });
  expect_usage(
      {"{} is called while another kernel is being recorded: kernels cannot launch kernels; call a vectorised function "
       "on traced values, or an ordinary C++ function, instead"},
      [&] {
        calls_numbers.launch({1, 1}, out);
      });
  expect_library_works();
}

TEST(Misuse, KernelThatCallsItself) {
  std::vector<int> out(1);
  std::function<void()> again;
  auto k = kr::kernel(
      [&again](kr::view<int> x) {
        x[0] = 1;
        again();
      },
      {.name = "ouroboros"});
  again = [&] { k.launch({1, 1}, out); };
  expect_usage(
      {"ouroboros",
       "{} is called while another kernel is being recorded: kernels cannot launch kernels; call a vectorised function "
       "on traced values, or an ordinary C++ function, instead"},
      [&] {
        k.launch({1, 1}, out);
      });
  expect_library_works();
}

/// Recurses on a traced condition, which no recording can end.
void endless(kr::view<int> x, kr::value<int> n) {
  kr::if_(n > 0, [&] { endless(x, n - 1); });
}
TEST(Misuse, RecursionWithoutEnd) {
  std::vector<int> out(1);
  auto k = kr::kernel([](kr::view<int> x) { endless(x, x[0]); }, {.name = "endless"});
  expect_usage(
      {"endless",
       "kernel {}: control flow nests deeper than {} levels: does a function call itself without end?",
       "kernel {}: control flow nests deeper than {} levels: does a function call itself without end?"},
      [&] {
        k.launch({1, 1}, out);
      });
  expect_library_works();
}

TEST(Misuse, LoopThatUnrollsWithoutEnd) {
  std::vector<int> out(1);
  auto k = kr::kernel([](kr::view<int> x) {
    for (;;) x[0] += 1;
  });
  expect_usage({"unrolls", place(__LINE__ - 2)}, [&] { k.launch({1, 1}, out); });
  expect_library_works();
}

TEST(Misuse, EmptyIfBody) {
  std::vector<int> out(1);
  auto k = kr::kernel([](kr::view<int> x) { kr::if_(x[0] == 0, [] { return; }); });
  expect_usage({"did you mean return_(), break_() or continue_()?", place(__LINE__ - 1)}, [&] {
    k.launch({1, 1}, out);
  });
  expect_library_works();
}

TEST(Misuse, ArraysOfMoreThanAnyDeviceHas) {
  auto local =
      kr::kernel([](kr::view<int> x) { x[0] = kr::local<int, 100000, 100000>()(x[0], x[1]); },
                 {.name = "big"});
  auto shared = kr::kernel([](kr::view<int> x) {
    auto s = kr::shared<kr::vec<double, 2>, std::int64_t(1) << 62>();
    s[x[0]].x = 1;
  });
  std::vector<int> x(2);
  expect_usage({"kernel big", "local array of 100000 x 100000 elements of 4 bytes"}, [&] {
    local.launch({1, 1}, x);
  });
  expect_usage({"shared array of 4611686018427387904 elements of 16 bytes"}, [&] {
    shared.launch({1, 1}, x);
  });
  expect_library_works();
}

TEST(Misuse, BreakOutsideALoop) {
  std::vector<int> out(1);
  auto k = kr::kernel([](kr::view<int>) { kr::break_(); });
  expect_usage({place(__LINE__ - 1), "loop"}, [&] { k.launch({1, 1}, out); });
  auto c = kr::kernel([](kr::view<int>) { kr::continue_(); });
  expect_usage({place(__LINE__ - 1), "loop"}, [&] { c.launch({1, 1}, out); });
  expect_library_works();
}

TEST(Misuse, ReturnOfAValueFromAKernel) {
  std::vector<int> out(1);
  auto k = kr::kernel([](kr::view<int> x) { kr::if_(x[0] == 0, [&] { kr::return_(x[0]); }); });
  expect_usage({place(__LINE__ - 1), "kr::vectorize"}, [&] { k.launch({1, 1}, out); });
  expect_library_works();
}

TEST(Misuse, ExtentOfAMissingDimension) {
  std::vector<int> out(1);
  auto k = kr::kernel([](kr::view<int> x) { x[0] = kr::cast<int>(x.extent(2)); });
  expect_usage({"extent(2) is out of range for a view of 1 dimensions"}, [&] {
    k.launch({1, 1}, out);
  });
  expect_library_works();
}

TEST(Misuse, BarrierInDivergentFlow) {
  std::vector<int> out(64);
  unsigned line = 0;
  auto k = kr::kernel(
      [&line](kr::view<int> x) {
        kr::if_(x[kr::thread_idx().x] > 0, [&] {
          line = __LINE__ + 1;
          kr::syncthreads();
        });
      },
      {.name = "divergent"});
  krait::test::expect_error(kr::error::kind_type::compile, {"divergent"}, [&] {
    k.launch({1, 64}, out);
  });
  try {
    k.launch({1, 64}, out);
  } catch (const kr::error& e) {
    EXPECT_NE(std::string(e.message()).find(":" + std::to_string(line)), std::string::npos)
        << e.message();
    EXPECT_NE(std::string(e.message()).find("syncthreads_or"), std::string::npos) << e.message();
  }
  expect_library_works();
}

TEST(Misuse, ErrorsCopyAndKeepTheirText) {
  std::optional<kr::error> kept;
  try {
    kr::device::find("no such device");
  } catch (const kr::error& e) {
    kept = e;
  }
  ASSERT_TRUE(kept.has_value());
  const kr::error copy = *kept;
  kept.reset();
  EXPECT_NE(
      std::string(copy.message()).find("no device matches \"no such device\"; available devices: "),
      std::string::npos);
  EXPECT_NE(std::string(copy.message()).find("cpu"), std::string::npos);
  // Where the program has debug information, the line of the call.
  const std::string file = copy.file();
  EXPECT_TRUE(file.empty() || file.ends_with("misuse_test.cpp")) << file;
}

/// Once, and with the kernel's line, though a parameter has none.
TEST(Misuse, WhatATargetLacksIsToldWithTheKernel) {
  const std::string text =
      "kir 1\nkernel @scale fp(native) facts(contiguous) (%0: f64, %1: view<f32, 1>) {\n  %2: i64 = thread_idx {0} ; "
      "user.cpp:12\n"
      "  %3: f32 = cast %0 ; user.cpp:13\n  store.f32 %1, %2, %3 ; user.cpp:13\n  return ; user.cpp:14\n}\n";
  for (const char* target : {"spirv-cl features=i64,i8", "spirv features=i64,i8 push=128"}) {
    try {
      kr::detail::inspect_text(text.data(), text.size(), "asm", target);
      ADD_FAILURE() << "compiled without f64 for " << target;
    } catch (const kr::error& e) {
      EXPECT_EQ(
          std::string(e.message()),
          "kernel scale (user.cpp:12): parameter 0: a 64-bit float needs the device feature \"f64\", which the device lacks");
    }
  }
}

TEST(Misuse, MalformedKernelText) {
  const auto inspect = [](const std::string& text) {
    kr::detail::inspect_text(text.data(), text.size(), "ir", nullptr);
  };
  using krait::test::expect_error;
  expect_error(kr::error::kind_type::compile, {"1:1"}, [&] { inspect(""); });
  expect_error(kr::error::kind_type::compile, {"2:"}, [&] { inspect("kir 1\nkernel @k"); });
  expect_error(kr::error::kind_type::compile, {"needs operands of one type"}, [&] {
    inspect(
        "kir 1\nkernel @k fp(strict) (%0: f32, %1: i32) {\n  %2: f32 = add %0, %1\n  return\n}\n");
  });
  expect_library_works();
}

}  // namespace
