// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/lines.h"

#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include <fmt/core.h>

#include "host/hints.h"
#include "host/plugin.h"
#include "devices/reports.h"
#include "support/environment.h"
#include "support/error.h"
#include "trace/own.h"
#include "trace/trace.h"

namespace krait::host {
namespace {

/// A loaded program or shared object.
struct Object {
  std::string file;
  std::uint64_t base = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> code;  // from, to
  bool has(std::uint64_t address) const {
    return std::any_of(code.begin(), code.end(),
                       [&](const auto& c) { return c.first <= address && address < c.second; });
  }
};

/// The kernel's name of the program works after its file was replaced, but its own folder has what
/// -gsplit-dwarf or objcopy put beside it.
std::string file_of_program() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  const std::string file(path, size > 0 ? std::size_t(size) : 0);
  return !file.empty() && access(file.c_str(), R_OK) == 0 ? file : "/proc/self/exe";
}

std::vector<Object> loaded_objects() {
  std::vector<Object> all;
  const auto each = [](dl_phdr_info* info, std::size_t, void* to) {
    Object o;
    o.file = info->dlpi_name, o.base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& part = info->dlpi_phdr[i];
      if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
      const std::uint64_t from = info->dlpi_addr + part.p_vaddr;
      o.code.emplace_back(from, from + part.p_memsz);
    }
    static_cast<std::vector<Object>*>(to)->push_back(std::move(o));
    return 0;
  };
  dl_iterate_phdr(each, &all);
  if (!all.empty() && all.front().file.empty()) all.front().file = file_of_program();
  return all;
}

/// Not where the user is: headers of Krait's and of the standard library, and the recorder.
bool is_passed_through(const std::string& file, bool in_krait) {
  return trace::in_own_header(file) || file.find("/include/c++/") != file.npos ||
         (in_krait && file.find("lib/trace/") != file.npos);
}

/// A source file of the library or a header of Krait's, of algorithms as well.
bool is_of_krait(const std::string& file, bool in_krait) {
  constexpr std::string_view here = __FILE__, below_lib = "host/lines.cpp";
  constexpr std::string_view lib = here.substr(0, here.size() - below_lib.size());
  return is_passed_through(file, in_krait) || trace::is_own(file) ||
         (in_krait && file.find(lib) != file.npos);
}

/// The innermost frame of the user's, which is not one that `passes` passes through. `line`: as the
/// code generator gives it (codegen/llvm/lines.h).
ir::Location user_frame(const std::string& line, bool in_krait,
                        bool (*passes)(const std::string&, bool) = is_passed_through) {
  std::istringstream in(line);
  for (std::string number, file; std::getline(in, number, '\t') && std::getline(in, file, '\t');)
    if (!passes(file, in_krait))
      return {file, std::uint32_t(std::strtoul(number.c_str(), nullptr, 10))};
  return {};
}

/// Of addresses that calls return to. Without a code generator nothing is known. `known`: false
/// where a program or shared object of the user's has no debug information.
std::vector<ir::Location> lines_of(const std::vector<std::uint64_t>& addresses, bool& known) {
  std::vector<ir::Location> all(addresses.size());
  known = true;
  if (addresses.empty()) return all;
  const std::vector<Object> objects = loaded_objects();
  std::string request;
  std::vector<std::size_t> asked;
  std::vector<const Object*> of(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i)
    for (const Object& o : objects) {
      // within the instruction, behind which the next line may begin
      const std::uint64_t call = addresses[i] - 1;
      if (!o.has(call) || o.file.empty() || o.file.find('\n') != o.file.npos) continue;
      request += fmt::format("{:x} {}\n", call - o.base, o.file);
      asked.push_back(i), of[i] = &o;
    }
  std::istringstream found(find_lines(request));
  std::map<const Object*, bool> has_lines;
  std::string line;
  for (const std::size_t i : asked) {
    if (!std::getline(found, line)) line.clear();
    const bool in_krait = of[i]->has(reinterpret_cast<std::uintptr_t>(&reads_lines));
    all[i] = user_frame(line, in_krait);
    if (!in_krait) has_lines[of[i]] |= !line.empty();
  }
  for (const auto& [object, has] : has_lines) known = known && has;
  return all;
}

