// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/pack.h"

#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "../api/expect.h"
#include "cache/entry.h"
#include "file.h"

namespace krait::test {
namespace {

/// A pack's bytes, of those of its entries.
std::string pack_of(const std::string& entries) {
  return cache::encode({"", "pack 2", "", entries});
}

auto make_saxpy() {
  return kr::kernel(
      [](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
        for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
      },
      {.name = "saxpy"});
}
using saxpy_type = void(float, kr::view<const float>, kr::view<float>);

TEST(Pack, KernelsAreCalledAsOthersAre) {
  const File file;
  const std::vector<int> primes = {2, 3, 5, 7};
  const auto add_table = kr::kernel(
      [&](kr::view<int> y) {
        const auto table = kr::constant(primes);
        for (auto i : kr::grid_stride(y.size())) y[i] = y[i] + table[i % 4];
      },
      {.name = "add_table"});
  const auto rows = kr::kernel<kr::dims{2}, kr::dims{64}>(
      [](kr::view<int, 2> y) {
        auto kept = kr::shared<int, 64>();
        const auto t = kr::thread_idx().x, row = kr::block_idx().x;
        kept[t] = y(row, t);
        kr::syncthreads();
        y(row, t) = kept[63 - t];
      },
      {.name = "reverse_rows"});
  kr::pack(file.c_str(), {.targets = "cpu"}, make_saxpy(), add_table, rows);

  const kr::kernel_pack pack = kr::load_pack(file.c_str());
  ASSERT_EQ(pack.size(), 3u);
  EXPECT_STREQ(pack.name(0), "saxpy");
  EXPECT_STREQ(pack.signature("saxpy").c_str(), "(f32, view<f32, 1, const>, view<f32, 1>)");
  const auto saxpy = pack.get<saxpy_type>("saxpy");
  std::vector<float> x(1000, 1.5f), y(1000, 2.0f);
  saxpy.launch({4, 64}, 2.0f, x, y);
  EXPECT_EQ(y, std::vector<float>(1000, 5.0f));
  saxpy.launch({4, 64}, 2.0f, y, y);  // overlapping
  EXPECT_EQ(y, std::vector<float>(1000, 15.0f));
  kr::array<float> long_one({2000}, kr::device::cpu());
  long_one.copy_from(std::vector<float>(2000, 1.0f));
  auto every_second = long_one(kr::range(0, 2000, 2));  // neither contiguous nor alone
  saxpy.forall(1000)(3.0f, every_second, every_second);
  const std::vector<float> every = long_one.to_host();
  EXPECT_EQ(every[0], 4.0f);
  EXPECT_EQ(every[1], 1.0f);

  std::vector<int> numbers(8, 10);
  pack.get<void(kr::view<int>)>("add_table").launch({1, 32}, numbers);
  EXPECT_EQ(numbers, (std::vector<int>{12, 13, 15, 17, 12, 13, 15, 17}));

  kr::array<int, 2> table({2, 64}, kr::device::cpu());
  std::vector<int> counted(128), turned(128);
  std::iota(counted.begin(), counted.end(), 0);
  table.copy_from(counted);
  pack.get<void(kr::view<int, 2>)>("reverse_rows").launch({2, 64}, table);
  for (int i = 0; i < 128; ++i) turned[std::size_t(i)] = i / 64 * 64 + 63 - i % 64;
  EXPECT_EQ(std::vector<int>(table.to_host()), turned);
}

TEST(Pack, OtherSignaturesAndNamesAreErrors) {
  const File file;
  kr::pack(file.c_str(), {.targets = ""}, make_saxpy());
  const kr::kernel_pack pack = kr::load_pack(file.c_str());
  expect_usage(
      {"kernel saxpy of the pack {} takes (f32, view<f32, 1, const>, view<f32, 1>), but is loaded as (f64, view<f32, "
       "1, const>, view<f32, 1>)"},
      [&] { pack.get<void(double, kr::view<const float>, kr::view<float>)>("saxpy"); });
  expect_usage(
      {"kernel saxpy of the pack {} takes (f32, view<f32, 1, const>, view<f32, 1>), but is loaded as (f32, view<f32, "
       "1>, view<f32, 1>)"},
      [&] { pack.get<void(float, kr::view<float>, kr::view<float>)>("saxpy"); });
  expect_usage(
      {"kernel saxpy of the pack {} takes (f32, view<f32, 1, const>, view<f32, 1>), but is loaded as (f32, view<f32, "
       "2, const>, view<f32, 1>)"},
      [&] { pack.get<void(float, kr::view<const float, 2>, kr::view<float>)>("saxpy"); });
  expect_usage(
      {"kernel saxpy of the pack {} takes (f32, view<f32, 1, const>, view<f32, 1>), but is loaded as (f32)"},
      [&] { pack.get<void(float)>("saxpy"); });
  expect_usage({"the pack " + file.path + " has no kernel \"daxpy\"; it has saxpy"},
               [&] { pack.get<saxpy_type>("daxpy"); });
  expect_usage({"the pack " + file.path + " has 1 kernels, so it has no kernel 1"},
               [&] { pack.name(1); });
}

TEST(Pack, WhatCannotBePackedIsRefused) {
  const File file;
  const auto nameless = kr::kernel([](kr::view<float> y) { y[0] = 1.0f; });
  expect_usage(
      {"kernel pack_test.cpp:{} has no name to load it by: give {.name = \"…\"} after its lambda"},
      [&] { kr::pack(file.c_str(), {.targets = ""}, nameless); });
  auto moved = make_saxpy();
  const auto target = std::move(moved);
  expect_usage({"a moved-from kernel object is packed"},
               [&] { kr::pack(file.c_str(), {.targets = ""}, moved); });
  expect_usage(
      {"two kernels of one pack are named \"saxpy\": give them different names, {.name = \"…\"}"},
      [&] { kr::pack(file.c_str(), {.targets = ""}, make_saxpy(), make_saxpy()); });
  expect_usage({"a pack has no code for \"webgpu\": name targets of CPUs, CUDA, Vulkan and OpenCL"},
               [&] { kr::pack(file.c_str(), {.targets = "x86-64-v3; webgpu"}, make_saxpy()); });
  expect_usage({"target \"x86-64-v9\": \"x86-64-v9\": expected x86-64-v2, x86-64-v3 or x86-64-v4"},
               [&] { kr::pack(file.c_str(), {.targets = "x86-64-v9"}, make_saxpy()); });
  expect_usage({"the pack /nowhere/x.kpack cannot be written: No such file or directory"},
               [&] { kr::pack("/nowhere/x.kpack", {.targets = ""}, make_saxpy()); });
  EXPECT_FALSE(std::filesystem::exists(file.path));
}

TEST(Pack, FilesThatAreNoPacksAreErrors) {
  const File file;
  expect_usage({"the pack " + file.path + " cannot be read: No such file or directory"},
               [&] { kr::load_pack(file.c_str()); });
  expect_usage({"the pack / cannot be read: Is a directory"}, [] { kr::load_pack("/"); });
  for (const char* other : {"", "not a pack"}) {
    file.write(other);
    expect_usage({file.path + " is not a pack of kernels: it does not begin with KRAITCH"},
                 [&] { kr::load_pack(file.c_str()); });
  }
  file.write("KRAITCH3 and what follows");
  expect_usage(
      {file.path +
       " is in format 3, or damaged; this Krait reads format 2: use the Krait that made it, or make the pack again"},
      [&] { kr::load_pack(file.c_str()); });
  file.write(cache::encode({"", "pack 1", "", ""}));
  expect_usage(
      {file.path +
       " is a pack of version 1; this Krait reads version 2: use the Krait that made it, or make the pack again"},
      [&] { kr::load_pack(file.c_str()); });
  file.write(cache::encode({"saxpy", "code for x", "", ""}));
  expect_usage({file.path + " is an entry of the cache, not a pack of kernels (krait cache show)"},
               [&] { kr::load_pack(file.c_str()); });
  const auto damaged = [&](const std::string& entries, const std::string& what) {
    file.write(pack_of(entries));
    expect_usage({"the pack " + file.path + " is damaged: " + what +
                  ": copy it again, or make the pack again"},
                 [&] { kr::load_pack(file.c_str()); });
  };
  const std::string kernel =
      cache::encode({"k", "kernel k.cpp:3", "kir 1\nkernel @k fp(native) () {\n  return\n}\n", ""});
  damaged("more", "4 bytes after its 0 kernels are not an entry");
  damaged(cache::encode({"k", "kernel ", "kir 7", ""}), "kernel k: {}");
  damaged(cache::encode({"k", "table 4", "", "1234"}), "the data of kernel k do not follow it");
  for (const std::string size : {"0 4", "8 1", "4", "4 2", "4 0", "1 3", "4 x", "2147483650 2", ""})
    damaged(kernel + cache::encode({"k", "table " + size, "", "1234"}),
            "kernel k: a table of 4 bytes is described as \"" + size +
                "\", which should be bytes per element and number of elements");
  damaged(kernel + cache::encode({"k", "poem", "", ""}), "kernel k: an entry of unknown kind");
  damaged(
      cache::encode(
          {"k", "kernel ",
           "kir 1\nkernel @k fp(native) (%0: view<i32, 1, const> = table(4000000000)) {\n  return\n}\n",
           ""}),
      "kernel k reads table(4000000000), which is missing");
  const std::string reads_table = cache::encode(
      {"k", "kernel ",
       "kir 1\nkernel @k fp(native) (%0: view<i32, 1, const> = table(0)) {\n  return\n}\n", ""});
  damaged(reads_table + cache::encode({"k", "table 1 4", "", "1234"}),
          "kernel k reads table(0) by elements of 4 bytes, but its elements have 1");
  std::string huge = kernel;
  for (std::size_t at = 8; at < 32; ++at) huge[at] = '\xff';  // all sizes
  damaged(huge, std::to_string(huge.size()) + " bytes after its 0 kernels are not an entry");
}

TEST(Pack, EveryFlippedByteAndEveryCutIsAnError) {
  const File file;
  kr::pack(file.c_str(), {.targets = "x86-64-v2"},
           kr::kernel([](kr::view<int> y) { y[0] = 1; }, {.name = "k"}));
  const std::string sound = file.read();
  ASSERT_LT(sound.size(), 20'000u);
  cache::Entry outer;
  ASSERT_EQ(cache::decode(sound, outer), nullptr);
  const std::string entries(outer.payload);
  const auto refused = [&](const std::string& bytes, const std::string& what) {
    file.write(bytes);
    EXPECT_THROW(kr::load_pack(file.c_str()), kr::error) << what;
  };
  for (std::size_t at = 0; at < sound.size(); ++at) {
    std::string broken = sound;
    broken[at] = char(broken[at] ^ (1 << at % 8));
    refused(broken, "byte " + std::to_string(at));
    refused(sound.substr(0, at), "cut at " + std::to_string(at));
  }
  // Where the pack's own checksum is right, those of its entries are compared.
  for (std::size_t at = 0; at < entries.size(); ++at) {
    std::string broken = entries;
    broken[at] = char(broken[at] ^ (1 << at % 8));
    refused(pack_of(broken), "byte " + std::to_string(at) + " of the entries");
  }
  file.write(sound);
  EXPECT_EQ(kr::load_pack(file.c_str()).size(), 1u);
}

TEST(Pack, CodeThatDoesNotFitIsCompiled) {
  const File file;
  kr::pack(file.c_str(), {.targets = "sm_90"}, make_saxpy());
  const kr::kernel_pack pack = kr::load_pack(file.c_str());
  EXPECT_STREQ(pack.targets("saxpy").c_str(), "\"ptx sm=90 isa=80\"");
  std::vector<float> x(100, 1.0f), y(100, 1.0f);
  pack.get<saxpy_type>("saxpy").launch({1, 64}, 2.0f, x, y);
  EXPECT_EQ(y[99], 3.0f);
}

/// Of every kind of launch there is code: own arrays, in rows and in squares; overlapping ones;
/// parts with strides.
TEST(Pack, EveryLaunchFindsCode) {
  const File file;
  const auto shift = kr::kernel(
      [](kr::view<const int> x, kr::view<int> y) {
        const auto t = kr::thread_idx().y * kr::block_dim().x + kr::thread_idx().x;
        y[t] = x[t] + 1;
      },
      {.name = "shift"});
  kr::pack(file.c_str(), {.targets = "cpu"}, shift);
  const auto shipped =
      kr::load_pack(file.c_str()).get<void(kr::view<const int>, kr::view<int>)>("shift");
  const auto before = kr::stats().compiled();
  kr::array<int> x({128}, kr::device::cpu()), y({128}, kr::device::cpu());
  x.copy_from(std::vector<int>(128, 1));
  shipped.launch({1, 64}, x, y);
  EXPECT_EQ(y.to_host()[63], 2);
  shipped.launch({1, kr::dims{8, 8}}, y, x);
  EXPECT_EQ(x.to_host()[63], 3);
  shipped.launch({1, 64}, x, x);
  EXPECT_EQ(x.to_host()[63], 4);
  auto every_second = y(kr::range(0, 128, 2));
  shipped.launch({1, 64}, x, every_second);
  EXPECT_EQ(y.to_host()[126], 5);
  EXPECT_EQ(kr::stats().compiled(), before);
}

TEST(Pack, LinesAndFaultsAreTold) {
  const File file;
  const auto inverse = kr::kernel(
      [](kr::view<int> x) {
        kr::print("x[0] = {}", x[0]);
        kr::check(x[0] != 0, "x[0] is 0");
        x[0] = 12 / x[0];
      },
      {.name = "inverse"});
  kr::pack(file.c_str(), {.targets = "cpu"}, inverse);
  const auto shipped = kr::load_pack(file.c_str()).get<void(kr::view<int>)>("inverse");
  std::string lines;
  kr::on_print([&](const char* line) { lines.append(line).append(";"); });
  std::vector<int> x = {3};
  shipped.launch({1, 1}, x);
  EXPECT_EQ(x[0], 4);
  x[0] = 0;
  expect_usage({"kernel inverse", "pack_test.cpp:", "x[0] is 0"}, [&] {
    shipped.launch({1, 1}, x);
  });
  kr::on_print(nullptr);
  EXPECT_EQ(lines, "x[0] = 3;x[0] = 0;");
}

}  // namespace
}  // namespace krait::test
