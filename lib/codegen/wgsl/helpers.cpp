// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/wgsl/helpers.h"

#include <iterator>

#include <fmt/core.h>

#include "codegen/reply.h"

namespace krait::codegen::wgsl {
namespace {

struct Helper {
  std::string_view name, text;
};

constexpr Helper helpers[] = {
#define HELPER(name, ...) {#name, __VA_ARGS__},
#include "codegen/wgsl/helpers.def"
};

void mark(std::string_view name, bool (&used)[std::size(helpers)]) {
  for (std::size_t k = 0; k < std::size(helpers); ++k) {
    if (helpers[k].name != name) continue;
    if (used[k]) return;
    used[k] = true;
    for (const Helper& other : helpers)
      if (helpers[k].text.find(fmt::format("{}(", other.name)) != std::string_view::npos)
        mark(other.name, used);
    return;
  }
  defect(fmt::format("WGSL: no helper {}", name));
}

}  // namespace

std::string helpers_text(const std::set<std::string>& names) {
  bool used[std::size(helpers)] = {};
  for (const std::string& name : names) mark(name, used);
  std::string all;
  for (std::size_t k = 0; k < std::size(helpers); ++k)
    if (used[k]) all.append(helpers[k].text);
  return all;
}

}  // namespace krait::codegen::wgsl
