// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choosing numbers by measurement: what is searched, kept, left out and refused.
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <krait/tune.h>

#include "expect.h"

using krait::test::expect_usage;

namespace {

/// Adds 1 to n elements, `each` by a thread, and `wrong` more where each is 4.
struct Add {
  mutable kr::array<float> x = kr::full<float>(1000, 2.0f);
  int wrong = 0;

  void operator()(const kr::candidate& c) const {
    auto add = kr::kernel(
        [each = int(c["each"]), more = float(c["each"] == 4 ? wrong : 0)](kr::view<float> v) {
          const auto first = kr::grid<1>() * each;
          for (int i = 0; i < each; ++i)
            kr::if_(first + i < v.size(), [&] { v[first + i] = v[first + i] + (1 + more); });
        },
        {.name = "add"});
    const std::int64_t threads = c["each"] * c["block"];
    add.launch({(x.size() + threads - 1) / threads, c["block"]}, x);
  }
};

/// A name that no earlier process kept a choice by.
std::string fresh(const char* name) {
  return name + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
}

kr::space blocks() { return kr::space{{"block", {32, 64}}, {"each", {1, 2, 4}}}; }

TEST(Tune, MeasuresWhereItIsAskedTo) {
  const Add add;
  const std::string name = fresh("measures");
  const kr::tuned before = kr::tune(name.c_str(), blocks(), add, {}, add.x);
  EXPECT_EQ(before.from, kr::tuned::preferred);
  EXPECT_EQ(std::string(before.choice.str()), "block=32 each=1");
  EXPECT_EQ(before.ms, 0);
  const kr::tuned found = kr::tune(name.c_str(), blocks(), add, {.search = true}, add.x);
  EXPECT_EQ(found.from, kr::tuned::measured);
  EXPECT_GT(found.ms, 0);
  const std::string report(found.report);
  for (const char* line : {"block=32 each=1: ", "block=64 each=4: "})
    EXPECT_NE(report.find(line), std::string::npos) << report;
  EXPECT_EQ(std::vector<float>(add.x.to_host()), std::vector<float>(1000, 2.0f))
      << "outputs are as they were";

  const std::uint64_t launches = kr::stats().launches();
  const kr::tuned again = kr::tune(name.c_str(), blocks(), add, {}, add.x);
  EXPECT_EQ(again.from, kr::tuned::known);
  EXPECT_EQ(std::string(again.choice.str()), std::string(found.choice.str()));
  EXPECT_EQ(kr::stats().launches(), launches) << "nothing was run";
  add(again.choice);
  EXPECT_EQ(std::vector<float>(add.x.to_host()), std::vector<float>(1000, 3.0f));
}

TEST(Tune, OtherKernelsAreChosenAnew) {
  const Add add;
  const std::string name = fresh("kernels");
  EXPECT_EQ(kr::tune(name.c_str(), blocks(), add, {.search = true}, add.x).from,
            kr::tuned::measured);
  Add longer;
  longer.x = kr::full<float>(2000, 2.0f);
  EXPECT_EQ(kr::tune(name.c_str(), blocks(), longer, {}, longer.x).from, kr::tuned::preferred)
      << "another grid";
  EXPECT_EQ(kr::tune("others", blocks(), add, {}, add.x).from, kr::tuned::preferred)
      << "another name";
  const kr::space narrow =
      blocks().where([&](const kr::candidate& c) { return c["block"] == 32 && c["each"] == 1; });
  EXPECT_EQ(narrow.size(), 1u);
}

TEST(Tune, ThePreferredIsFirst) {
  const kr::space s = blocks()
                          .where([](const kr::candidate& c) { return c["block"] * c["each"] > 32; })
                          .by([](const kr::candidate& c) { return -double(c["each"]); });
  ASSERT_EQ(s.size(), 5u);
  EXPECT_EQ(std::string(s[0].str()), "block=64 each=1");
  EXPECT_EQ(std::string(s[1].str()), "block=32 each=2");
  EXPECT_EQ(std::string(s[4].str()), "block=64 each=4");
}

TEST(Tune, WrongResultsAreLeftOut) {
  Add add;
  add.wrong = 1;
  const kr::tuned found = kr::tune(fresh("wrong").c_str(), blocks(), add, {.search = true}, add.x);
  EXPECT_NE(found.choice["each"], 4);
  const std::string report(found.report);
  EXPECT_NE(report.find("element 0 of output 1 differs from the result of the first candidate"),
            std::string::npos)
      << report;
  const kr::tuned near =
      kr::tune(fresh("near").c_str(), blocks(), add, {.search = true, .tolerance = 0.5}, add.x);
  EXPECT_EQ(std::string(near.report).find("element"), std::string::npos)
      << std::string(near.report);
}

TEST(Tune, WhatTheDeviceRefusesIsLeftOut) {
  const Add add;
  const auto run = [&](const kr::candidate& c) { add(c); };
  const kr::tuned found =
      kr::tune(fresh("refused").c_str(), kr::space{{"block", {64, 1 << 20}}, {"each", {1}}}, run,
               {.search = true}, add.x);
  EXPECT_EQ(found.choice["block"], 64);
  const std::string report(found.report);
  const std::size_t refused = report.find("block=1048576 each=1: ");
  ASSERT_NE(refused, std::string::npos) << report;
  EXPECT_NE(report.find("kernel add", refused), std::string::npos) << report;
  expect_usage({"1048576"}, [&] {
    kr::tune("refused", kr::space{{"block", {1 << 20}}, {"each", {1}}}, run, {.search = true},
             add.x);
  });
  EXPECT_EQ(kr::tune(
                "nothing first", kr::space{{"runs", {0, 1}}, {"block", {32}}, {"each", {1}}},
                [&](const kr::candidate& c) {
                  if (c["runs"]) add(c);
                },
                {.search = true}, add.x)
                .choice["runs"],
            1);
  expect_usage({"tune \"nothing\": none of the 6 candidates launches a kernel"}, [&] {
    kr::tune(
        "nothing", blocks(), [](const kr::candidate&) {}, {.search = true}, add.x);
  });
}

TEST(Tune, ChoicesTravelAsText) {
  const Add add;
  const std::string name = fresh("travels");
  const kr::tuned found = kr::tune(name.c_str(), blocks(), add, {.search = true}, add.x);
  const std::string all(kr::export_tuning());
  const std::size_t begin = all.find(name + "\t");
  ASSERT_NE(begin, std::string::npos) << all;
  std::string line = all.substr(begin, all.find('\n', begin) - begin);
  EXPECT_NE(line.find(std::string(found.choice.str())), std::string::npos);
  // Under another name, as if it came from elsewhere.
  line.replace(0, name.size(), "arrives"),
      line.replace(line.find(std::string(found.choice.str())), found.choice.str().size(),
                   "block=64 each=2");
  kr::import_tuning((line + "\n").c_str());
  const kr::tuned imported = kr::tune("arrives", blocks(), add, {}, add.x);
  EXPECT_EQ(imported.from, kr::tuned::known);
  EXPECT_EQ(std::string(imported.choice.str()), "block=64 each=2");
  expect_usage(
      {"import_tuning: line 2 is not a choice: expected a line of export_tuning, six fields separated by tabs: the "
       "name, the device, "
       "its target, the kernels, the choice and milliseconds"},
      [&] { kr::import_tuning((line + "\nhello\n").c_str()); });
}

TEST(Tune, WhatTheFunctionThrowsComesThrough) {
  const Add add;
  EXPECT_THROW(kr::tune(
                   "throws", blocks(),
                   [&](const kr::candidate& c) {
                     if (c["block"] == 64) throw std::runtime_error("mine");
                     add(c);
                   },
                   {.search = true}, add.x),
               std::runtime_error);
  EXPECT_EQ(std::vector<float>(add.x.to_host()), std::vector<float>(1000, 2.0f));
}

TEST(Tune, RefusesWhatMakesNoSense) {
  const Add add;
  expect_usage({"tune: the name is empty, or has tabs or line ends: give the choice a plain name"},
               [&] { kr::tune("", blocks(), add, {}, add.x); });
  expect_usage({"tune \"none\": the space has no candidates: where() removed them all"}, [&] {
    kr::tune("none", blocks().where([](const kr::candidate&) { return false; }), add, {}, add.x);
  });
  expect_usage(
      {"tune \"time\": 0 s and a tolerance of 1: the time has to be above 0, the tolerance 0 or more"},
      [&] { kr::tune("time", blocks(), add, {.seconds = 0, .tolerance = 1}, add.x); });
  expect_usage({"space: candidate 6 of 6"}, [&] { blocks()[6]; });
  expect_usage({"a candidate has no number \"blocks\": it is block=32 each=1"},
               [&] { blocks()[0]["blocks"]; });
  expect_usage({"space: \"a b\" is not a name: use letters, digits, '_' and '-'"}, [&] {
    kr::space({{"a b", {1}}});
  });
  expect_usage({"space: two numbers are called a"}, [&] { kr::space({{"a", {1}}, {"a", {1}}}); });
  expect_usage({"space: a has no values to choose from"}, [&] { kr::space({{"a", {}}}); });
  expect_usage(
      {"space: more than 4096 candidates, with d: leave out values, or tune some numbers after others"},
      [&] {
        kr::space({{"a", {1, 2, 3, 4, 5, 6, 7, 8, 9}},
                   {"b", {1, 2, 3, 4, 5, 6, 7, 8, 9}},
                   {"c", {1, 2, 3, 4, 5, 6, 7, 8, 9}},
                   {"d", {1, 2, 3, 4, 5, 6, 7, 8, 9}}});
      });
  expect_usage(
      {"space: no numbers to choose: name one and its values, as in {\"block\", {64, 128}}"},
      [&] { kr::space({}); });
  if (kr::device() != kr::device::cpu()) {
    const kr::array<float> there(kr::shape<1>(4), kr::device::cpu());
    expect_usage(
        {"tune \"apart\": output 1 is on {}, but the launches go to {}: name that device, {.on = …}"},
        [&] { kr::tune("apart", blocks(), add, {}, there); });
  }
}

}  // namespace
