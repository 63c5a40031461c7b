// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kr::export_web: what it writes, and what it refuses before it writes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <krait/krait.h>
#include <krait/web.h>

#include "support/says.h"
using krait::test::says;
namespace kr = krait;

namespace {

namespace fs = std::filesystem;

const std::string site = fs::temp_directory_path() / ("krait-web-" + std::to_string(getpid()));

std::string text_of(const std::string& file) {
  std::ifstream in(site + "/" + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Web : public testing::Test {
 protected:
  ~Web() override { fs::remove_all(site); }
  /// The message of an export, which leaves no site.
  template <class Work>
  std::string refused(Work work) {
    try {
      work();
    } catch (const kr::error& e) {
      EXPECT_FALSE(fs::exists(site));
      return krait::test::without_place(e.message());
    }
    return "it is taken";
  }
};

const auto add_one = kr::kernel(
    [](kr::view<int> a) {
      auto i = kr::grid<1>();
      kr::if_(i < a.size(), [&] { a[i] += 1; });
    },
    {.name = "add_one"});

TEST_F(Web, ExampleIsComputedAndKept) {
  std::vector<int> a{1, 2, 3};
  kr::export_web(site.c_str(), kr::web(add_one.forall(3), a).names({"all"}));
  EXPECT_EQ(a, (std::vector<int>{1, 2, 3}));
  // 1, 2, 3 and 2, 3, 4 as bytes.
  EXPECT_NE(text_of("examples.mjs").find("data: 'AQAAAAIAAAADAAAA' }]"), std::string::npos)
      << text_of("examples.mjs");
  EXPECT_NE(text_of("examples.mjs")
                .find("expected: [{ name: \"all\", type: 'i32', data: 'AgAAAAMAAAAEAAAA' }]"),
            std::string::npos);
  EXPECT_NE(text_of("add_one.mjs").find("covers: \"all\""), std::string::npos);
  EXPECT_NE(
      text_of("add_one.d.mts")
          .find("all: Given0, options?: LaunchOptions): Promise<Result<Given0, Int32Array>>;"),
      std::string::npos);
}

TEST_F(Web, Page) {
  const char* const folder = site.c_str();
  std::vector<float> hx{1, 2, 3}, hy{10, 20, 30};
  // [page]
  auto saxpy = kr::vectorize([](auto a, auto x, auto y) { return a * x + y; }, {.name = "saxpy"});

  kr::export_web(folder, kr::web(saxpy, 2.0f, hx, hy).names({"a", "x", "y"}));
  // [/page]
  for (const char* file : {"index.html", "page.mjs", "examples.mjs", "krait.mjs", "krait.d.mts",
                           "saxpy.mjs", "saxpy.d.mts"})
    EXPECT_FALSE(text_of(file).empty()) << file;
  EXPECT_NE(text_of("saxpy.mjs")
                .find("grid: [1, 1, 1], block: [64, 1, 1], fixed: false, covers: \"result\""),
            std::string::npos);
  EXPECT_NE(text_of("saxpy.mjs").find("written: true, result: true }"), std::string::npos);
  // What is given has no result, which is 12, 24, 36.
  EXPECT_NE(
      text_of("examples.mjs")
          .find(
              "given: [2, { type: 'f32', shape: [3], data: 'AACAPwAAAEAAAEBA' }, { type: 'f32', shape: "
              "[3], data: 'AAAgQQAAoEEAAPBB' }]"),
      std::string::npos)
      << text_of("examples.mjs");
  EXPECT_NE(text_of("examples.mjs")
                .find("expected: [{ name: \"result\", type: 'f32', data: 'AABAQQAAwEEAABBC' }]"),
            std::string::npos);
  EXPECT_NE(
      text_of("saxpy.d.mts")
          .find("y: Elements<Float32Array>, options?: LaunchOptions): Promise<Float32Array>;"),
      std::string::npos);

  // A kernel with its launch.
  // [kernel]
  auto scale = kr::kernel(
      [](kr::value<float> a, kr::view<float> x) {
        for (auto i : kr::grid_stride(x.size())) x[i] *= a;
      },
      {.name = "scale"});

  kr::export_web(folder, kr::web(scale[{4, 64}], 2.0f, hx).names({"a", "x"}));
  // [/kernel]
  EXPECT_NE(text_of("scale.mjs").find("grid: [4, 1, 1], block: [64, 1, 1]"), std::string::npos);
}

TEST_F(Web, ElementWiseFunctionsOfArraysInAnyOrder) {
  kr::array<int, 2> a = kr::to_device(std::vector<int>{1, 2, 3, 4, 5, 6}).reshape(3, 2),
                    b = kr::to_device(std::vector<int>(6, 10)).reshape(2, 3);
  const auto both = kr::vectorize(
      [](auto x, auto y) {
        return std::tuple{x + y, x < y};
      },
      {.name = "both"});
  kr::export_web(site.c_str(), kr::web(both, a.transpose(), b));
  // 11, 13, 15, 12, 14, 16, and six times true.
  EXPECT_NE(
      text_of("examples.mjs")
          .find(
              "{ name: \"result0\", type: 'i32', data: 'CwAAAA0AAAAPAAAADAAAAA4AAAAQAAAA' }, { name: "
              "\"result1\", type: 'bool', data: 'AQEBAQEB' }"),
      std::string::npos)
      << text_of("examples.mjs");
  EXPECT_NE(text_of("both.d.mts")
                .find("options: LaunchOptions & { into: OnDevice[] }): Promise<GPUBuffer[]>;"),
            std::string::npos)
      << text_of("both.d.mts");
}

TEST_F(Web, HalvesNeedTheFeature) {
  std::vector<kr::f16> h(4, kr::f16(1.5f));
  const auto twice = kr::vectorize([](auto x) { return x + x; }, {.name = "twice"});
  kr::export_web(site.c_str(), kr::web(twice, h),
                 kr::web(kr::vectorize([](auto x) { return x * x; }, {.name = "square"}), h)
                     .on("wgsl features=f16"));
  EXPECT_NE(text_of("twice.mjs").find("features: []"), std::string::npos) << text_of("twice.mjs");
  EXPECT_EQ(text_of("twice.mjs").find("enable f16"), std::string::npos);
  EXPECT_NE(text_of("square.mjs").find("features: [\"shader-f16\"]"), std::string::npos)
      << text_of("square.mjs");
  EXPECT_NE(text_of("square.mjs").find("array<f16>"), std::string::npos);
}

TEST_F(Web, StridedArraysBecomeDense) {
  kr::array<int, 2> a = kr::to_device(std::vector<int>{1, 2, 3, 4, 5, 6}).reshape(2, 3);
  const auto clear = kr::kernel(
      [](kr::view<const int, 2> from, kr::view<int> to) { to[0] = from(1, 0); }, {.name = "pick"});
  std::vector<int> to(1);
  kr::export_web(site.c_str(), kr::web(clear[{1, 1}], a.transpose(), to));
  // 1, 4, 2, 5, 3, 6; the element is 2.
  EXPECT_NE(text_of("examples.mjs").find("shape: [3, 2], data: 'AQAAAAQAAAACAAAABQAAAAMAAAAGAAAA'"),
            std::string::npos)
      << text_of("examples.mjs");
  EXPECT_NE(text_of("examples.mjs").find("data: 'AgAAAA=='"), std::string::npos);
}

TEST_F(Web, Refuses) {
  std::vector<int> a(8);
  std::vector<double> d(8);
  const auto half = kr::kernel([](kr::view<double> x) { x[0] = x[0] * 0.5; }, {.name = "half"});
  EXPECT_NE(refused([&] {
              kr::export_web(site.c_str(), kr::web(half[{1, 1}], d));
            }).find(": operation load (tests/"),
            0u);
  EXPECT_NE(refused([&] {
              kr::export_web(site.c_str(), kr::web(half[{1, 1}], d));
            }).find("a number of type f64, which WebGPU lacks"),
            std::string::npos);
  const auto speaks =
      kr::kernel([](kr::view<int> x) { kr::print("{:>4}", x[0]); }, {.name = "speaks"});
  EXPECT_TRUE(says(
      refused([&] {
        kr::export_web(site.c_str(), kr::web(speaks[{1, 1}], a));
      }),
      "kernel speaks ({}): the text \"{}\" gives the format of a value, which web pages do not support"));
  const auto sized = kr::kernel(
      [](kr::view<int> x) {
        auto s = kr::dynamic_shared<int>(x.size());
        s[0] = 1;
        x[0] = s[0];
      },
      {.name = "sized"});
  EXPECT_TRUE(says(
      refused([&] {
        kr::export_web(site.c_str(), kr::web(sized[{1, 1}], a));
      }),
      "kernel sized ({}): a shared array is sized at launch, which a web page cannot do: give it a constant size"));
  EXPECT_TRUE(says(
      refused([&] {
        kr::export_web(site.c_str(), kr::web(add_one[{1, 8}], a), kr::web(add_one[{1, 8}], a));
      }),
      "two kernels of one page are named \"add_one\": kernel add_one ({}) and kernel add_one ({})"));
  EXPECT_TRUE(says(refused([&] {
                     kr::web(add_one[{1, 8}], a).names({"x", "y"});
                   }),
                   "kernel add_one ({}): 2 names are given for 1 parameters"));
  EXPECT_TRUE(says(refused([&] {
                     kr::web(add_one[{1, 8}], a).image(3, 3);
                   }),
                   "kernel add_one ({}): no array has the 3 x 3 elements of the image"));
  EXPECT_TRUE(says(
      refused([&] {
        kr::export_web(site.c_str(), kr::web(add_one[{1, 8}], a).names({"new"}));
      }),
      "kernel add_one ({}): \"new\" cannot be the name of a parameter in JavaScript: use letters and digits, and no reserved word of the language"));
  EXPECT_EQ(refused([&] { kr::detail::export_web(site.c_str(), nullptr, 0); }),
            "a web page needs at least one kernel");
  const std::string text = "; run: block 1 arguments 1\nkir 1\nkernel one\n";
  const kr::detail::web_kernel_file file{"broken.kir", text.data(), text.size()};
  EXPECT_EQ(refused([&] { kr::detail::export_kernel_files(site.c_str(), &file, 1, "webgpu"); }),
            "broken.kir: a kernel's file: 2:8: expected 'fp' in\nkir 1\nkernel one\n");
  const kr::detail::web_kernel_file still{"still.kir", text.data() + text.find("kir 1"),
                                          text.size() - text.find("kir 1")};
  EXPECT_EQ(
      refused([&] { kr::detail::export_kernel_files(site.c_str(), &still, 1, "webgpu"); }),
      "still.kir: a kernel's file: the launch is missing (; run: grid … block … arguments …)");
  kr::array<int, 2> column(3, 1), row(1, 4);
  const auto add = kr::vectorize([](auto x, auto y) { return x + y; }, {.name = "add"});
  EXPECT_TRUE(says(
      refused([&] { kr::web(add, column, row); }),
      "kernel add ({}): its arrays have the shapes (3,1) and (1,4), but on a web page the arrays of an element-wise function must have one shape"));
  EXPECT_TRUE(says(refused([&] {
                     kr::web(add, a, a).names({"x", "y", "z"});
                   }),
                   "kernel add ({}): 3 names are given for 2 parameters"));
  auto left = kr::vectorize([](auto x) { return x; });
  const auto moved = std::move(left);
  EXPECT_EQ(refused([&] { kr::web(left, a); }), "a moved-from element-wise function is exported");
  auto gone = kr::kernel([](kr::view<int> x) { x[0] = 1; });
  const auto taken = std::move(gone);
  EXPECT_EQ(refused([&] { kr::web(gone[{1, 1}], a); }), "a moved-from kernel object is exported");
}

}  // namespace
