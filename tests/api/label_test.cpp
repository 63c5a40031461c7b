// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels and marks in a trace: those of a thread nest, and one that began before the trace is not
// in it.
#include "krait/label.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "expect.h"
#include "krait/trace_file.h"

namespace krait::test {
namespace {

struct Event {
  double begin = -1, end = -1;
  std::string line;
};

Event event(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("\"name\": \"" + name + "\"");
  if (at == text.npos) return {};
  const std::string line =
      text.substr(text.rfind('\n', at) + 1, text.find('\n', at) - text.rfind('\n', at) - 1);
  const auto number = [&](const std::string& key) {
    const std::size_t from = line.find(key);
    return from == line.npos ? 0 : std::stod(line.substr(from + key.size()));
  };
  const double begin = number("\"ts\": ");
  return {begin, begin + number("\"dur\": "), line};
}

std::string tid(const std::string& line) {
  const std::size_t at = line.find("\"tid\": ");
  return line.substr(at, line.find(',', at) - at);
}

TEST(Label, NestsInTheTrace) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("krait_labels_" + std::to_string(getpid()) + ".json"))
                               .string();
  const kr::label before("before");
  {
    const kr::trace_file trace(path.c_str());
    {
      const kr::label outer(std::string("outer \"one\"").c_str());
      std::thread([] { const kr::label other("another thread's"); }).join();
      const kr::label inner("inner");
      kr::mark("moment");
    }
  }
  std::ifstream in(path);
  std::stringstream all;
  all << in.rdbuf();
  std::filesystem::remove(path);
  const std::string text = all.str();
  EXPECT_EQ(event(text, "before").begin, -1);
  const Event outer = event(text, "outer \\\"one\\\""), inner = event(text, "inner");
  ASSERT_GE(outer.begin, 0) << text;
  EXPECT_GE(inner.begin, outer.begin);
  EXPECT_LE(inner.end, outer.end + 0.002);  // printed with three digits
  const Event other = event(text, "another thread's"), moment = event(text, "moment");
  ASSERT_GE(other.begin, 0) << text;
  EXPECT_NE(other.line.find("\"ph\": \"X\", \"cat\": \"label\""), other.line.npos) << other.line;
  EXPECT_GE(moment.begin + 0.002, inner.begin);
  EXPECT_NE(tid(other.line), tid(inner.line));
  EXPECT_NE(moment.line.find("\"ph\": \"i\", \"cat\": \"label\", \"name\": \"moment\""),
            moment.line.npos)
      << moment.line;
}

TEST(Label, NullIsNoName) {
  expect_usage({"a label needs a name, not a null pointer"}, [] { kr::label{nullptr}; });
  expect_usage({"a mark needs a name, not a null pointer"}, [] { kr::mark(nullptr); });
}

}  // namespace
}  // namespace krait::test
