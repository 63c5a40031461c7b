// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait export: kernels in text form as a web page. A kernel with a launch in its file goes as it
// is; one without gets a launch from the command line, as krait run does.
#include <algorithm>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <krait/web.h>

#include "call.h"
#include "commands.h"

namespace tool {
namespace {

constexpr std::int64_t threads_of_a_block = 64;

/// Where the module begins, behind comments; the text's end where there is none.
std::size_t module_of(std::string_view text) {
  const std::size_t found = text.starts_with("kir ") ? 0 : text.find("\nkir ");
  return found == text.npos ? text.size() : found + (text[found] == '\n');
}

/// The lines before the module that begin with one of the words: "; image: 64 64".
std::string lines_with(std::string_view text, std::initializer_list<std::string_view> words) {
  std::string lines;
  for (std::size_t at = 0, module = module_of(text); at < module;) {
    const std::size_t end = std::min(text.find('\n', at), module);
    const std::string_view line = text.substr(at, end - at);
    const std::string_view said = line.substr(std::min(line.find_first_not_of("; "), line.size()));
    if (line.starts_with(';') && std::any_of(words.begin(), words.end(), [&](std::string_view w) {
          return said.starts_with(w);
        }))
      lines.append(line).append("\n");
    at = end + 1;
  }
  return lines;
}

/// The argument as docs/testing.md writes it.
std::string argument_text(const Call& call, unsigned i) {
  if (call.signature().parameters[i].rank == 0)
    return fmt::format(" bits({:x})", call.arguments[i].bits);
  const Array& a = call.arrays[i];
  std::string text = fmt::format(" [{}]=", fmt::join(a.shape, ","));
  if (std::all_of(a.bytes.begin(), a.bytes.end(), [](std::byte b) { return b == std::byte{}; }))
    return text + "0";
  constexpr std::string_view digits = "0123456789abcdef";
  text.reserve(text.size() + 2 * a.bytes.size() + 7);
  text += "bytes(";
  for (const std::byte b : a.bytes)
    (text += digits[std::size_t(b) >> 4]) += digits[std::size_t(b) & 15];
  return text + ")";
}

/// The kernel with the launch of the command line.
std::string with_launch(const std::string& text, const CallOptions& o) {
  const std::size_t module = module_of(text);
  if (text.find("\nkir ", module) != text.npos)
    refuse(fmt::format(
        "krait export {}: the file has several kernels: krait dump --emit ir --kernel NAME "
        "prints one",
        o.file));
  Call call = read_call("krait export", text, o, false);
  krait::dims& grid = call.config.grid;
  krait::dims& block = call.config.block;
  if (call.config.form == krait::detail::call_config::threads) {
    block = {threads_of_a_block, 1, 1};
    grid = {(call.config.count + threads_of_a_block - 1) / threads_of_a_block, 1, 1};
  }
  std::string run = fmt::format("; run: grid {} {} {} block {} {} {} arguments", grid.x, grid.y,
                                grid.z, block.x, block.y, block.z);
  for (unsigned i = 0; i < call.signature().count; ++i) run += argument_text(call, i);
  return lines_with(text, {"image:", "results:"}) + run + "\n" + text.substr(module);
}

}  // namespace

int export_(const ExportOptions& o) {
  const auto is_kernel = [](const std::string& word) {
    return word == "-" || word.ends_with(".kir") || word.ends_with(".ir");
  };
  std::vector<std::string> paths{o.words.front()};
  CallOptions call = o.call;
  for (std::size_t n = 1; n < o.words.size(); ++n)
    (is_kernel(o.words[n]) ? paths : call.arguments).push_back(o.words[n]);
  const bool launched =
      !call.arguments.empty() || !call.grid.empty() || !call.block.empty() || call.count != -1;
  if (launched && paths.size() > 1)
    refuse(
        "krait export: arguments, --grid, --block and --count are for one kernel: "
        "several have their launches in their files");
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    std::string text = read_file(path);
    call.file = path;
    if (launched || lines_with(text, {"run:"}).empty()) text = with_launch(text, call);
    texts.push_back(std::move(text));
  }
  std::vector<krait::detail::web_kernel_file> files;
  for (std::size_t n = 0; n < texts.size(); ++n)
    files.push_back({paths[n].c_str(), texts[n].data(), texts[n].size()});
  krait::detail::export_kernel_files(o.folder.c_str(), files.data(), files.size(),
                                     o.target.c_str());
  fmt::print(
      "{}/index.html runs and checks {} kernel{}; serve the folder by https or from localhost\n",
      o.folder, files.size(), files.size() == 1 ? "" : "s");
  return 0;
}

}  // namespace tool
