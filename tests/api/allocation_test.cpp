// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls after the first allocate nothing, and what is said where there is no memory: this program
// counts every allocation of the process, the library's included, and refuses large ones as a test
// asks.
#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <krait/krait.h>

#include "../support/says.h"

namespace {
std::atomic<long> allocations{0};
std::atomic<std::size_t> most{~std::size_t(0)};  // bytes of one allocation
}  // namespace

// glibc's own names, under the public ones; operator new comes here too.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t bytes) {
  return ++allocations, bytes > most ? nullptr : __libc_malloc(bytes);
}
void* calloc(std::size_t n, std::size_t bytes) { return ++allocations, __libc_calloc(n, bytes); }
void* realloc(void* old, std::size_t bytes) { return ++allocations, __libc_realloc(old, bytes); }
void* memalign(std::size_t align, std::size_t bytes) {
  return ++allocations, __libc_memalign(align, bytes);
}
void* aligned_alloc(std::size_t align, std::size_t bytes) {
  return ++allocations, __libc_memalign(align, bytes);
}
}

namespace kr = krait;

namespace {

/// Allocations of a hundred calls after the first ones, whose best code is made in the background.
template <class Call>
long allocations_of(const Call& call) {
  call(), call();
  kr::wait_for_compilations();
  call();
  const long before = allocations.load();
  for (int i = 0; i < 100; ++i) call();
  return allocations.load() - before;
}

struct Allocation : testing::Test {
  kr::device cpu = kr::device::cpu();
  kr::array<float> x{kr::shape<1>(16), cpu}, y{kr::shape<1>(16), cpu}, z{kr::shape<1>(16), cpu};
};

TEST_F(Allocation, TheCountCounts) {
  std::vector<float> a(16, 1.f);
  auto twice = kr::vectorize([](auto v) { return v + v; });
  EXPECT_GE(allocations_of([&] { a = twice(a); }), 100) << "a returned container costs its memory";
}

TEST_F(Allocation, ElementwiseIntoArraysAndContainers) {
  auto f = kr::vectorize([](auto a, auto b) { return a * 2.0f + b; });
  EXPECT_EQ(allocations_of([&] { f.into(z)(x, y); }), 0);
  EXPECT_EQ(allocations_of([&] { f.into(z)(x, 1.5f); }), 0);
  std::vector<float> a(16, 1.f), b(16, 2.f), c(16);
  EXPECT_EQ(allocations_of([&] { f.into(c)(a, b); }), 0);
  EXPECT_EQ(c[3], 4.f);
}

TEST_F(Allocation, BroadcastShapes) {
  auto f = kr::vectorize([](auto a, auto b) { return a + b; });
  kr::array<float, 2> matrix(kr::shape<2>(4, 16), cpu), sum(kr::shape<2>(4, 16), cpu);
  EXPECT_EQ(allocations_of([&] { f.into(sum)(matrix, x); }), 0);
}

TEST_F(Allocation, Numbers) {
  auto f = kr::vectorize([](auto a, auto b) { return a + b; });
  EXPECT_EQ(allocations_of([&] { EXPECT_EQ(f(3, 4), 7); }), 0);
}

TEST_F(Allocation, Kernels) {
  auto k = kr::kernel([](kr::view<float> out, kr::value<float> a) {
    kr::if_(kr::grid() < out.size(), [&] { out[kr::grid()] = a; });
  });
  EXPECT_EQ(allocations_of([&] { k.launch({2, 8}, z, 3.f); }), 0);
  EXPECT_EQ(allocations_of([&] { k.forall(16)(z, 3.f); }), 0);
  auto shared = kr::kernel([](kr::view<float> out) {
    auto tile = kr::shared<float, 16>();
    auto t = kr::thread_idx().x;
    tile[t] = out[t];
    kr::syncthreads();
    out[t] = tile[15 - t];
  });
  EXPECT_EQ(allocations_of([&] { shared.launch({1, 16}, z); }), 0);
}

TEST_F(Allocation, CopiesOfWhatIsUpdated) {
  const kr::array<int> in = kr::to_device(std::vector<int>(100000, 7), cpu);
  kr::array<int> counts = kr::to_device(std::vector<int>(16), cpu);
  auto count = kr::kernel([](kr::view<const int> from, kr::view<int> to) {
    for (auto i : kr::grid_stride(from.size())) kr::atomic(to[from[i] & 15]).add(1);
  });
  EXPECT_EQ(allocations_of([&] { count.launch({8, 128}, in, counts); }), 0);
}

TEST_F(Allocation, ManyArguments) {
  auto k = kr::kernel(
      [](kr::view<float> out, auto... a) { kr::if_(kr::grid() < 1, [&] { out[0] = (a + ...); }); });
  const auto call = [&]<std::size_t... I>(std::index_sequence<I...>) {
    k.launch({1, 32}, z, float(I)...);
  };
  EXPECT_EQ(allocations_of([&] { call(std::make_index_sequence<25>{}); }), 0);
  EXPECT_EQ(z.to_host()[0], 300.f);
}

/// The message where no allocation has more than so many bytes.
template <class Call>
std::string message_within(std::size_t bytes, const Call& call) {
  try {
    most = bytes;
    call();
    most = ~std::size_t(0);
  } catch (const kr::error& e) {
    most = ~std::size_t(0);
    EXPECT_EQ(int(e.kind()), int(kr::error::kind_type::device));
    return e.message();
  }
  return "no error";
}

TEST_F(Allocation, NoMemoryForAnErrorsText) {
  const std::string text(2000, 'x');
  EXPECT_EQ(
      message_within(1000, [&] { throw kr::error(kr::error::kind_type::device, text.c_str()); }),
      "krait: out of memory while reporting an error");
}

TEST_F(Allocation, NoMemoryForWhatIsReadBack) {
  const kr::array<float> many(kr::shape<1>(100000), cpu);
  EXPECT_EQ(message_within(100000, [&] { many.to_host(); }),
            "out of host memory while reading an array back");
}

TEST_F(Allocation, NoMemoryForArraysOfTheInterpreter) {
  kr::array<float> out(kr::shape<1>(256), kr::device::find("interpreter"));
  auto local = kr::kernel<1, 256>(
      [](kr::view<float> to) {
        auto own = kr::local<float, 8192>();
        own[kr::grid() & 8191] = 1.0f;
        to[kr::grid()] = own[0];
      },
      {.name = "local"});
  const std::string said = message_within(4 << 20, [&] { local(out); });
  EXPECT_TRUE(krait::test::says(
      said,
      "kernel local{}: the interpreter has no memory for the shared and local arrays of a block"))
      << said;
}

}  // namespace
