// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/disk.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>

#include "cache/entry.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/log.h"

namespace krait::cache {
namespace {

Mode parse_mode(std::string_view text) {
  if (text == "rw") return Mode::ReadWrite;
  if (text == "ro") return Mode::ReadOnly;
  if (text == "memory") return Mode::Memory;
  if (text == "off") return Mode::Off;
  support::fail_usage("KRAIT_CACHE={}: expected rw, ro, memory or off", text);
}

std::string default_folder() {
  if (const char* const own = support::environment_text("KRAIT_CACHE_DIR")) {
    char here[PATH_MAX];  // the program may change its folder later
    return *own == '/' || !getcwd(here, sizeof here) ? std::string(own)
                                                     : std::string(here) + "/" + own;
  }
  // XDG Base Directory Specification: relative paths are to be ignored.
  if (const char* const xdg = support::environment_text("XDG_CACHE_HOME"); xdg && *xdg == '/')
    return std::string(xdg) + "/krait";
  if (const char* const home = support::environment_text("HOME"); home && *home == '/')
    return std::string(home) + "/.cache/krait";
  return "";
}

/// What may be otherwise a moment later, or concerns one entry: too many open files, no memory, the
/// folder removed while we work in it, another kind of file in an entry's place.
bool passes(int code) {
  return code == EMFILE || code == ENFILE || code == ENOMEM || code == EINTR || code == ENOENT ||
         code == EISDIR;
}

}  // namespace

std::uint64_t parse_size(std::string_view text, std::string_view what) {
  std::uint64_t n = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  std::string_view unit = text.substr(std::size_t(end - text.data()));
  if (unit.ends_with("B")) unit.remove_suffix(1);
  if (unit.ends_with("i")) unit.remove_suffix(1);
  const unsigned shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  if (failed != std::errc() || (!unit.empty() && shift == 0) || n > (~std::uint64_t(0) >> shift))
    support::fail_usage("{}{}: expected a number of bytes, such as 500M or 2G", what, text);
  return n << shift;
}

Settings settings_from_environment() {
  Settings s;
  if (const char* const mode = support::environment_text("KRAIT_CACHE")) s.mode = parse_mode(mode);
  s.folder = default_folder();
  if (const char* const size = support::environment_text("KRAIT_CACHE_MAXSIZE"))
    s.most_bytes = parse_size(size, "KRAIT_CACHE_MAXSIZE=");
  return s;
}

void Disk::give_up(const std::string& why) {
  if (usable_.exchange(false)) warn(why);
}

void Disk::warn(const std::string& why) {
  if (warned_.exchange(true)) return;
  std::fprintf(stderr,
               "krait: warning: compiled kernels are not kept on disk: "
               "%s (set KRAIT_CACHE_DIR to another folder, or set KRAIT_CACHE=memory)\n",
               why.c_str());
}

std::optional<std::string> Disk::find(std::string_view key, std::string_view source) noexcept try {
  if (!usable_.load(std::memory_order_relaxed)) return std::nullopt;
  const Folder folder(settings_.folder, Folder::Make::No);
  if (!folder) {
    // One that is not there is made when there is something to keep.
    if (settings_.folder.empty())
      give_up("neither KRAIT_CACHE_DIR, XDG_CACHE_HOME nor HOME is set");
    else if (!passes(folder.failure().code)) give_up(folder.failure().text);
    return std::nullopt;
  }
  std::optional<std::string> bytes =
      folder.read(file_name(key, source), settings_.mode == Mode::ReadWrite);
  Entry e;
  if (!bytes || decode(*bytes, e) != nullptr || e.key != key || e.source != source)
    return std::nullopt;
  return std::string(e.payload);
} catch (...) {  // no memory
  return std::nullopt;
}

std::string Disk::keep(std::string_view name, std::string_view key, std::string_view source,
                       std::string made) noexcept {
  if (settings_.mode != Mode::ReadWrite || !usable_.load(std::memory_order_relaxed) ||
      !writable_.load(std::memory_order_relaxed))
    return made;
  try {
    const Folder folder(settings_.folder, Folder::Make::Yes);
    if (folder) write(folder, name, key, source, made);
    else if (!passes(folder.failure().code)) give_up(folder.failure().text);
  } catch (...) {  // no memory: not kept
  }
  return made;
}

void Disk::write(const Folder& folder, std::string_view name, std::string_view key,
                 std::string_view source, std::string& made) {
  const std::string file = file_name(key, source), bytes = encode({name, key, source, made});
  if (bytes.size() > std::min(largest_entry, settings_.most_bytes)) return;
  Failure failure;
  Folder::Written written = folder.write(file, bytes, false, failure);
  if (written == Folder::Written::Exists) {
    const std::optional<std::string> there = folder.read(file, false);
    Entry e;
    if (there && decode(*there, e) == nullptr && e.key == key && e.source == source) {
      made = e.payload;  // another process was first
      return;
    }
    written = folder.write(file, bytes, true, failure);  // damaged
  }
  if (written == Folder::Written::Done) return sweep_if_due(folder, bytes.size());
  if (!passes(failure.code) && writable_.exchange(false))
    warn(settings_.folder + ": " + failure.text);
}

void Disk::sweep_if_due(const Folder& folder, std::size_t bytes_written) {
  // Sweeping reads the whole folder: once an hour, and when this process alone has written much.
  const std::uint64_t mine = written_.fetch_add(bytes_written) + bytes_written;
  if (mine <= settings_.most_bytes / 16 && !folder.sweep_is_due()) return;
  written_ = 0;
  if (const std::size_t removed = folder.sweep(settings_.most_bytes))
    support::log_info("removed {} files from {}: KRAIT_CACHE_MAXSIZE is {} bytes", removed,
                      settings_.folder, settings_.most_bytes);
}

}  // namespace krait::cache
