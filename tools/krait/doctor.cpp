// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait doctor: what a user's machine has, whether kernels run on it, and what would have to be
// installed.
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include <fmt/core.h>
#include <krait/detail/text_kernel.h>
#include <krait/krait.h>

#include "cache/disk.h"
#include "commands.h"
#include "support/environment.h"

extern char** environ;

namespace tool {
namespace {

constexpr std::string_view self_test = R"(kir 1
kernel @self_test fp(strict) (%0: f32, %1: view<f32, 1, const>, %2: view<f32, 1>) {
  %3: i64 = extent %2 {0}
  grid_stride %3 {
  ^(%4: i64):
    %5: f32 = load %1, %4
    %6: f32 = mul %0, %5
    %7: f32 = load %2, %4
    %8: f32 = add %6, %7
    store.f32 %2, %4, %8
    continue
  }
  return
}
)";

/// Empty, or what is wrong.
std::string wrong_with(const krait::device& device) {
  try {
    struct Freed {
      void operator()(krait::detail::text_kernel* k) const { krait::detail::free_text_kernel(k); }
    };
    const std::unique_ptr<krait::detail::text_kernel, Freed> kernel(
        krait::detail::make_text_kernel(self_test.data(), self_test.size(), "the self-test"));
    constexpr std::int64_t n = 1000;
    std::vector<float> x(n), y(n, 1.0f);
    for (std::int64_t i = 0; i < n; ++i) x[std::size_t(i)] = float(i);
    krait::detail::argument arguments[3];
    arguments[0].bits = std::bit_cast<std::uint32_t>(2.0f);
    for (unsigned i : {1u, 2u}) {
      krait::detail::argument& a = arguments[i];
      a.kind = krait::detail::argument::host, a.rank = 1, a.data = i == 1 ? x.data() : y.data(),
      a.offset = 0;
      a.extents[0] = n, a.strides[0] = 1;
    }
    krait::detail::call_config config;
    config.form = krait::detail::call_config::threads, config.count = n,
    config.device = krait::detail::handle_of(device);
    krait::detail::launch(kernel.get(), arguments, config);
    device.synchronize();
    for (std::int64_t i = 0; i < n; ++i)
      if (const float got = y[std::size_t(i)]; got != float(2 * i + 1))
        return fmt::format("element {} is {}, expected {}", i, got, 2 * i + 1);
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

void say(const char* what, const std::string& text) { fmt::print("{:<12} {}\n", what, text); }

std::string first_line(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// The program's place on the PATH; empty: it is not there.
std::string on_path(const std::string& name) {
  const char* const path = krait::support::environment("PATH");
  std::istringstream places(path ? path : "");
  for (std::string place; std::getline(places, place, ':');)
    if (const std::string file = place + "/" + name; access(file.c_str(), X_OK) == 0) return file;
  return {};
}

/// False where kernels cannot be kept though they are meant to be.
bool cache_is_well() {
  krait::cache::Settings settings;
  try {
    settings = krait::cache::settings_from_environment();
  } catch (const krait::error& e) {
    say("cache", std::string("WRONG: ") + e.message());
    return false;
  }
  using krait::cache::Mode;
  if (settings.mode == Mode::Off || settings.mode == Mode::Memory) {
    say("cache", "in memory only (KRAIT_CACHE)");
    return true;
  }
  if (settings.folder.empty()) {
    say("cache", "WRONG: no folder is known: set HOME or KRAIT_CACHE_DIR");
    return false;
  }
  const krait::cache::Folder folder(settings.folder, krait::cache::Folder::Make::Yes);
  if (!folder) {
    say("cache", fmt::format("WRONG: {}: {}", settings.folder, folder.failure().text));
    return false;
  }
  struct stat info {};
  stat(settings.folder.c_str(), &info);
  const bool writable = access(settings.folder.c_str(), W_OK) == 0;
  std::uint64_t bytes = 0;
  const auto entries = folder.entries();
  for (const auto& f : entries) bytes += f.bytes;
  say("cache", fmt::format("{}: mode {:04o}, {} kernel{}, {:.1f} of {:.0f} MiB{}", settings.folder,
                           info.st_mode & 07777, entries.size(), entries.size() == 1 ? "" : "s",
                           double(bytes) / (1 << 20), double(settings.most_bytes) / (1 << 20),
                           writable ? "" : "; WRONG: you may not write to it"));
  return writable || settings.mode == Mode::ReadOnly;
}

void environment() {
  for (char** v = environ; *v; ++v)
    if (std::strncmp(*v, "KRAIT_", 6) == 0) say("environment", *v);
}

void tools() {
  struct Tool {
    const char *name, *use, *from;
  };
  constexpr Tool wanted[] = {
      {"ptxas", "registers and spills in krait dump", "NVIDIA's CUDA toolkit"},
      {"nvdisasm", "krait dump --emit sass", "NVIDIA's CUDA toolkit"},
      {"gdb", "lines of CPU kernels with KRAIT_DEBUG=1", "Debian: gdb"},
      {"perf", "names of CPU kernels with KRAIT_DEBUG=1", "Debian: linux-perf"}};
  for (const Tool& t : wanted) {
    const std::string place = on_path(t.name);
    say(t.name, place.empty() ? fmt::format("not found ({}); it is for {}", t.from, t.use) : place);
  }
}

}  // namespace

int doctor() {
  utsname host{};
  uname(&host);
  say("krait",
      fmt::format("{} on {} {} {}", KRAIT_VERSION, host.sysname, host.release, host.machine));
  environment();
  if (const std::string driver = first_line("/proc/driver/nvidia/version"); !driver.empty())
    say("driver", driver);
  bool well = cache_is_well();
  try {
    const krait::device standard;
    for (const krait::device& d : krait::devices()) {
      const std::string wrong = wrong_with(d);
      well = well && wrong.empty();
      say(d.id(), fmt::format("{}{}: {}", d.name(), d == standard ? " (default)" : "",
                              wrong.empty() ? "the self-test passes" : "WRONG: " + wrong));
    }
    // Each line says what is missing, and what to install.
    std::istringstream lines(std::string(krait::skipped_devices().data()));
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) say("not used", line);
  } catch (const krait::error& e) {
    say("devices", std::string("WRONG: ") + e.message());
    well = false;
  }
  tools();
  fmt::print("{}\n",
             well ? "Kernels run on all devices." : "Something is wrong: see the lines above.");
  return well ? 0 : 1;
}

}  // namespace tool
