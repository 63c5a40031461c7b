// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one copy of libfmt's algorithms. Its header-only form compiles them in each file that formats
// a text, about nine seconds a file, and Debian's library is shared, which a library in other
// people's processes should not need.
#include <fmt/format-inl.h>

#include "support/error.h"
#include "support/log.h"

FMT_BEGIN_NAMESPACE
namespace detail {
template auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template auto locale_ref::get<std::locale>() const -> std::locale;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>,
                         locale_ref);
}  // namespace detail
FMT_END_NAMESPACE

namespace krait::support {

std::atomic<CallerLine (*)() noexcept> find_caller = nullptr;

void fail_formatted(error::kind_type kind, fmt::string_view text, fmt::format_args args) {
  const std::string message = fmt::vformat(text, args);
  // The user's mistakes are the program's to tell; what else goes wrong may be caught on the way.
  if (kind != error::kind_type::usage && logs(LogLevel::Error))
    write_log(LogLevel::Error, "{}", fmt::make_format_args(message));
  CallerLine caller;
  if (const auto find = find_caller.load(); find && kind == error::kind_type::usage)
    caller = find();
  throw error(kind, message.c_str(), caller.file.c_str(), caller.line);
}

}  // namespace krait::support
