// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/hints.h"
#include "support/environment.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <sstream>

#include "trace/own.h"

namespace krait::host {

std::string message(const char* level, const std::string& file, unsigned line,
                    const std::string& text, const std::string& what) {
  if (file.empty()) return fmt::format("krait: {}: {}: {}\n", level, what, text);
  return fmt::format("{}:{}: krait: {}: {}\n", file, line, level, text);
}

std::string text_of(const std::vector<Hint>& hints, const std::string& what) {
  std::string out;
  for (const Hint& h : hints) out += message("hint", h.file, h.line, h.text, what);
  return out;
}

std::vector<Hint> of_user(std::vector<Hint> hints, const std::string& where) {
  static const bool all = [] {
    const char* v = support::environment("KRAIT_HINTS");
    return v && std::strcmp(v, "all") == 0;
  }();
  // An algorithm of the library calls functions of the user's, whose lines are the user's.
  if (!all)
    std::erase_if(hints,
                  [&](const Hint& h) { return trace::is_own(h.file.empty() ? where : h.file); });
  return hints;
}

void give(const std::vector<Hint>& hints, const std::string& what) {
  static std::mutex mutex;  // no fork meets it locked: who compiles is behind the fork gate
  static auto& given = *new std::set<std::string>;
  std::lock_guard lock(mutex);
  for (const Hint& h : hints) {
    const std::string place = h.file.empty() ? what : fmt::format("{}:{}", h.file, h.line);
    if (given.insert(h.kind + " " + place).second) std::fputs(text_of({h}, what).c_str(), stderr);
  }
}

std::vector<Hint> read_hints(const std::string& lines) {
  std::vector<Hint> all;
  std::istringstream in(lines);
  for (std::string kind, line, file, text; std::getline(in, kind, '\t') &&
                                           std::getline(in, line, '\t') &&
                                           std::getline(in, file, '\t') && std::getline(in, text);)
    all.push_back({kind, file, unsigned(std::strtoul(line.c_str(), nullptr, 10)), text});
  return all;
}

std::vector<Hint> hints_of(const runtime::Executable::Attributes& a, const std::string& where) {
  const std::size_t colon = where.rfind(':');
  const unsigned line =
      colon == where.npos ? 0 : unsigned(std::strtoul(where.c_str() + colon + 1, nullptr, 10));
  std::vector<Hint> all;
  const auto add = [&](const char* kind, std::string text) {
    all.push_back({kind, where.substr(0, colon), line, std::move(text)});
  };
  if (a.local_bytes > 0)
    add("spill",
        fmt::format("local memory: {} registers are not enough, or arrays are indexed at run time: "
                    "{} bytes per thread are in memory. Use smaller arrays and blocks, "
                    "index arrays by constants, or split the kernel",
                    a.registers, a.local_bytes));
  for (const std::string& remark : a.remarks)
    add("driver",
        fmt::format("the driver's compiler: {}. Use smaller tiles, and do not use sums of products "
                    "before their loop ends",
                    remark));
  return all;
}

}  // namespace krait::host
