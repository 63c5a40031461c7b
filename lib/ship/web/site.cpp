// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ship/web/site.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "ship/web/files.h"
#include "support/error.h"
#include "support/file.h"

namespace krait::host::web {
namespace {

namespace fs = std::filesystem;

/// Words that JavaScript keeps, and names of files that are there already.
constexpr std::string_view taken[] = {
    "arguments",  "await",     "break",    "bytesOf",   "case",       "catch",   "class",
    "code",       "const",     "continue", "debugger",  "default",    "delete",  "do",
    "else",       "enum",      "eval",     "examples",  "export",     "extends", "false",
    "finally",    "for",       "function", "if",        "implements", "import",  "in",
    "instanceof", "interface", "kernel",   "krait",     "let",        "new",     "null",
    "package",    "page",      "private",  "protected", "public",     "return",  "static",
    "super",      "switch",    "this",     "throw",     "true",       "try",     "typeof",
    "undefined",  "var",       "void",     "while",     "with",       "yield"};

bool is_plain(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

void check_name(const Kernel& k, std::string_view name, const char* what) {
  if (!is_plain(name) || std::find(std::begin(taken), std::end(taken), name) != std::end(taken))
    support::fail_usage(
        "{}: \"{}\" cannot be the name of {} in JavaScript: "
        "use letters and digits, and no reserved word of the language",
        k.recorded.what, name, what);
}

void check_names(const std::vector<Kernel>& kernels) {
  for (const Kernel& k : kernels) {
    check_name(k, k.name, "a function");
    for (const std::string& parameter : k.names) check_name(k, parameter, "a parameter");
    for (const Kernel& other : kernels)
      if (&other != &k && other.name == k.name)
        support::fail_usage("two kernels of one page are named \"{}\": {} and {}", k.name,
                            other.recorded.what, k.recorded.what);
  }
}

void write_file(const fs::path& path, std::string_view text) {
  if (!support::write_file(path.string(), {text}, support::shared_file))
    support::fail_usage("{} cannot be written", path.string());
}

/// What the interpreter makes of a call.
std::vector<ir::HostArgument> interpreted(const ir::Module& meaning, const ir::KernelFile::Case& c,
                                          const std::string& what) {
  std::vector<ir::HostArgument> results = c.kernel.arguments;
  const std::vector<ir::Argument> raw = ir::raw_arguments(results);
  const ir::Outcome outcome = ir::run(meaning, c.kernel.launch, raw);
  if (!outcome.stopped.empty()) support::fail_usage("{}: {}: {}", what, c.name, outcome.stopped);
  if (outcome.faults) support::fail_usage("{}: {}: {}", what, c.name, outcome.fault);
  return results;
}

}  // namespace

void write_site(const std::string& folder, const std::vector<Kernel>& kernels) {
  if (kernels.empty()) support::fail_usage("a web page needs at least one kernel");
  check_names(kernels);
  std::vector<Module> modules;
  std::transform(kernels.begin(), kernels.end(), std::back_inserter(modules), compile);
  std::vector<std::pair<std::string, std::string>> texts;
  for (const EmbeddedFile& f : files()) texts.emplace_back(f.name, f.text);
  for (const Module& m : modules) {
    texts.emplace_back(m.kernel.name + ".mjs", script_of(m));
    texts.emplace_back(m.kernel.name + ".d.mts", types_of(m));
  }
  texts.emplace_back("examples.mjs", examples_of(modules));
  std::error_code wrong;
  fs::create_directories(folder, wrong);
  if (wrong) support::fail_usage("the folder {} cannot be made: {}", folder, wrong.message());
  for (const auto& [name, text] : texts) write_file(fs::path(folder) / name, text);
}

Kernel read_kernel(const std::string& path, std::string text) try {
  const ir::KernelFile file(std::move(text), fs::path(path).parent_path().string());
  std::vector<ir::KernelFile::Case> cases = file.cases(file.choices().front());
  if (cases.front().kernel.module.kernel().flat)
    support::fail_usage("its accesses are flat: a web page needs kernels as they are recorded");
  Kernel k;
  k.recorded.module = cases.front().kernel.module;
  k.name = fs::path(path).stem().string();
  // "0001-saxpy.ir", or standard input
  if (!is_plain(k.name)) k.name = k.recorded.module.kernel().name;
  k.recorded.name = k.recorded.module.kernel().name,
  k.recorded.what = "kernel " + k.recorded.name + " (" + path + ")";
  k.recorded.where = path, k.image = file.image();
  k.results = file.results(k.recorded.module.kernel());
  if (k.results) k.covered = int(k.recorded.module.kernel().params().size()) - 1;
  const ir::Module meaning = lower(k.recorded, {}, {support::TargetKind::Interpreter});
  for (ir::KernelFile::Case& c : cases) {
    std::vector<ir::HostArgument> expected = interpreted(meaning, c, k.recorded.what);
    k.examples.push_back({c.kernel.launch, std::move(c.kernel.arguments), std::move(expected)});
  }
  return k;
} catch (const error& e) {
  std::string_view said = e.message();
  // The caller's line, which is not about the file: the error made here begins with it again.
  if (const std::string place = fmt::format("{}:{}: ", e.file(), e.line()); said.starts_with(place))
    said.remove_prefix(place.size());
  support::fail(e.kind(), "{}: {}", path, said);
}

}  // namespace krait::host::web
