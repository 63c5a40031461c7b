// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Misuse while recording: the exact message, with the user's line, and a recorder that is clean
// afterwards.
#include <optional>
#include <stdexcept>

#include "krait/function.h"
#include "trace_fixture.h"

namespace {

using namespace trace_test;

/// `file:line: text` of this file.
std::string at(int line, const std::string& text) {
  return __FILE__ ":" + std::to_string(line) + ": " + text;
}

/// A function, not a macro: lines inside a macro's argument are all the macro's.
template <class Lambda>
void expect_misuse(const Lambda& lambda, const int& line, const std::string& text, int offset = 0) {
  const std::string message = misuse(lambda);
  EXPECT_EQ(message, at(line + offset, text));
}

TEST(trace_misuse, outside_of_a_recording) {
  try {
    kr::value<float> v(1.0f);
    FAIL();
  } catch (const krait::error& e) {
    EXPECT_EQ(e.kind(), krait::error::kind_type::usage);
    EXPECT_STREQ(
        e.message(),
        "kr::value, kr::var, a view or traced control flow is used outside a kernel: move it into the lambda of "
        "kr::kernel or kr::vectorize");
  }
  EXPECT_THROW(kr::if_(true, [] {}), krait::error);
  EXPECT_THROW(kr::thread_idx(), krait::error);
}

TEST(trace_misuse, value_of_an_older_recording) {
  std::optional<kr::value<int>> kept;
  record([&](kr::view<int> y) { kept.emplace(y[0]); });
  int line = 0;
  expect_misuse(
      [&](kr::view<int> y) {
        line = __LINE__ + 1;
        y[0] = y[1] + *kept;
      },
      line,
      "a traced value of another recording is used: values, vars and views live only while their kernel is being "
      "recorded");
}

TEST(trace_misuse, value_of_a_body_that_has_ended) {
  int line = 0;
  const std::string text =
      "a traced value is used outside the body that made it: declare a kr::var before the body and assign to it inside";
  expect_misuse(
      [&](kr::view<int> y) {
        std::optional<kr::value<int>> kept;
        kr::if_(y[0] > 0, [&] { kept.emplace(y[1]); });
        line = __LINE__ + 1;
        y[2] = *kept;
      },
      line, text);
  expect_misuse(
      [&](kr::view<int> y) {
        std::optional<kr::value<std::int64_t>> kept;
        for (auto i : kr::range(y.size())) kept.emplace(i);
        line = __LINE__ + 1;
        y[*kept] = 0;
      },
      line, text);
  // A condition of elif_ belongs to the else branch.
  expect_misuse(
      [&](kr::view<int> y) {
        std::optional<kr::value<bool>> kept;
        const auto keep = [&](kr::value<bool> c) { return kept.emplace(c); };
        kr::if_(y[0] > 0, [&] { y[1] = 0; }).elif_(keep(y[1] > 0), [&] { y[2] = 0; });
        line = __LINE__ + 1;
        y[3] = *kept;
      },
      line, text);
}

TEST(trace_misuse, empty_body) {
  int line = 0;
  const std::string text =
      "the body of this if_ records nothing: did you mean return_(), break_() or continue_()? (A C++ return only leaves the "
      "lambda)";
  expect_misuse(
      [&](kr::view<int> y) {
        line = __LINE__ + 1;
        kr::if_(y[0] > 0, [&] { return; });
        y[0] = 1;
      },
      line, text);
  expect_misuse(
      [&](kr::view<int> y) {
        line = __LINE__ + 1;
        kr::if_(y[0] > 0, [&] { y[0] = 1; }).elif_(y[1] > 0, [] {});
      },
      line, text);
}

TEST(trace_misuse, cpp_leaves_a_loop) {
  int line = 0;
  const std::string text =
      "a C++ break, return or exception left the body of this loop: the body is recorded once, so use break_(), continue_() or "
      "return_()";
  expect_misuse(
      [&](kr::view<int> y) {
        line = __LINE__ + 1;
        for (auto i : kr::range(y.size())) {
          y[i] = 0;
          break;
        }
        y[0] = 1;
      },
      line, text);
  expect_misuse(
      [&](kr::view<int> y) {
        line = __LINE__ + 1;
        for (auto i : kr::grid_stride(y.size())) {
          y[i] = 0;
          for (auto j : kr::range(i)) {
            y[j] = 0;
            if (line > 0) return;
          }
        }
      },
      line, text, 2);
  expect_misuse(
      [&](kr::view<int> y) {
        line = __LINE__ + 2;
        try {
          for (auto i : kr::range(y.size())) {
            y[i] = 0;
            throw std::runtime_error("caught in the kernel");
          }
        } catch (const std::runtime_error&) {
        }
        y[0] = 2;
      },
      line, text);
}

TEST(trace_misuse, exception_caught_inside_the_kernel) {
  const std::string message = misuse([&](kr::view<int> y) {
    try {
      kr::if_(y[0] > 0, [&] { throw std::runtime_error("caught in the kernel"); });
    } catch (const std::runtime_error&) {
    }
    y[0] = 2;
  });
  EXPECT_NE(message.find("a C++ exception left a recorded body: the rest of it cannot be recorded"),
            std::string::npos)
      << message;
}

TEST(trace_misuse, leaving_what_is_not_there) {
  int line = 0;
  expect_misuse([&](kr::view<int>) { line = __LINE__, kr::break_(); }, line,
                "break_() outside a recorded loop");
  expect_misuse(
      [&](kr::view<int> y) {
        for (int i = 0; i < 3; ++i) line = __LINE__, kr::if_(y[i] > 0, [&] { kr::continue_(); });
      },
      line, "continue_() outside a recorded loop");
  expect_misuse(
      [&](kr::view<int> y) { line = __LINE__, kr::return_(y[0]); }, line,
      "return_(value) is for kr::function and kr::vectorize: a kernel writes to a view and ends with "
      "kr::return_()");
  expect_misuse(
      [&](kr::view<int>) {
        const auto scope = kr::detail::begin_body([](void*, kr::detail::node) {}, nullptr);
        line = __LINE__, kr::return_();
        kr::detail::end_body(scope);
      },
      line, "a function that returns a value must be left with kr::return_(value)");
}

/// What `misuse` gives, without the place before it.
template <class Lambda>
std::string misused(const Lambda& lambda) {
  const std::string message = misuse(lambda);
  return message.substr(0, message.find(": ")).find(".cpp") == std::string::npos
             ? message
             : message.substr(message.find(": ") + 2);
}

TEST(trace_misuse, words_apart_from_what_they_follow) {
  namespace detail = kr::detail;
  const auto here = detail::location::here();
  const auto node = [](const detail::operand& x) { return node_of(x); };
  EXPECT_EQ(misused([&](kr::view<int> y) {
              auto chain = kr::if_(y[0] > 0, [&] { y[1] = 0; });
              kr::if_(y[2] > 0, [&] { std::move(chain).else_([&] { y[3] = 0; }); });
            }),
            "elif_ and else_ must follow their if_ in the same expression");
  EXPECT_EQ(misused([&](kr::view<int> y) {
              auto chain = kr::switch_(y[0]);
              kr::if_(y[2] > 0, [&] { y[4] = 0, std::move(chain).case_(1, [&] { y[3] = 0; }); });
            }),
            "case_ and default_ must follow their switch_ in the same expression");
  EXPECT_EQ(misused([&](kr::view<int> y) {
              auto chain = kr::switch_(y[0]);
              for (auto i : kr::range(y.size()))
                y[i] = 0, std::move(chain).default_([&] { y[3] = 0; });
            }),
            "case_ and default_ must follow their switch_ in the same expression");
  EXPECT_EQ(misused([&](kr::view<int> y) {
              const detail::mark left = detail::mark_here(node(y[0] > 0));
              kr::if_(y[1] > 0, [&] {
                y[2] = kr::select(
                    kr::value<bool>(detail::logical(detail::op::And, left, node(y[1] > 1))), 1, 2);
              });
            }),
            "the right operand of && or || ends control flow: write kr::if_");
  EXPECT_EQ(misused([&](kr::view<int> y) { detail::begin_grid_stride(node(y.size()), here); }),
            "control flow was left open when the lambda returned");
  EXPECT_EQ(misused([&](kr::view<int> y) {
              const auto scope = detail::begin_body([](void*, detail::node) {}, nullptr);
              detail::begin_grid_stride(node(y.size()), here);
              detail::end_body(scope);
            }),
            "a C++ return or exception left a recorded loop: use kr::return_(value)");
}

TEST(trace_misuse, functions_that_are_called) {
  EXPECT_EQ(misused([](kr::view<int> y) {
              try {
                kr::function(
                    [](kr::value<int>) { throw std::runtime_error("caught in the kernel"); })(y[0]);
              } catch (const std::runtime_error&) {
              }
            }),
            "a C++ exception left a called function: the rest of it cannot be recorded");
  EXPECT_EQ(misused([](kr::view<int> y) {
              kr::function([](kr::value<int> n) { kr::return_(n); })(y[0]);
            }),
            "return_(value) in a function that returns nothing: write return_()");
}

TEST(trace_misuse, what_templates_refuse_before) {
  namespace detail = kr::detail;
  const auto node = [](const detail::operand& x) { return node_of(x); };
  EXPECT_EQ(misused([&](kr::view<float> y) {
              detail::apply(detail::op::And, detail::scalar::f32, node(y[0]), node(y[1]));
            }),
            "and does not take a floating-point number: convert the operand with kr::cast<T>(v)");
  EXPECT_EQ(
      misused([&](kr::view<int>) {
        detail::constant_array(detail::scalar::i32, 4, nullptr, std::size_t(1) << 40,
                               detail::location::here());
      }),
      "kr::constant captures 1099511627776 elements of 4 bytes; a table can have at most 64 MiB: pass the data as an array");
}

TEST(trace_misuse, shapes_and_steps) {
  int line = 0;
  expect_misuse(
      [&](kr::view<int> y) {
        line = __LINE__ + 1;
        for (auto i : kr::range(0, 9, 0)) y[i] = 0;
      },
      line, "the step of a range is 0: the loop would never end");
  EXPECT_NE(misuse([&](kr::view<int, 2> y) {
              y(0, 0) = kr::cast<int>(y.extent(2));
            }).find("extent(2) is out of range for a view of 2 dimensions"),
            std::string::npos);
  EXPECT_NE(misuse([&](kr::view<int> y) {
              kr::switch_(y[0]).case_(1, [&] { y[1] = 0; }).case_(3, 1, [&] { y[2] = 0; });
            }).find("this switch_ has two cases with the same value"),
            std::string::npos);
}

TEST(trace_misuse, recordings_do_not_nest) {
  const std::string message =
      misuse([](kr::view<int>) { record([](kr::view<int> y) { y[0] = 1; }, {.name = "inner"}); });
  EXPECT_EQ(
      message,
      "kernel inner: kernels cannot be launched while another one is being recorded: call the lambda itself");
}

TEST(trace_misuse, the_kernel_is_named) {
  kr::detail::recording_options options;
  options.name = "blur";
  try {
    record([](kr::view<int>) { kr::break_(); }, options);
    FAIL();
  } catch (const krait::error& e) {
    EXPECT_NE(std::string(e.message()).find(": kernel blur: break_() outside"), std::string::npos)
        << e.message();
    EXPECT_EQ(e.file(), std::string(__FILE__));
  }
}

TEST(trace_misuse, a_native_loop_that_waits_for_a_traced_value) {
  EXPECT_EQ(
      misused([](kr::view<int> y) {
        kr::var k = 0;
        for (;;) {
          k += 1;
          y[0] = k;
        }
      }),
      "kernel : the recording has passed 2000000 operations. A C++ loop runs while recording and unrolls; one that waits for a "
      "traced value never ends: use kr::while_ or kr::range");
}

void forever(kr::view<int> y) {
  kr::if_(y[0] > 0, [&] { forever(y); });
}
TEST(trace_misuse, endless_recursion) {
  const std::string message = misuse([](kr::view<int> y) { forever(y); });
  EXPECT_NE(message.find("does a function call itself without end?"), std::string::npos) << message;
}

// ---- warnings -----------------------------------------------------------------------------------

std::vector<std::string> warnings(const auto& lambda) {
  std::vector<std::string> all;
  const auto recorded = record(lambda);
  for (const krait::trace::Warning& w : recorded->warnings)
    all.push_back(std::to_string(w.line) + ": " + w.text);
  return all;
}

TEST(trace_warnings, doubles_in_a_single_precision_kernel) {
  const int line = __LINE__ + 2;
  const auto found = warnings([](kr::view<float> y) {
    const auto v = y[1];
    y[2] = v * 2.0f + kr::cast<double>(v);
    y[0] = 2.0 * v;
  });
  EXPECT_EQ(found,
            (std::vector{std::to_string(line + 2) +
                         ": double arithmetic in a kernel without double arguments: a literal such "
                         "as 2.0 is a double, write 2.0f"}));
  EXPECT_TRUE(
      warnings([](kr::view<float> y, kr::value<double> a) { y[0] = y[1] * 2.0 * a; }).empty());
}

TEST(trace_warnings, signed_and_unsigned) {
  const int line = __LINE__ + 2;
  const auto found = warnings([](kr::view<int> y, kr::value<unsigned> n, kr::value<int> i) {
    y[0] = i - y[1] < n;
    kr::if_(n > 3, [&] { y[0] = 2; });
  });
  EXPECT_EQ(
      found,
      (std::vector{
          std::to_string(line) +
          ": comparison of a signed with an unsigned value: both are compared as unsigned, so a negative value becomes large"}));
}

}  // namespace
