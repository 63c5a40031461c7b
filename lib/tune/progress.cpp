// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "support/error.h"

namespace krait::detail {

struct progress_line {
  using Clock = std::chrono::steady_clock;

  std::string name;
  std::int64_t total, done = 0;
  double every;
  int to;
  bool terminal, silent;
  Clock::time_point begin = Clock::now(),
                    next = begin + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(every));
  std::size_t shown = 0;  // characters that the terminal has

  /// What a failing write would say is of no use to the loop.
  void show(Clock::time_point now) {
    const double took = std::chrono::duration<double>(now - begin).count();
    std::string text = name.empty() ? "" : name + ": ";
    if (total < 0) text += fmt::format("{}, {:.1f} s", done, took);
    else if (done >= total) text += fmt::format("{} of {}, {:.1f} s", done, total, took);
    else
      text +=
          fmt::format("{} of {}, {} %, {:.1f} s, {:.1f} s to go", done, total, 100 * done / total,
                      took, took * double(total - done) / double(std::max<std::int64_t>(done, 1)));
    const std::size_t length = text.size();
    if (terminal) text = "\r" + text + std::string(shown > length ? shown - length : 0, ' ');
    else text += '\n';
    shown = length;
    [[maybe_unused]] const auto written = write(to, text.data(), text.size());
  }
};

progress_line* begin_progress(std::int64_t total, const progress_options& with) {
  if (!(with.every >= 0))
    support::fail_usage("progress: the time between two texts must not be negative: {} s",
                        with.every);
  const bool terminal = isatty(with.to) == 1;
  return new progress_line{with.name ? with.name : "", total,   0,
                           std::min(with.every, 1e6),  with.to, terminal,
                           !terminal && !with.always};
}

void advance(progress_line* line, std::int64_t done) noexcept {
  line->done = done;
  if (line->silent) return;
  const auto now = progress_line::Clock::now();
  if (now < line->next) return;
  try {
    line->next = now + std::chrono::duration_cast<progress_line::Clock::duration>(
                           std::chrono::duration<double>(line->every));
    line->show(now);
  } catch (...) {  // out of memory: the loop goes on without its line
  }
}

void end_progress(progress_line* line) noexcept {
  if (line->shown > 0 && line->terminal) {
    try {
      line->show(progress_line::Clock::now());
      [[maybe_unused]] const auto written = write(line->to, "\n", 1);
    } catch (...) {
    }
  }
  delete line;
}

}  // namespace krait::detail
