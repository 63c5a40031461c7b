// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace has what was done, in the order in which it was, and when devices worked.
#include "krait/trace_file.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "expect.h"
#include "krait/async.h"

namespace krait::test {
namespace {

struct Span {
  double begin = 0, length = 0;
  std::string line;
};

/// The spans by name; each is a line.
std::map<std::string, Span> read(const std::string& path) {
  std::map<std::string, Span> all;
  std::ifstream in(path);
  const auto behind = [](const std::string& line, const std::string& key) {
    return line.substr(line.find(key) + key.size());
  };
  for (std::string line; std::getline(in, line);) {
    if (line.find("\"ph\": \"X\"") == line.npos) continue;
    std::string name = behind(line, "\"name\": \"");
    name.resize(name.find('"'));
    all[name] = {std::stod(behind(line, "\"ts\": ")), std::stod(behind(line, "\"dur\": ")), line};
  }
  return all;
}

TEST(TraceFile, HasSpansOfHostAndDevice) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("krait_trace_" + std::to_string(getpid()) + ".json"))
                               .string();
  const auto fill = kr::kernel(
      [](kr::view<int> x, kr::value<int> n) {
        for (auto i : kr::grid_stride(x.size())) {
          kr::var sum = 0;
          for ([[maybe_unused]] auto k : kr::range(n)) sum += i % 7;
          x[i] = sum;
        }
      },
      {.name = "traced_fill"});
  {
    const kr::trace_file trace(path.c_str());
    expect_usage({"a trace is being written already: end it before other.json begins"},
                 [] { kr::trace_file("other.json"); });
    kr::array<int> x(1'000'000);
    fill.launch({64, 128}, x, 100);
    fill.launch({64, 128}, x, 200);
    kr::synchronize();
  }
  const auto spans = read(path);
  std::remove(path.c_str());
  for (const char* what :
       {"call traced_fill", "record traced_fill", "load traced_fill", "run traced_fill"})
    ASSERT_TRUE(spans.contains(what)) << what;
  const Span record = spans.at("record traced_fill"), load = spans.at("load traced_fill"),
             run = spans.at("run traced_fill");
  EXPECT_GE(load.begin, record.begin + record.length);
  // clocks of devices are some nanoseconds apart
  EXPECT_GE(run.begin + 1, load.begin + load.length);
  EXPECT_GT(run.length, 10);
  EXPECT_NE(run.line.find("\"cat\": \"run\""), run.line.npos);
}

TEST(TraceFile, HasSpansOfCopies) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("krait_copies_" + std::to_string(getpid()) + ".json"))
                               .string();
  {
    const kr::trace_file trace(path.c_str());
    const kr::stream s;
    kr::pinned<int> h(100'000);
    kr::array<int> x(100'000), y(100'000);
    kr::copy_async(h, x, s);
    kr::copy_async(x, y, s);
    kr::copy_async(y, h, s);
    s.synchronize();
  }
  const auto spans = read(path);
  std::remove(path.c_str());
  const std::string id = kr::device().id();
  for (const std::string& what : {"copy to " + id, "copy on " + id, "copy from " + id}) {
    ASSERT_TRUE(spans.contains(what)) << what;
    EXPECT_NE(spans.at(what).line.find("\"cat\": \"copy\""), std::string::npos);
  }
  EXPECT_GE(spans.at("copy from " + id).begin + 1,
            spans.at("copy on " + id).begin + spans.at("copy on " + id).length);
}

TEST(TraceFile, AFileThatCannotBeWrittenIsAnError) {
  expect_usage({"the trace /nowhere/x.json cannot be written: No such file or directory"},
               [] { kr::trace_file("/nowhere/x.json"); });
}

}  // namespace
}  // namespace krait::test
