// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "page.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include <fmt/core.h>
#include <krait/error.h>

#include "support/file.h"

namespace tool {
namespace {

namespace fs = std::filesystem;

/// A JSON string inside of a script element.
std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < ' ' || c == '<')
      out += fmt::format("\\u{:04x}", unsigned(c));
    else out += c;
  }
  return out + '"';
}

/// Of a line of the IR, "…  ; user.cpp:12", the file.
std::string_view file_of(std::string_view line) {
  const std::size_t begin = line.rfind(" ; "), end = line.rfind(':');
  if (begin == line.npos || end == line.npos || end < begin + 3) return {};
  const std::string_view number = line.substr(end + 1);
  const bool plain = !number.empty() && std::all_of(number.begin(), number.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; });
  return plain ? line.substr(begin + 3, end - begin - 3) : std::string_view();
}

struct Root {
  fs::path folder;  // canonical
  bool asked;       // by an option
};

/// Of the user's files none that nobody would take for a source: neither hidden ones, nor all that
/// is below /.
bool may_be_taken(const fs::path& real, const Root& root) {
  const auto [rest, end] =
      std::mismatch(real.begin(), real.end(), root.folder.begin(), root.folder.end());
  if (end != root.folder.end()) return false;
  const bool hidden = std::any_of(
      rest, real.end(), [](const fs::path& part) { return part.native().starts_with("."); });
  return root.asked || (!hidden && root.folder != root.folder.root_path());
}

struct Sources {
  // by the last part of the path, as the page looks for them
  std::map<std::string, std::string> texts, refused;
};

/// A text is whoever's wrote it: no terminal obeys it.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }, '?');
  return text;
}

/// Where a file may be, from the likeliest on. Below a folder that was asked for also by the last
/// parts of its path alone.
std::vector<fs::path> candidates(const fs::path& file, const Root& root) {
  std::vector<fs::path> parts;
  for (const fs::path& part : file.relative_path())
    if (part != "..") parts.push_back(part);
  std::vector<fs::path> all = {root.folder / file};
  for (std::size_t first = 0; first < (root.asked ? parts.size() : 1); ++first)
    all.push_back(std::accumulate(parts.begin() + std::ptrdiff_t(first), parts.end(), root.folder,
                                  std::divides<fs::path>()));
  return all;
}

/// Paths are those of the compiler, which ran elsewhere, or of whoever wrote the text. A file that
/// is not there is left out; one that is there, and must not be taken, is named.
void add_source(const fs::path& file, const std::vector<Root>& roots, Sources& to) {
  constexpr std::uintmax_t largest = 1 << 20;
  const std::string name = file.filename().string();
  if (to.texts.contains(name)) return;
  std::error_code wrong;
  for (const Root& root : roots)
    for (const fs::path& candidate : candidates(file, root)) {
      const fs::path real = fs::canonical(candidate, wrong);
      if (wrong || !fs::is_regular_file(real, wrong)) continue;
      const bool mine = std::any_of(roots.begin(), roots.end(),
                                    [&](const Root& r) { return may_be_taken(real, r); });
      const std::uintmax_t size = fs::file_size(real, wrong);
      if (!mine || wrong || size > largest) {
        to.refused.try_emplace(
            name, fmt::format(
                      "{} {}", printable(file.string()),
                      mine ? "is longer than 1 MiB"
                           : "is outside the current folder and the kernel's, or is hidden there: "
                             "--sources FOLDER adds another folder"));
        continue;
      }
      std::ifstream in(real, std::ios::binary);
      to.texts[name] = {std::istreambuf_iterator<char>(in), {}};
      to.refused.erase(name);
      return;
    }
}

/// Tells of refused files of the user's kernels; nobody asked for those of Krait's own.
Sources sources_of(const std::vector<DumpedKernel>& kernels, const SourceFolders& folders) {
  std::vector<Root> roots;
  std::error_code wrong;
  const auto add_root = [&](const std::string& folder, bool asked) {
    const fs::path real = fs::canonical(folder.empty() ? "." : folder, wrong);
    if (!wrong && fs::is_directory(real, wrong)) roots.push_back({real, asked});
    else if (asked)
      throw krait::error(krait::error::kind_type::usage,
                         fmt::format("--sources {}: there is no such folder", folder).c_str());
  };
  for (const std::string& folder : folders.asked) add_root(folder, true);
  add_root("", false), add_root(folders.of_kernel, false);
  Sources found;
  std::set<std::string_view> seen;
  for (const bool own : {false, true}) {
    for (const DumpedKernel& k : kernels)
      for (const Stage& s : k.stages)
        for (std::size_t at = 0; k.own == own && at < s.text.size();) {
          const std::size_t end = std::min(s.text.find('\n', at), s.text.size());
          const std::string_view file = file_of(std::string_view(s.text).substr(at, end - at));
          at = end + 1;
          if (!file.empty() && seen.insert(file).second) add_source(fs::path(file), roots, found);
        }
    if (own) continue;
    for (const auto& [name, why] : found.refused)
      fmt::print(stderr, "krait dump: source not shown: {}\n", why);
  }
  return found;
}

