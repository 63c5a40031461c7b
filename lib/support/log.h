// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log that KRAIT_LOG asks for: a line an event (docs/debugging.md#the-log). One load of an
// atomic where nobody asks. The library begins it; the code generator's copy stays silent.
#pragma once

#include <fmt/core.h>

#include <atomic>

namespace krait::support {

enum class LogLevel { Off, Error, Info, Debug };
extern constinit std::atomic<LogLevel> log_level;

/// Takes the value of KRAIT_LOG: a level, then `:FILE` where the lines are to go there. Gives what
/// is wrong with it, or nothing.
std::string begin_log(std::string_view wish);

inline bool logs(LogLevel level) noexcept {
  return log_level.load(std::memory_order_relaxed) >= level;
}
/// Writes a line, whatever the level. What cannot be written is left out.
void write_log(LogLevel level, fmt::string_view text, fmt::format_args args) noexcept;

template <class... Args>
void log_info(fmt::format_string<const Args&...> text, const Args&... args) noexcept {
  if (logs(LogLevel::Info)) write_log(LogLevel::Info, text, fmt::make_format_args(args...));
}
template <class... Args>
void log_debug(fmt::format_string<const Args&...> text, const Args&... args) noexcept {
  if (logs(LogLevel::Debug)) write_log(LogLevel::Debug, text, fmt::make_format_args(args...));
}

}  // namespace krait::support
