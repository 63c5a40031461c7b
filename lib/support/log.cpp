// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/log.h"
#include "support/file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <string>

namespace krait::support {
namespace {

constexpr std::string_view names[] = {"off", "error", "info", "debug"};
int file = STDERR_FILENO;
std::chrono::steady_clock::time_point start;

}  // namespace

constinit std::atomic<LogLevel> log_level{LogLevel::Off};

std::string begin_log(std::string_view wish) {
  const std::size_t colon = wish.find(':');
  const auto* const level =
      std::find(std::begin(names) + 1, std::end(names), wish.substr(0, colon));
  const std::string path(colon == wish.npos ? "" : wish.substr(colon + 1));
  if (level == std::end(names) || (colon != wish.npos && path.empty()))
    return fmt::format(
        "KRAIT_LOG={}: expected error, info or debug, followed by :FILE for a file: "
        "nothing is logged",
        wish);
  if (!path.empty()) {
    file = open_to_append(path, own_file, Only::NoLink);
    if (file < 0)
      return fmt::format("KRAIT_LOG={}: the file cannot be written: {}: nothing is logged", wish,
                         errno == ELOOP ? "it is a link" : std::strerror(errno));
  }
  start = std::chrono::steady_clock::now();
  log_level = LogLevel(level - std::begin(names));
  return {};
}

// One call of the system a line: lines of threads and of processes do not mix.
void write_log(LogLevel level, fmt::string_view text, fmt::format_args args) noexcept try {
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
  std::string line = fmt::format("krait: {}: {:.3f} ms: {}", names[std::size_t(level)],
                                 passed.count(), fmt::vformat(text, args));
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  [[maybe_unused]] const ssize_t ignored = write(file, line.data(), line.size());
} catch (...) {  // no memory
}

}  // namespace krait::support
