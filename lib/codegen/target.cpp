// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing of the target text, and the two ways in which a compilation fails.
#include "codegen/target.h"

#include <charconv>
#include <chrono>

#include <fmt/core.h>

namespace krait::codegen {
namespace {

std::string_view next_word(std::string_view& text, char separator) {
  while (!text.empty() && text.front() == separator) text.remove_prefix(1);
  std::string_view word = text.substr(0, text.find(separator));
  text.remove_prefix(word.size());
  return word;
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string_view Target::option(std::string_view name, std::string_view fallback) const {
  for (auto& [key, value] : options)
    if (key == name) return value;
  return fallback;
}

unsigned Target::number(std::string_view name, unsigned fallback) const {
  std::string_view text = option(name);
  if (text.empty()) return fallback;
  unsigned value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    unsupported(fmt::format("target: {}={} is not a number", name, text));
  return value;
}

bool Target::lists(std::string_view name, std::string_view item) const {
  std::string_view rest = option(name);
  while (!rest.empty())
    if (next_word(rest, ',') == item) return true;
  return false;
}

Target parse_target(std::string_view text) {
  Target target;
  std::string_view rest = text;
  std::string_view kind = next_word(rest, ' ');
  if (kind == "cpu") target.kind = Target::Kind::Cpu;
  else if (kind == "ptx") target.kind = Target::Kind::Ptx;
  else if (kind == "spirv") target.kind = Target::Kind::Spirv;
  else unsupported(fmt::format("target \"{}\": expected cpu, ptx or spirv first", text));
  for (std::string_view word = next_word(rest, ' '); !word.empty(); word = next_word(rest, ' ')) {
    std::size_t equals = word.find('=');
    if (equals != word.npos) target.options.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    else if (target.arch.empty()) target.arch = word;
    else unsupported(fmt::format("target \"{}\": unexpected \"{}\"", text, word));
  }
  return target;
}

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