/// As the members of a JSON object.
std::string members(const std::map<std::string, std::string>& all) {
  std::string out;
  for (const auto& [name, text] : all)
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", json_text(name), json_text(text));
  return out;
}

/// The page, where "@NAME@" stands for a part.
std::string filled(std::string_view page, const std::vector<EmbeddedFile>& parts) {
  std::string out;
  while (!page.empty()) {
    const std::size_t at = std::min(page.find('@'), page.size());
    out += page.substr(0, at);
    page.remove_prefix(at);
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const EmbeddedFile& p) {
      return page.starts_with('@') && page.substr(1).starts_with(p.name) &&
             page.substr(1 + p.name.size()).starts_with('@');
    });
    if (part != parts.end()) out += part->text, page.remove_prefix(part->name.size() + 2);
    else out += page.substr(0, 1), page.remove_prefix(std::min<std::size_t>(1, page.size()));
  }
  return out;
}

}  // namespace

std::vector<DumpedKernel> dumped_kernels(std::string_view text) {
  constexpr std::string_view mark = "; ==== ", dash = " — ";
  std::vector<DumpedKernel> kernels;
  for (std::size_t at = text.starts_with(mark) ? 0 : text.npos; at != text.npos;) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    const std::string_view head = text.substr(at + mark.size(), line_end - at - mark.size());
    const std::size_t next = text.find("\n; ==== ", line_end), cut = head.rfind(dash);
    std::string_view body = text.substr(std::min(line_end + 1, text.size()));
    if (next != text.npos) body = body.substr(0, next - line_end);
    while (body.ends_with("\n\n")) body.remove_suffix(1);
    constexpr std::string_view krait = ", Krait's own";
    std::string_view what = head.substr(0, cut);
    const bool own = what.ends_with(krait);
    if (own) what.remove_suffix(krait.size());
    std::string_view stage =
        cut == head.npos ? std::string_view("ir") : head.substr(cut + dash.size());
    stage = stage.substr(0, stage.find(' '));
    // A stage that the last kernel has already is another one's.
    const auto has = [&](const DumpedKernel& k) {
      return std::any_of(k.stages.begin(), k.stages.end(),
                         [&](const Stage& s) { return s.name == stage; });
    };
    if (kernels.empty() || kernels.back().what != what || has(kernels.back()))
      kernels.push_back({std::string(what), own, {}});
    kernels.back().stages.push_back({std::string(stage), std::string(body)});
    at = next == text.npos ? next : next + 1;
  }
  return kernels;
}

void write_page(const std::string& path, const std::vector<DumpedKernel>& kernels,
                const SourceFolders& folders) {
  const Sources sources = sources_of(kernels, folders);
  std::string data = "{\"kernels\":[";
  for (const DumpedKernel& k : kernels) {
    data += fmt::format("{}{{\"what\":{},\"own\":{},\"stages\":[", &k == kernels.data() ? "" : ",",
                        json_text(k.what), k.own);
    for (const Stage& s : k.stages)
      data += fmt::format("{}{{\"name\":{},\"text\":{}}}", &s == k.stages.data() ? "" : ",",
                          json_text(s.name), json_text(s.text));
    data += "]}";
  }
  data += fmt::format("],\"sources\":{{{}}},\"refused\":{{{}}}}}", members(sources.texts),
                      members(sources.refused));
  std::vector<EmbeddedFile> parts(page_files().begin() + 1, page_files().end());
  parts.push_back({"DATA", data});
  if (!krait::support::write_file(path, {filled(page_files().front().text, parts)},
                                  krait::support::shared_file))
    throw krait::error(krait::error::kind_type::usage,
                       fmt::format("{} cannot be written: {}", path, std::strerror(errno)).c_str());
}

}  // namespace tool
