// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel on the CPU back end, at several gang shapes, and in the interpreter, on copies of the same arrays, and compares
// bits (any NaN equals any NaN).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "../codegen/plugin.h"
#include "ir/interp.h"
#include "ir/text.h"
#include "runtime/backend.h"

namespace krait::test {

/// Targets that this machine runs: every level it has, narrow shapes, and the code of first launches.
std::vector<std::string> targets();

/// An argument: a scalar, or an array with its own bytes.
struct Arg {
  ir::Scalar type{};
  std::uint64_t bits = 0;
  bool array = false;
  std::vector<std::byte> data;
  std::vector<std::int64_t> extents;
  bool real = false;
};
template <class T>
ir::Scalar type_of() {
  if constexpr (std::is_same_v<T, float>) return ir::Scalar::F32;
  else if constexpr (std::is_same_v<T, double>) return ir::Scalar::F64;
  else if constexpr (std::is_same_v<T, bool>) return ir::Scalar::Bool;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1   ? ir::Scalar::I8
           : sizeof(T) == 2 ? ir::Scalar::I16
           : sizeof(T) == 4 ? ir::Scalar::I32
                            : ir::Scalar::I64;
  else
    return sizeof(T) == 1   ? ir::Scalar::U8
           : sizeof(T) == 2 ? ir::Scalar::U16
           : sizeof(T) == 4 ? ir::Scalar::U32
                            : ir::Scalar::U64;
}
template <class T>
Arg scalar(T x) {
  Arg a;
  a.type = type_of<T>();
  std::memcpy(&a.bits, &x, sizeof x);
  return a;
}
template <class T>
Arg array(const std::vector<T>& values, std::vector<std::int64_t> extents = {}) {
  Arg a;
  a.type = type_of<T>();
  a.array = true;
  a.data.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(a.data.data(), values.data(), a.data.size());
  a.extents = extents.empty() ? std::vector<std::int64_t>{std::int64_t(values.size())} : std::move(extents);
  return a;
}

ir::Launch grid(std::array<std::int64_t, 3> blocks, std::array<std::int64_t, 3> threads);
inline ir::Launch line(std::int64_t blocks, std::int64_t threads) { return grid({blocks, 1, 1}, {threads, 1, 1}); }

struct CheckOptions {
  bool pipeline = true;  // run the passes; else the text is final
  ir::Facts facts{true, false, true, false};
};
/// `kernel` is the text after `kir 1`.
void check(std::string_view kernel, const ir::Launch& launch, const std::vector<Arg>& args, CheckOptions options = {});
void check(const ir::Module& module, const ir::Launch& launch, const std::vector<Arg>& args, CheckOptions options = {});

/// Compiles and runs final IR on the CPU device once; the arrays are changed.
std::string run_once(const ir::Module& final, const std::string& target, const ir::Launch& launch, std::vector<Arg>& args);

}  // namespace krait::test
