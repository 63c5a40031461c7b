// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/functions.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "ir/builder.h"

namespace krait::trace {

Functions::Functions(const char* kernel) {
  functions_.push_back(std::make_unique<ir::Function>(ir::new_function(kernel ? kernel : "")));
}

CalledFunction* Functions::find(const FunctionKey& key) {
  for (const auto& known : called_)
    if (known->key == key) return known.get();
  return nullptr;
}

/// `math.` belongs to lib/math, whose functions are known by their names.
std::string Functions::unique_name(std::string name) const {
  if (name.empty()) name = "function";
  if (name.starts_with("math.") && !kernel().name.starts_with("math.")) name.insert(0, 1, '_');
  const auto taken = [&](const std::string& n) {
    return std::any_of(functions_.begin(), functions_.end(),
                       [&](const auto& f) { return f->name == n; });
  };
  std::string unique = name;
  for (unsigned n = 2; taken(unique); ++n) unique = fmt::format("{}.{}", name, n);
  return unique;
}

CalledFunction& Functions::add(FunctionKey key, const detail::called_function& what) {
  std::string name = what.name ? what.name : "";
  if (name.empty() && what.where.file) {
    const char* slash = std::strrchr(what.where.file, '/');
    name = fmt::format("{}:{}", slash ? slash + 1 : what.where.file, what.where.line);
  }
  auto f = std::make_unique<ir::Function>(ir::new_function(unique_name(std::move(name))));
  f->inherit(kernel());
  f->called = true;
  f->rare = what.rare;
  called_.push_back(std::make_unique<CalledFunction>(
      CalledFunction{std::move(key), functions_.size(), false, {}}));
  functions_.push_back(std::move(f));
  return *called_.back();
}

std::vector<ir::Function> Functions::take() {
  std::vector<ir::Function> all;
  for (const auto& f : functions_) all.push_back(std::move(*f));
  return all;
}

}  // namespace krait::trace
