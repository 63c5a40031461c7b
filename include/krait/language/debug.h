// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages from kernels to the host: lines of text, and checks that fail. docs/debugging.md shows
// both.
#pragma once

#include <krait/detail/operators.h>

// C's printf accepts an object of any class, and prints the bytes that are in the place of a
// number. Undefined below.
#define KRAIT_REFUSED_PRINTF                                                                    \
  template <class... Args>                                                                      \
    requires(krait::detail::is_traced_v<Args> || ...)                                           \
  int printf(const char*, const Args&...) {                                                     \
    static_assert(krait::detail::always_false<void(Args...)>,                                   \
                  "krait: a traced value has no value while the kernel is recorded, so printf " \
                  "cannot print it: kr::print(\"{}\", v) prints it from the kernel's threads"); \
    return 0;                                                                                   \
  }
namespace std {  // beside C's: overload resolution leaves that to all other arguments
KRAIT_REFUSED_PRINTF
}

namespace krait {
namespace detail {

/// A text, with the place where it is written.
struct located_text {
  const char* text;
  location where;
  located_text(const char* t, location w = location::here()) noexcept
      : text(t), where(w) {}  // NOLINT: implicit on purpose
};

/// Gives each line to `call`, with `object`; `destroy` ends the object when another handler comes.
KRAIT_API void set_print_handler(void (*call)(void* object, const char* line), void* object,
                                 void (*destroy)(void* object));

// Without std:: it is found by its argument.
KRAIT_REFUSED_PRINTF

}  // namespace detail

/// Never usable: a traced value has no value yet.
template <class Stream, detail::traced Type>
  requires requires(Stream& to, const char* text, long size) { to.write(text, size).width(); }
Stream& operator<<(Stream& to, const Type&) {
  static_assert(
      detail::always_false<Type>,
      "krait: a traced value has no value while the kernel is recorded, so a stream cannot print "
      "it: kr::print(\"{}\", v) prints it from the kernel's threads");
  return to;
}

/// Prints one line per thread that reaches it, with values in a format of std::format or printf.
/// A thread's lines keep their order. They appear at the end of a launch on the CPU, and on a GPU
/// when the program next waits for the device or copies from it. Lines beyond 256 Ki words of
/// values are dropped and counted. A text that does not fit its values is an error{usage} when the
/// kernel is recorded. A final \n is not needed.
/// \code
/// kr::print("i={} x={:.3f}", i, x[i]);
/// \endcode
template <class... Args>
[[gnu::noinline, gnu::cold]] void print(detail::located_text text, const Args&... args) {
  const detail::node values[] = {node_of(detail::operand(args))..., detail::node{}};
  detail::report(detail::op::Print, text.text, values, sizeof...(Args), text.where);
}

/// Checks a condition in every thread; if it fails, the launch ends with error{usage}.
/// The message has the text and its values, the kernel, the block, the thread and this line. On the
/// CPU the call throws; on a GPU the next call that waits for the launch throws, or with
/// KRAIT_DEBUG=1 the call itself. The thread goes on; device and arrays stay usable.
/// \code
/// kr::check(x[i] > 0, "x={} at {}", x[i], i);
/// \endcode
template <class... Args>
[[gnu::noinline, gnu::cold]] void check(detail::operand condition, detail::located_text text,
                                        const Args&... args) {
  const detail::node values[] = {node_of(detail::operand(args))..., detail::node{}};
  detail::report_unless(node_of(condition), text.text, values, sizeof...(Args), text.where);
}
inline void check(detail::operand condition, detail::location where = detail::location::here()) {
  detail::report_unless(node_of(condition), "a check failed", nullptr, 0, where);
}

/// Sends the lines that kernels print to `handler(const char* line)`; nullptr means stdout.
/// Any thread that launches or waits may call it. Its exception becomes an error of the launch that
/// printed the line.
/// \code
/// kr::on_print([](const char* line) { std::fputs(line, stderr); });
/// \endcode
template <class Handler>
void on_print(Handler handler) {
  detail::set_print_handler(
      [](void* object, const char* line) { (*static_cast<Handler*>(object))(line); },
      new Handler(static_cast<Handler&&>(handler)),
      [](void* object) { delete static_cast<Handler*>(object); });
}
inline void on_print(std::nullptr_t) { detail::set_print_handler(nullptr, nullptr, nullptr); }

}  // namespace krait
#undef KRAIT_REFUSED_PRINTF
