// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that walk along rows of their own: rows of any length, of every type, under masks, at the end of the array.
#include <fmt/core.h>

#include "fixture.h"

namespace krait::test {
namespace {

constexpr int threads = 77;  // no multiple of a gang

/// Small numbers of a type, as bytes.
Arg numbers(ir::Scalar s, std::size_t n) {
  const auto value = [](std::size_t i) { return int((i * 2654435761u) >> 11) % 100; };
  Arg a;
  a.type = s, a.array = true, a.extents = {std::int64_t(n)};
  a.data.resize(n * ir::size_of(s));
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = std::uint64_t(value(i));
    if (s == ir::Scalar::F32) bits = std::bit_cast<std::uint32_t>(float(value(i)) * 0.3f);
    if (s == ir::Scalar::F64) bits = std::bit_cast<std::uint64_t>(double(value(i)) * 0.3);
    if (s == ir::Scalar::F16) bits = 0x3c00u + std::uint64_t(value(i));
    std::memcpy(a.data.data() + i * ir::size_of(s), &bits, ir::size_of(s));
  }
  return a;
}

class CpuRows : public testing::TestWithParam<ir::Scalar> {};

/// Row t begins at first[t] and has first[t + 1] - first[t] elements; the last one ends where the array does.
TEST_P(CpuRows, OfDifferentLengths) {
  const std::string type(ir::name_of(GetParam()));
  std::vector<std::int32_t> first{0};
  for (int t = 0; t < threads; ++t) first.push_back(first.back() + t * 7 % 23);
  check(fmt::format(R"(kernel @f fp(strict) (%0: view<i32, 1, const>, %1: view<{0}, 1, const>, %2: view<{0}, 1>) {{
  %3: i64 = global_id {{0}}
  %4: i64 = extent %2 {{0}}
  %5: bool = lt %3, %4
  if %5 {{
    %6: i32 = load %0, %3
    %7: i64 = const 1
    %8: i64 = add %3, %7
    %9: i32 = load %0, %8
    %10: i32 = sub %9, %6
    %11: u32 = cast %10
    %12: {0} = const {1}
    %13: {0} = for %11, %12 {{
    ^(%14: u32, %15: {0}):
      %16: i32 = cast %14
      %17: i32 = add %6, %16
      %18: {0} = load %1, %17
      %19: {0} = add %15, %15
      %20: {0} = add %19, %18
      continue %20
    }}
    store.{0} %2, %3, %13
    yield
  }}
  return
}}
)",
                    type, ir::is_float(GetParam()) ? "0x0p+0" : "0"),
        line(3, 32), {array(first), numbers(GetParam(), std::size_t(first.back())), numbers(GetParam(), threads)});
}

/// Rows of one length; all threads of a gang walk together, and the condition leaves some of them out.
TEST_P(CpuRows, OfOneLength) {
  const std::string type(ir::name_of(GetParam()));
  for (const std::uint32_t length : {7u, 8u, 21u})
    for (const bool constant : {false, true}) {
      SCOPED_TRACE(fmt::format("{} elements", length));
      check(
          fmt::format(R"(kernel @f fp(strict) (%0: view<{0}, 2, const>, %1: view<{0}, 1>, %2: u32) {{
  %3: i64 = global_id {{0}}
  %4: i64 = extent %1 {{0}}
  %5: bool = lt %3, %4
  %6: i64 = const 3
  %7: i64 = rem %3, %6
  %18: i64 = const 0
  %8: bool = ne %7, %18
  %9: bool = and %5, %8
  if %9 {{
    %10: u32 = {2}
    %11: {0} = const {1}
    %12: {0} = for %10, %11 {{
    ^(%13: u32, %14: {0}):
      %15: i64 = cast %13
      %16: {0} = load %0, %3, %15
      %17: {0} = sub %16, %14
      continue %17
    }}
    store.{0} %1, %3, %12
    yield
  }}
  return
}}
)",
                      type, ir::is_float(GetParam()) ? "0x0p+0" : "0", constant ? fmt::format("const {}", length) : "min %2, %2"),
          line(3, 32), [&] {
            std::vector<Arg> args{numbers(GetParam(), threads * length), numbers(GetParam(), threads), scalar(length)};
            args[0].extents = {threads, std::int64_t(length)};
            return args;
          }());
    }
}

INSTANTIATE_TEST_SUITE_P(Types, CpuRows,
                         testing::Values(ir::Scalar::I8, ir::Scalar::U8, ir::Scalar::I16, ir::Scalar::U16, ir::Scalar::I32,
                                         ir::Scalar::U32, ir::Scalar::I64, ir::Scalar::U64, ir::Scalar::F16, ir::Scalar::F32,
                                         ir::Scalar::F64),
                         [](const auto& type) { return std::string(ir::name_of(type.param)); });

}  // namespace
}  // namespace krait::test
