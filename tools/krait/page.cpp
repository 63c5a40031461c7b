// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "page.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/core.h>
#include <krait/error.h>

namespace tool {
namespace {

namespace fs = std::filesystem;

/// A JSON string inside of a script element.
std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < ' ' || c == '<') out += fmt::format("\\u{:04x}", unsigned(c));
    else out += c;
  }
  return out + '"';
}

/// Of a line of the IR, "…  ; user.cpp:12", the file.
std::string_view file_of(std::string_view line) {
  const std::size_t begin = line.rfind(" ; "), end = line.rfind(':');
  if (begin == line.npos || end == line.npos || end < begin + 3) return {};
  const std::string_view number = line.substr(end + 1);
  const bool plain = !number.empty() && std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  return plain ? line.substr(begin + 3, end - begin - 3) : std::string_view();
}

/// Empty where the file is not there: paths are those of the compiler, which ran elsewhere.
std::string source_of(const fs::path& file, const fs::path& folder) {
  constexpr std::uintmax_t largest = 1 << 20;
  fs::path plain;
  for (const fs::path& part : file)
    if (part != "..") plain /= part;
  std::error_code wrong;
  for (const fs::path& start : {fs::current_path(wrong), fs::absolute(folder, wrong)})
    for (fs::path at = start;; at = at.parent_path()) {
      for (const fs::path& candidate : {at / file, at / plain}) {
        if (!fs::is_regular_file(candidate, wrong) || fs::file_size(candidate, wrong) > largest) continue;
        std::ifstream in(candidate, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
      }
      if (at == at.parent_path()) break;
    }
  return {};
}

std::map<std::string, std::string> sources_of(const std::vector<DumpedKernel>& kernels, const std::string& folder) {
  std::map<std::string, std::string> found;
  for (const DumpedKernel& k : kernels)
    for (const Stage& s : k.stages)
      for (std::size_t at = 0; at < s.text.size();) {
        const std::size_t end = std::min(s.text.find('\n', at), s.text.size());
        const std::string_view file = file_of(std::string_view(s.text).substr(at, end - at));
        at = end + 1;
        if (file.empty()) continue;
        const fs::path path(file);
        if (const auto [place, fresh] = found.try_emplace(path.filename().string()); fresh)
          place->second = source_of(path, folder);
      }
  std::erase_if(found, [](const auto& f) { return f.second.empty(); });
  return found;
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
    const std::string_view what = head.substr(0, cut);
    std::string_view stage = cut == head.npos ? std::string_view("ir") : head.substr(cut + dash.size());
    stage = stage.substr(0, stage.find(' '));
    // A stage that the last kernel has already is another one's.
    const auto has = [&](const DumpedKernel& k) {
      return std::any_of(k.stages.begin(), k.stages.end(), [&](const Stage& s) { return s.name == stage; });
    };
    if (kernels.empty() || kernels.back().what != what || has(kernels.back())) kernels.push_back({std::string(what), {}});
    kernels.back().stages.push_back({std::string(stage), std::string(body)});
    at = next == text.npos ? next : next + 1;
  }
  return kernels;
}

void write_page(const std::string& path, const std::vector<DumpedKernel>& kernels, const std::string& folder) {
  std::string data = "{\"kernels\":[";
  for (const DumpedKernel& k : kernels) {
    data += fmt::format("{}{{\"what\":{},\"stages\":[", &k == kernels.data() ? "" : ",", json_text(k.what));
    for (const Stage& s : k.stages)
      data +=
          fmt::format("{}{{\"name\":{},\"text\":{}}}", &s == k.stages.data() ? "" : ",", json_text(s.name), json_text(s.text));
    data += "]}";
  }
  data += "],\"sources\":{";
  for (const char* comma = ""; const auto& [file, text] : sources_of(kernels, folder)) {
    data += fmt::format("{}{}:{}", comma, json_text(file), json_text(text));
    comma = ",";
  }
  data += "}}";
  const std::string_view page = page_files().front().text, place = "@DATA@";
  const std::size_t at = page.find(place);
  std::ofstream out(path, std::ios::binary);
  out << page.substr(0, at) << data << page.substr(at + place.size());
  out.close();
  if (!out)
    throw krait::error(krait::error::kind_type::usage,
                       fmt::format("{} cannot be written: {}", path, std::strerror(errno)).c_str());
}

}  // namespace tool
