// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the C interface says of calls that are wrong; from_c.c has those that are right.
#include "krait/krait_c.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "../support/says.h"
#include "file.h"
#include "krait/krait.h"
#include "krait/pack.h"

namespace krait::test {
namespace {

namespace kr = krait;

/// The call fails with this code and text, in which {} is any value.
template <class Call>
void expect_failure(krait_code code, const std::string& text, const Call& call) {
  char* message = nullptr;
  EXPECT_EQ(int(call(&message)), int(code)) << text;
  ASSERT_NE(message, nullptr) << text;
  EXPECT_TRUE(says(message, text)) << "\"" << text << "\" is not in: " << message;
  krait_free_message(message);
  EXPECT_EQ(int(call(nullptr)), int(code));  // who wants no text gets none
}

void pack_scale(const char* file) {
  const auto scale = kr::kernel(
      [](kr::value<bool> turned, kr::value<double> by, kr::view<const float, 2> x,
         kr::view<float, 2> y) {
        for (auto i : kr::grid_stride(y.extent(0)))
          for (auto j : kr::range(y.extent(1)))
            y(i, j) = kr::cast<float>(by) * kr::select(turned, x(j, i), x(i, j));
      },
      {.name = "scale"});
  kr::pack(file, {.targets = "cpu"}, scale);
}

class FromC : public testing::Test {
 protected:
  FromC() {
    pack_scale(file.c_str());
    EXPECT_EQ(krait_load_pack(file.c_str(), &pack, nullptr), KRAIT_OK);
    EXPECT_EQ(krait_make_kernel(pack, "scale", &kernel, nullptr), KRAIT_OK);
    EXPECT_EQ(krait_find_device("cpu", &cpu, nullptr), KRAIT_OK);
    config.device = cpu;
  }
  ~FromC() override { krait_free_kernel(kernel), krait_free_pack(pack), krait_free_memory(memory); }

  void expect_refusal(const std::string& text) {
    expect_failure(KRAIT_USAGE, text, [&](char** message) {
      return krait_launch(kernel, arguments.data(), 4, &config, message);
    });
  }

