// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "codegen/reply.h"

#include <chrono>
#include <utility>

#include <fmt/core.h>

namespace krait::codegen {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Emit parse_emit(std::string_view text) {
  if (text == "binary") return Emit::Binary;
  if (text == "llvm") return Emit::Llvm;
  if (text == "asm") return Emit::Asm;
  unsupported(fmt::format("emit \"{}\": expected binary, llvm or asm", text));
}

void unsupported(std::string message) { throw Failure{1, std::move(message)}; }
void defect(std::string message) { throw Failure{2, std::move(message)}; }

Stopwatch::Stopwatch() : last_(now_ns()) {}
double Stopwatch::lap() {
  std::int64_t now = now_ns(), from = last_;
  last_ = now;
  return double(now - from) * 1e-6;
}

}  // namespace krait::codegen
