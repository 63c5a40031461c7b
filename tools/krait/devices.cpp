// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait devices: where kernels can run.
#include <sstream>

#include <fmt/core.h>
#include <krait/krait.h>

#include "commands.h"

namespace tool {
namespace {

/// As JSON's text (RFC 8259).
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", unsigned(c));
    else out += c;
  }
  return out + '"';
}

int json() {
  const krait::device standard;
  std::string all, skipped;
  for (const krait::device& d : krait::devices())
    all += fmt::format(
        "{}\n    {{\"id\": {}, \"name\": {}, \"default\": {}, \"memory\": {}, \"target\": {}}}",
        all.empty() ? "" : ",", quoted(d.id()), quoted(d.name()), d == standard, d.memory(),
        quoted(d.target()));
  std::istringstream lines(std::string(krait::skipped_devices().data()));
  for (std::string line; std::getline(lines, line);)
    skipped += fmt::format("{}\n    {}", skipped.empty() ? "" : ",", quoted(line));
  fmt::print("{{\n  \"version\": {},\n  \"devices\": [{}\n  ],\n  \"skipped\": [{}\n  ]\n}}\n",
             quoted(KRAIT_VERSION), all, skipped);
  return 0;
}

}  // namespace

int devices(bool as_json) {
  if (as_json) return json();
  const krait::device standard;
  for (const krait::device& d : krait::devices())
    fmt::print("{:<10} {}{}\n", d.id(), d.name(), d == standard ? "  (default)" : ""),
        fmt::print("{:<10} {:.1f} GiB, target \"{}\"\n", "", double(d.memory()) / double(1 << 30),
                   d.target());
  const krait::text skipped = krait::skipped_devices();
  if (skipped.size()) fmt::print("\nnot used:\n"), fmt::print("{}\n", skipped.data());
  return 0;
}

}  // namespace tool
