// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/opencl/discovery.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "runtime/opencl/device.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/places.h"

namespace krait::runtime::opencl {
namespace {

namespace fs = std::filesystem;

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// A file as it is now: drivers and lists of them that were replaced are asked again.
std::string stamp(const std::string& path) {
  struct stat s {};
  if (stat(path.c_str(), &s) != 0) return {};
  return fmt::format("{} {} {}.{}\n", path, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

/// All that decides which drivers the loader takes, and which devices they show.
std::string setup() {
  std::string all = stamp("/etc/ld.so.cache") + stamp("/dev/nvidiactl") + stamp("/dev/kfd");
  std::vector<std::string> parts;
  for (char** v = support::environment_of_children(); *v; ++v) {
    const std::string_view text = *v;
    for (const char* begin : {"OCL_", "OPENCL_", "POCL_", "CL_", "RUSTICL_", "LD_LIBRARY_PATH="})
      if (text.starts_with(begin) && !text.starts_with("POCL_CACHE_DIR=")) parts.emplace_back(text);
  }
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/dev/dri", failed))
    parts.push_back(entry.path());
  for (const Listed& driver : listed_drivers())
    parts.push_back(stamp(driver.list) + driver.library + " " + stamp(driver.library));
  for (const char* ours : {"krait_opencl_probe", "libkrait_translator.so"})
    for (const std::string& path : support::places_of(ours)) parts.push_back(stamp(path));
  std::sort(parts.begin(), parts.end());
  for (const std::string& part : parts) all += part + '\n';
  return all;
}

struct Child {
  bool started = false;
  std::string said, ended;  // ended: how, where not as it should
};

Child run(const std::string& program, std::chrono::milliseconds patience) {
  Child child;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return child;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  char* const arguments[] = {const_cast<char*>(program.c_str()), nullptr};
  posix_spawnattr_t takes_signals;  // whichever thread starts it
  posix_spawnattr_init(&takes_signals);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&takes_signals, &none);
  posix_spawnattr_setflags(&takes_signals, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  child.started = posix_spawn(&pid, program.c_str(), &actions, &takes_signals, arguments,
                              support::environment_of_children()) == 0;
  posix_spawnattr_destroy(&takes_signals);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  const auto until = std::chrono::steady_clock::now() + patience;
  for (char buffer[4096]; child.started;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                          until - std::chrono::steady_clock::now())
                          .count();
    pollfd ready{ends[0], POLLIN, 0};
    const int got = left > 0 ? poll(&ready, 1, int(left)) : 0;
    if (got < 0 && errno == EINTR) continue;
    const ssize_t bytes = got > 0 ? ::read(ends[0], buffer, sizeof buffer) : -1;
    if (bytes > 0) {
      child.said.append(buffer, std::size_t(bytes));
      continue;
    }
    if (got == 0)
      child.ended =
          fmt::format("did not answer within {} seconds", double(patience.count()) / 1000),
      kill(pid, SIGKILL);
    break;
  }
  close(ends[0]);
  int status = 0;
  while (child.started && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (child.ended.empty() && WIFSIGNALED(status))
    child.ended =
        fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else if (child.ended.empty())
    child.ended = fmt::format("ended with status {}", WEXITSTATUS(status));
  return child;
}

}  // namespace

std::vector<Listed> listed_drivers() {
  const char* const wanted = support::environment_text("OCL_ICD_VENDORS");
  const fs::path place = wanted ? wanted : "/etc/OpenCL/vendors";
  std::vector<Listed> all;
  const auto add = [&](const fs::path& list) {
    if (list.extension() != ".icd") return;
    std::ifstream in(list);
    std::string library;
    in >> library;
    if (!library.empty()) all.push_back({list, library});
  };
  std::error_code failed;
  if (fs::is_directory(place, failed))
    for (const auto& entry : fs::directory_iterator(place, failed)) add(entry.path());
  else if (place.extension() == ".icd") add(place);
  else all.push_back({"OCL_ICD_VENDORS", place});
  return all;
}

std::string write(const Gpu& g) {
  std::ostringstream out;
  support::Target target;
  target.kind = support::TargetKind::OpenCl, target.spirv.features = g.told;
  out << "device " << one_line(g.name) << "\nplatform " << one_line(g.platform_name) << "\nversion "
      << one_line(g.version) << "\nplace " << g.platform_number << ' ' << g.device_number
      << "\nnumbers " << g.takes_il << ' ' << g.rounds_correctly << ' ' << g.work_item_sizes[0]
      << ' ' << g.work_item_sizes[1] << ' ' << g.work_item_sizes[2] << ' ' << g.work_group_size
      << ' ' << g.memory << ' ' << g.largest_allocation << ' ' << g.local_memory << ' '
      << unsigned(g.memory_form) << ' ' << g.fine_grained << "\ntarget " << support::print(target)
      << '\n';
  return out.str();
}

Answer read(std::string_view text) {
  Answer a;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string word = line.substr(0, blank),
                      rest = line.substr(std::min(blank + 1, line.size()));
    std::istringstream numbers(rest);
    if (word == "device") a.gpus.emplace_back().name = rest;
    else if (word == "skipped") a.skipped.push_back(rest);
    else if (word == "asking") a.asking = rest;
    else if (word == "done") a.complete = true;
    if (a.gpus.empty()) continue;
    Gpu& g = a.gpus.back();
    if (word == "platform") g.platform_name = rest;
    else if (word == "version") g.version = rest;
    else if (word == "place") numbers >> g.platform_number >> g.device_number;
    else if (unsigned form = 0; word == "numbers")
      numbers >> g.takes_il >> g.rounds_correctly >> g.work_item_sizes[0] >> g.work_item_sizes[1] >>
          g.work_item_sizes[2] >> g.work_group_size >> g.memory >> g.largest_allocation >>
          g.local_memory >> form >> g.fine_grained,
          g.memory_form = Memory(std::min(form, 2u));
    else if (word == "target")
      if (const support::ParsedTarget parsed = support::parse_target(rest); parsed.error.empty())
        g.told = parsed.target.spirv.features, g.probed = true;
  }
  a.complete = a.complete &&
               std::all_of(a.gpus.begin(), a.gpus.end(), [](const Gpu& g) { return g.probed; });
  return a;
}

Answer ask_apart(support::Store* store, std::chrono::milliseconds patience) {
  Answer answer;
  if (std::string why; !Api::open(why)) {
    answer.skipped.push_back("opencl: " + why);
    return answer;
  }
  constexpr std::string_view key = "what OpenCL drivers say of their devices\n";
  const std::string now = setup();
  if (store)
    if (const auto kept = store->find(key, now)) answer = read(*kept);
  if (answer.complete) return answer;
  Child child;
  for (const std::string& path : support::places_of("krait_opencl_probe"))
    if (!child.started) child = run(path, patience);
  if (!child.started) return ask_here();
  answer = read(child.said);
  if (answer.complete) {
    if (store) store->keep("opencl", key, now, child.said);
    return answer;
  }
  Answer none;
  none.skipped.push_back(
      fmt::format("opencl: its drivers are not used, because a process that asked them {}{}{}; "
                  "the variable OCL_ICD_VENDORS tells the loader which drivers to load",
                  child.ended, answer.asking.empty() ? "" : " at ", answer.asking));
  return none;
}

}  // namespace krait::runtime::opencl

namespace krait::runtime {
namespace {

/// KRAIT_OPENCL_MEMORY: another form than the one that the device announces. Empty, or what is
/// wrong.
std::string choose_memory(opencl::Gpu& gpu) {
  using namespace opencl;
  const char* const wanted = support::environment_text("KRAIT_OPENCL_MEMORY");
  if (!wanted) return {};
  const auto at =
      std::find(std::begin(memory_words), std::end(memory_words), std::string_view(wanted));
  if (at == std::end(memory_words))
    return fmt::format("KRAIT_OPENCL_MEMORY={}: expected buffers, svm or system", wanted);
  const auto form = Memory(at - std::begin(memory_words));
  if (form != Memory::Buffers && gpu.memory_form == Memory::Buffers)
    return fmt::format(
        "KRAIT_OPENCL_MEMORY={}: it has no shared virtual memory (CL_DEVICE_SVM_CAPABILITIES)",
        wanted);
  gpu.memory_form = form;
  return {};
}

}  // namespace

Found opencl_devices(support::Store* store, bool apart) {
  using namespace opencl;
  Answer answer = apart ? ask_apart(store) : ask_here();
  Found found;
  found.skipped = std::move(answer.skipped);
  for (Gpu& gpu : answer.gpus) {
    gpu.store = store;
    if (const std::string wrong = choose_memory(gpu); !wrong.empty()) {
      found.skipped.push_back(
          fmt::format("opencl: {} ({}): {}", gpu.name, gpu.platform_name, wrong));
      continue;
    }
    const auto index = unsigned(found.devices.size());
    found.devices.push_back(std::make_unique<OpenClDevice>(std::move(gpu), index));
  }
  return found;
}

}  // namespace krait::runtime