  const File file;
  krait_pack* pack = nullptr;
  krait_kernel* kernel = nullptr;
  krait_device* cpu = nullptr;
  krait_memory* memory = nullptr;
  unsigned char turned = 2;  // any byte but 0 is true
  double by = 10;
  std::array<float, 6> x{1, 2, 3, 4, 5, 6}, y{};
  std::array<std::int64_t, 2> x_extents{2, 3}, y_extents{3, 2}, strides{1, 3};
  std::array<krait_argument, 4> arguments{{{&turned, nullptr, 0, nullptr, nullptr},
                                           {&by, nullptr, 0, nullptr, nullptr},
                                           {x.data(), nullptr, 0, x_extents.data(), nullptr},
                                           {y.data(), nullptr, 0, y_extents.data(), nullptr}}};
  krait_launch_config config{{2, 0, 0}, {32, 0, 0}, 0, nullptr, nullptr};
};

TEST_F(FromC, ParametersAreTold) {
  EXPECT_EQ(krait_pack_size(pack), 1u);
  EXPECT_STREQ(krait_pack_name(pack, 0), "scale");
  EXPECT_EQ(krait_pack_name(pack, 1), nullptr);
  ASSERT_EQ(krait_parameter_count(kernel), 4u);
  const krait_parameter number = krait_parameter_at(kernel, 1),
                        array = krait_parameter_at(kernel, 3);
  EXPECT_STREQ(number.type, "f64");
  EXPECT_TRUE(number.rank == 0 && number.bytes == 8);
  EXPECT_STREQ(array.type, "f32");
  EXPECT_TRUE(array.rank == 2 && array.bytes == 4 && array.writable &&
              !krait_parameter_at(kernel, 2).writable);
  EXPECT_EQ(krait_parameter_at(kernel, 4).type, nullptr);
  EXPECT_STREQ(krait_device_id(cpu), "cpu");
}

TEST_F(FromC, ArraysHaveStrides) {
  const std::array<float, 6> transposed{10, 40, 20, 50, 30, 60};
  ASSERT_EQ(krait_launch(kernel, arguments.data(), 4, &config, nullptr), KRAIT_OK);
  EXPECT_EQ(y, transposed);
  turned = 0, y = {}, arguments[2].extents = y_extents.data(),
  arguments[2].strides = strides.data();
  config = {{0, 0, 0}, {0, 0, 0}, 3, nullptr, nullptr};
  ASSERT_EQ(krait_launch(kernel, arguments.data(), 4, &config, nullptr), KRAIT_OK);
  EXPECT_EQ(y, transposed);
}

TEST_F(FromC, MemoryIsOnADevice) {
  ASSERT_EQ(krait_allocate(cpu, sizeof x, &memory, nullptr), KRAIT_OK);
  krait_memory* wrapped = nullptr;
  ASSERT_EQ(krait_wrap(cpu, reinterpret_cast<std::uint64_t>(y.data()), sizeof y, &wrapped, nullptr),
            KRAIT_OK);
  EXPECT_EQ(krait_address(wrapped), reinterpret_cast<std::uint64_t>(y.data()));
  ASSERT_EQ(krait_write(memory, 0, x.data(), sizeof x, nullptr), KRAIT_OK);
  arguments[2] = {nullptr, memory, 0, x_extents.data(), nullptr};
  arguments[3] = {nullptr, wrapped, 0, y_extents.data(), nullptr};
  ASSERT_EQ(krait_launch(kernel, arguments.data(), 4, &config, nullptr), KRAIT_OK);
  EXPECT_EQ(y[1], 40.0f);
  krait_free_memory(wrapped);

  float last = 0;
  ASSERT_EQ(krait_read(memory, 20, &last, 4, nullptr), KRAIT_OK);
  EXPECT_EQ(last, 6.0f);
  expect_failure(KRAIT_USAGE, "krait_read of 4 bytes at offset 22 is beyond the memory's 24 bytes",
                 [&](char** message) { return krait_read(memory, 22, &last, 4, message); });
  expect_failure(KRAIT_USAGE, "krait_write of 4 bytes at offset 25 is beyond the memory's 24 bytes",
                 [&](char** message) { return krait_write(memory, 25, &last, 4, message); });
  arguments[2].offset = 4;
  expect_refusal(
      "kernel scale ({}): argument 3 reaches from byte 4 to byte 28 of a memory of 24 bytes");
  arguments[2].offset = 2, x_extents = {1, 2};
  expect_refusal(
      "kernel scale ({}): argument 3 begins at the address {}, which is not a multiple of its element size of 4 bytes");
  arguments[2].data = x.data();
  expect_refusal(
      "kernel scale ({}): argument 3 is an array with data and with memory: give one of them");
  expect_failure(KRAIT_USAGE, "krait_wrap got a null address for 4 bytes",
                 [&](char** message) { return krait_wrap(cpu, 0, 4, &wrapped, message); });
}

TEST_F(FromC, WrongArgumentsAreRefused) {
  expect_failure(
      KRAIT_USAGE,
      "kernel scale ({}) takes 4 arguments (bool, f64, view<f32, 2, const>, view<f32, 2>), and is launched with 3",
      [&](char** message) { return krait_launch(kernel, arguments.data(), 3, &config, message); });
  arguments[1].data = nullptr;
  expect_refusal("kernel scale ({}): argument 2 is null: give the address of its 8 bytes");
  arguments[1].data = &by, arguments[2].data = nullptr;
  expect_refusal(
      "kernel scale ({}): argument 3 is an array without data and memory: give one of them");
  arguments[2] = {x.data(), nullptr, 0, nullptr, nullptr};
  expect_refusal("kernel scale ({}): argument 3 has no extents: give 2");
  arguments[2].extents = x_extents.data(), arguments[2].strides = strides.data();
  for (const std::int64_t stride : {std::int64_t(-1), std::int64_t(1) << 61}) {
    strides[1] = stride;
    expect_refusal("kernel scale ({}): argument 3 has the stride " + std::to_string(stride) +
                   ": expected 0 or more, and less than 2^62 bytes in all");
  }
  arguments[2].strides = nullptr, x_extents[0] = -1;
  expect_refusal("negative");
  x_extents[0] = 2, config.block[0] = 1 << 20;
  expect_refusal("kernel scale ({}): the block 1048576 x 1 x 1 exceeds the limit of cpu");
}

TEST_F(FromC, MissingObjectsAreErrors) {
  krait_pack* other = nullptr;
  krait_kernel* none = nullptr;
  expect_failure(KRAIT_USAGE, "the pack /nowhere cannot be read: No such file or directory",
                 [&](char** message) { return krait_load_pack("/nowhere", &other, message); });
  expect_failure(KRAIT_USAGE, "krait_load_pack got a null pointer for its file",
                 [&](char** message) { return krait_load_pack(nullptr, &other, message); });
  expect_failure(KRAIT_USAGE, "krait_load_pack got a null pointer for its pack",
                 [&](char** message) { return krait_load_pack(file.c_str(), nullptr, message); });
  expect_failure(KRAIT_USAGE, "the pack {} has no kernel \"daxpy\"; it has scale",
                 [&](char** message) { return krait_make_kernel(pack, "daxpy", &none, message); });
  expect_failure(
      KRAIT_USAGE, "krait_launch got a null pointer for its kernel",
      [&](char** message) { return krait_launch(none, arguments.data(), 4, &config, message); });
  expect_failure(
      KRAIT_USAGE, "krait_launch got a null pointer for its config",
      [&](char** message) { return krait_launch(kernel, arguments.data(), 4, nullptr, message); });
  expect_failure(KRAIT_USAGE, "no device matches \"tpu\"; available devices: ",
                 [&](char** message) { return krait_find_device("tpu", &cpu, message); });
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(krait_synchronize(nullptr, nullptr), KRAIT_OK);
  krait_free_pack(nullptr), krait_free_kernel(nullptr), krait_free_memory(nullptr),
      krait_free_stream(nullptr);
  krait_free_message(nullptr);
}

TEST_F(FromC, MemoryBeyondTheLimitIsAnErrorOfTheDevice) {
  expect_failure(KRAIT_DEVICE, "memory", [&](char** message) {
    return krait_allocate(cpu, std::size_t(1) << 60, &memory, message);
  });
}

}  // namespace
}  // namespace krait::test