/// Where calls that are under way return to, of the innermost first. The user's call is among the
/// first few; a recursion of the user's need not be walked to its end.
constexpr std::size_t most_frames = 100;
std::vector<std::uint64_t> return_addresses() {
  std::vector<std::uint64_t> all;
  const auto each = [](_Unwind_Context* of, void* to) {
    auto& found = *static_cast<std::vector<std::uint64_t>*>(to);
    if (const auto address = std::uint64_t(_Unwind_GetIP(of))) found.push_back(address);
    return found.size() < most_frames ? _URC_NO_REASON : _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(each, &all);
  return all;
}

/// Krait's library has no calls of the user's, unless it is a part of the user's.
bool is_library(const Object& o) {
  return o.file.substr(o.file.rfind('/') + 1).starts_with("libkrait.so");
}

/// Where a call returns to. Each is looked up once.
struct CallerFrame {
  bool passed = false;  // a frame of Krait's or of the standard library's, which the user's called
  ir::Location line;    // else the user's; without a file where debug information is missing
};
CallerFrame caller_frame(const std::vector<Object>& objects, std::uint64_t address) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, CallerFrame>;
  const std::uint64_t call = address - 1;
  for (const Object& o : objects) {
    if (!o.has(call)) continue;
    if (is_library(o)) return {true, {}};
    if (o.file.empty() || o.file.find('\n') != o.file.npos) break;
    const std::string request = fmt::format("{:x} {}\n", call - o.base, o.file);
    std::lock_guard lock(mutex);
    const auto [at, fresh] = known.try_emplace(request);
    if (fresh) {
      std::string line = find_lines(request);
      line.erase(std::min(line.find('\n'), line.size()));
      CallerFrame& found = at->second;
      found.line =
          user_frame(line, o.has(reinterpret_cast<std::uintptr_t>(&reads_lines)), is_of_krait);
      found.passed = !line.empty() && found.line.file.empty();
      if (found.line.file.find("tools/krait/") != std::string::npos) found.line = {};  // no user's
    }
    return at->second;
  }
  return {};
}

/// The user's line that called the library: of the innermost frame that is the user's. Without
/// debug information of it none is told, rather than that of a caller further out.
support::CallerLine caller_line() noexcept {
  thread_local bool asking = false;  // what looks it up may fail itself
  if (asking) return {};
  asking = true;
  support::CallerLine found;
  try {
    const std::vector<Object> objects = loaded_objects();
    for (const std::uint64_t address : return_addresses()) {
      const CallerFrame frame = caller_frame(objects, address);
      if (frame.passed) continue;
      found = {frame.line.file, frame.line.line};
      break;
    }
  } catch (...) {  // the error without a line
  }
  asking = false;
  return found;
}
[[maybe_unused]] const bool set_at_load = [] {
  support::find_caller = caller_line;
  return true;
}();

}  // namespace

namespace {

ir::Module with_lines(ir::Module module, const trace::Spots* spots, const trace::Spots::Of& of,
                      bool* known) {
  bool all_known = true;
  if (spots)
    spots->find_lines(
        module, of, [&](const std::vector<std::uint64_t>& at) { return lines_of(at, all_known); });
  if (known) *known = all_known;
  return module;
}

}  // namespace

ir::Module with_lines(const Recorded& recorded, bool* known) {
  return with_lines(recorded.module, recorded.spots.get(), recorded.spots_of, known);
}
ir::Module with_lines(const Written& written, const Recorded& recorded) {
  return with_lines(written.module, recorded.spots.get(), written.spots_of, nullptr);
}

bool reads_lines() {
  static const bool asked = [] {
    const char *const dump = support::environment_text("KRAIT_DUMP"), *const perf =
                                                                          support::environment_text(
                                                                              "KRAIT_PERF");
    return dump || perf || debug_mode() || hinting() == Hinting::All;
  }();
  return asked;
}

}  // namespace krait::host
