// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/places.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "support/environment.h"

namespace krait::support {
namespace {

/// Empty where there is no such file.
std::string real_path(const std::string& path) {
  char real[PATH_MAX];
  return realpath(path.empty() ? "." : path.c_str(), real) ? real : "";
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

/// Of the library, or of the program that has it inside.
std::string own_file() {
  Dl_info info{};
  link_map* map = nullptr;
  void* const here = reinterpret_cast<void*>(&places_of);
  if (!dladdr1(here, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP)) return "";
  // Of the program the loader only knows how it was called, which need not be a path.
  const bool is_program = !map || !map->l_name || !*map->l_name;
  return is_program ? "/proc/self/exe" : info.dli_fname ? info.dli_fname : "";
}

struct Places {
  std::vector<std::string> beside;     // folders, with a slash at the end
  std::vector<std::string> libraries;  // of LD_LIBRARY_PATH, likewise, if one of them is relative
  struct Relative {
    std::string written, absolute;
  };
  std::vector<Relative> relative;

  Places() {
    const std::string file = own_file(), real = real_path(file);
    const std::string folder =
        file.starts_with("/proc/") ? std::string() : real_path(folder_of(file));
    if (!folder.empty()) beside.push_back(folder + "/");
    if (std::string other = folder_of(real);
        !other.empty() && (beside.empty() || beside.front() != other))
      beside.push_back(std::move(other));
    read_library_path();
  }
  void read_library_path() {
    const char* const value = environment_text("LD_LIBRARY_PATH");
    if (!value) return;
    const std::string_view all = value;
    for (std::size_t at = 0; at <= all.size();) {
      const std::size_t end = std::min(all.find_first_of(":;", at), all.size());
      std::string folder(all.substr(at, end - at));
      at = end + 1;
      if (!folder.starts_with("/") && !folder.starts_with("$")) {
        const std::string absolute = real_path(folder);
        relative.push_back({folder.empty() ? "." : folder, absolute});
        folder = absolute;
      }
      if (!folder.empty()) libraries.push_back(folder + "/");
    }
    if (relative.empty()) libraries.clear();  // the loader does as well
  }
};

const Places& places() {
  static const auto* const known = new Places;
  return *known;
}
[[maybe_unused]] const Places& at_load = places();

bool is_there(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

void* open_path(const char* path, std::string& why) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library) return library;
  const char* const said = dlerror();
  why = said ? said : path;
  return nullptr;
}

}  // namespace

std::vector<std::string> places_of(const std::string& file) {
  std::vector<std::string> all;
  for (const std::string& beside : places().beside)
    for (const char* const folder : {"", "krait/", "../lib/"})
      all.push_back(beside + folder + file);
  return all;
}

void* open_library(const char* name, std::string& why) {
  if (std::string_view(name).find('/') != std::string_view::npos) return open_path(name, why);
  for (const std::string& folder : places().libraries)
    if (const std::string path = folder + name; is_there(path))
      if (void* const library = open_path(path.c_str(), why)) return library;
  // The loader would look into relative folders from where the program is now.
  for (const auto& [written, absolute] : places().relative)
    if (is_there(written + "/" + name) && real_path(written) != absolute) {
      why = fmt::format(
          "the program has changed its folder, so that {}/{} is another file: "
          "make {} absolute in LD_LIBRARY_PATH",
          written, name, written);
      return nullptr;
    }
  return open_path(name, why);
}

}  // namespace krait::support
