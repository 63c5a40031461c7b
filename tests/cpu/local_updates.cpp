// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates of elements of the thread's own array that data choose: by all threads, by some, and with other accesses between.
#include <fmt/core.h>

#include "fixture.h"

namespace krait::test {
namespace {

/// Four times bins[x[i] % 16 or so] = bins[…] op with, under a condition; then what the bins hold.
std::string counting(const char* type, const char* op, const char* with, const char* between, bool guarded) {
  return fmt::format(R"(kernel @f fp(strict) (%0: view<u32, 1, const>, %1: view<{0}, 1>, %60: view<{0}, 1>) {{
  %2: local<{0}, 1> = local {{16}}
  %3: i64 = global_id {{0}}
  %4: i64 = const 16
  %5: u64 = const 16
  %6: {0} = const 5
  for %5 {{
  ^(%7: u64):
    %8: i64 = cast %7
    store.{0} %2, %8, %6
    continue
  }}
  %9: i64 = extent %0 {{0}}
  %10: u32 = const 4
  %11: u32 = const 15
  %12: {0} = const 3
  %13: u32 = const 9
  for %10 {{
  ^(%14: u32):
    %15: i64 = cast %14
    %16: i64 = add %3, %15
    %17: i64 = rem %16, %9
    %18: u32 = load %0, %17
    %19: u32 = and %18, %11
    %20: i64 = cast %19
    %21: {0} = cast %18
    %22: bool = lt %19, %13
    {4}
    %23: {0} = load %2, %20
    {3}
    %24: {0} = {1} %23, {2}
    store.{0} %2, %20, %24
    {5}
    continue
  }}
  for %5 {{
  ^(%30: u64):
    %31: i64 = cast %30
    %32: {0} = load %2, %31
    %33: i64 = mul %3, %4
    %34: i64 = add %33, %31
    store.{0} %1, %34, %32
    continue
  }}
  return
}}
)",
                     type, op, with, between, guarded ? "if %22 {" : "", guarded ? "yield }" : "");
}

template <class T>
void check_type(const char* type) {
  constexpr std::int64_t threads = 72, blocks = 2;
  std::vector<std::uint32_t> x(std::size_t(threads * blocks));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::uint32_t(i * 2654435761u >> 11) % 16 * (i % 3 == 0 ? 1 : 7);
  const std::vector<Arg> args{array(x), array(std::vector<T>(x.size() * 16, T(1))), array(std::vector<T>(x.size()))};
  for (const bool guarded : {false, true}) {
    for (const char* op : {"add", "sub", "and", "or", "xor"})
      for (const char* with : {"%12", "%21"}) {
        SCOPED_TRACE(fmt::format("{} {} {}{}", type, op, with, guarded ? ", guarded" : ""));
        check(counting(type, op, with, "", guarded), line(blocks, threads), args);
      }
    // What lies between sees the element as it was, or changes it.
    const std::string zero = "%40: i64 = const 0\n    ";
    check(counting(type, "add", "%12", (zero + fmt::format("%41: {0} = load %2, %40\n    store.{0} %60, %3, %41", type)).c_str(),
                   guarded),
          line(blocks, threads), args);
    check(counting(type, "add", "%12", (zero + fmt::format("store.{} %2, %40, %21", type)).c_str(), guarded),
          line(blocks, threads), args);
    check(counting(type, "add", "%23", "", guarded), line(blocks, threads), args);
  }
}

TEST(CpuLocalUpdates, I32) { check_type<std::int32_t>("i32"); }
TEST(CpuLocalUpdates, U64) { check_type<std::uint64_t>("u64"); }

}  // namespace
}  // namespace krait::test
