// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait cache: what lies in the cache folder, read by the library's own code.
#include "cache/disk.h"

#include <algorithm>
#include <ctime>
#include <numeric>

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <krait/error.h>

#include "cache/entry.h"
#include "commands.h"
#include "npy.h"

namespace tool {
namespace {

using krait::cache::Entry;
using krait::cache::FileInfo;
using krait::cache::Folder;

/// A file and what it holds.
struct Opened {
  std::string bytes, wrong;  // empty: sound
  Entry entry;
  Opened(const Folder& folder, const FileInfo& file) {
    if (auto all = folder.read(file.name, false)) bytes = std::move(*all);
    else wrong = "cannot be read, or is writable by others";
    if (wrong.empty())
      if (const char* why = krait::cache::decode(bytes, entry)) wrong = why;
    if (wrong.empty() && krait::cache::file_name(entry.key, entry.source) != file.name)
      wrong = "of another name";
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
};

std::string_view hash_of(const FileInfo& f) { return std::string_view(f.name).substr(0, 32); }
std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string size_text(std::uint64_t bytes) {
  if (bytes >= 10u << 20) return fmt::format("{:.1f} MiB", double(bytes) / (1 << 20));
  return fmt::format("{:.1f} KiB", double(bytes) / 1024);
}

/// Most recently used first.
std::vector<FileInfo> sorted_entries(const Folder& folder) {
  std::vector<FileInfo> files = folder.entries();
  std::sort(files.begin(), files.end(), [](const FileInfo& a, const FileInfo& b) {
    return std::tie(b.used, a.name) < std::tie(a.used, b.name);
  });
  return files;
}

std::uint64_t total_of(const std::vector<FileInfo>& files) {
  return std::accumulate(files.begin(), files.end(), std::uint64_t(0),
                         [](std::uint64_t sum, const FileInfo& f) { return sum + f.bytes; });
}

int list(const Folder& folder, const std::string& path) {
  const std::vector<FileInfo> files = sorted_entries(folder);
  for (const FileInfo& f : files) {
    const Opened o(folder, f);
    std::tm when{};
    const std::time_t used = std::time_t(f.used);
    localtime_r(&used, &when);
    fmt::print("{}  {:%Y-%m-%d %H:%M}  {:>10}  {}\n", hash_of(f), when, size_text(f.bytes),
               o.wrong.empty() ? fmt::format("{}: {}", o.entry.name, first_line(o.entry.key))
                               : "DAMAGED: " + o.wrong);
  }
  fmt::print("{} entries, {} in {}\n", files.size(), size_text(total_of(files)), path);
  return 0;
}

/// The source as it is where it is text.
void print_source(std::string_view source) {
  const bool text = std::all_of(source.begin(), source.end(), [](char c) {
    return c == '\n' || c == '\t' || (c >= ' ' && c != 127) || c < 0;
  });
  if (text) fmt::print("{}{}", source, source.ends_with('\n') ? "" : "\n");
  else fmt::print("({} bytes of binary data)\n", source.size());
}

int show(const Folder& folder, const std::string& wanted) {
  int shown = 0, damaged = 0;
  for (const FileInfo& f : sorted_entries(folder)) {
    if (!hash_of(f).starts_with(wanted)) continue;
    const Opened o(folder, f);
    ++shown;
    if (!o.wrong.empty()) {
      fmt::print("{}: {}\n", f.name, o.wrong);
      ++damaged;
      continue;
    }
    fmt::print("{}: {}\n{}", f.name, o.entry.name, o.entry.key);
    fmt::print("made of {} bytes, {} bytes:\n", o.entry.source.size(), o.entry.payload.size());
    print_source(o.entry.source);
  }
  if (shown == 0) fmt::print(stderr, "krait: no entry's hash starts with {}\n", wanted);
  return shown == 0 || damaged != 0;
}

int verify(const Folder& folder) {
  int damaged = 0, sound = 0;
  for (const FileInfo& f : sorted_entries(folder)) {
    const Opened o(folder, f);
    if (o.wrong.empty()) {
      ++sound;
    } else {
      fmt::print("{}: {}\n", f.name, o.wrong);
      ++damaged;
    }
  }
  fmt::print("{} entries intact, {} damaged\n", sound, damaged);
  return damaged != 0;
}

/// Damaged entries, then the least recently used ones beyond the limit.
int prune(const Folder& folder, std::uint64_t most) {
  std::size_t removed = 0;
  for (const FileInfo& f : folder.entries())
    if (!Opened(folder, f).wrong.empty()) removed += folder.remove(f.name);
  removed += folder.sweep(most);
  const std::vector<FileInfo> left = folder.entries();
  fmt::print("{} entries removed, {} left, {}\n", removed, left.size(), size_text(total_of(left)));
  return 0;
}

int clear(const Folder& folder) {
  std::size_t removed = 0;
  for (const FileInfo& f : folder.entries()) removed += folder.remove(f.name);
  folder.sweep(0);
  fmt::print("{} entries removed\n", removed);
  return 0;
}

/// The words behind a line's name in an entry's key.
std::string line_of(std::string_view key, std::string_view name) {
  for (std::size_t at = 0; at < key.size();) {
    const std::size_t end = std::min(key.find('\n', at), key.size());
    const std::string_view line = key.substr(at, end - at);
    if (const std::size_t found = line.find(name); found != line.npos)
      return std::string(line.substr(found + name.size()));
    at = end + 1;
  }
  return {};
}

}  // namespace

std::pair<std::string, std::string> kernel_of_entry(const std::string& hash) {
  const krait::cache::Settings settings = krait::cache::settings_from_environment();
  const Folder folder(settings.folder, Folder::Make::No);
  std::vector<FileInfo> found;
  if (folder)
    for (const FileInfo& f : folder.entries())
      if (hash_of(f).starts_with(hash)) found.push_back(f);
  if (found.size() != 1)
    refuse(
        fmt::format("{} of the entries in {} start with {}: give enough of one hash, "
                    "as krait cache list prints it",
                    found.size(), settings.folder, hash));
  const Opened o(folder, found[0]);
  if (!o.wrong.empty()) refuse(fmt::format("{}: {}", found[0].name, o.wrong));
  std::string text(o.entry.source), target = line_of(o.entry.key, "code for "),
                                    facts = line_of(o.entry.key, "facts ");
  const std::size_t mode = text.find("fp(");
  if (!text.starts_with("kir ") || target.empty() || mode == text.npos)
    refuse(
        fmt::format("{}: it holds data of a driver, not a kernel: krait cache show {} shows more",
                    found[0].name, hash));
  target.resize(std::min(target.find(" at "), target.size()));
  for (std::size_t at = 0; (at = facts.find(' ', at)) != facts.npos; at += 2) {
    const bool inside = std::count(facts.begin(), facts.begin() + std::ptrdiff_t(at), '(') !=
                        std::count(facts.begin(), facts.begin() + std::ptrdiff_t(at), ')');
    facts.replace(at, 1, inside ? " " : ", ");
  }
  if (!facts.empty()) text.insert(text.find(')', mode) + 1, fmt::format(" facts({})", facts));
  return {text, target};
}

int cache(const CacheOptions& o) {
  krait::cache::Settings settings = krait::cache::settings_from_environment();
  if (!o.size.empty()) settings.most_bytes = krait::cache::parse_size(o.size, "--size ");
  const Folder folder(settings.folder, Folder::Make::No);
  if (!folder) {
    fmt::print(stderr, "krait: there is no cache: {}\n",
               settings.folder.empty() ? "no folder is set" : folder.failure().text);
    return o.command == "show" || folder.failure().code != ENOENT;
  }
  if (o.command == "list") return list(folder, settings.folder);
  if (o.command == "show") return show(folder, o.hash);
  if (o.command == "verify") return verify(folder);
  if (o.command == "prune") return prune(folder, settings.most_bytes);
  return clear(folder);
}

}  // namespace tool
