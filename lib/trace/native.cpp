// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions for which the program gives instructions of PTX.
#include <algorithm>
#include <cctype>
#include <mutex>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "ir/walk.h"
#include "krait/native.h"
#include "support/error.h"
#include "trace/recorder.h"

namespace krait::trace {
namespace {

using ir::Scalar;

/// The first operand that the instructions name and the function has not: its number, or -1.
long unknown_operand(std::string_view text, std::size_t arguments, bool result) {
  for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    std::size_t end = at + 1;
    long number = 0;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) &&
           number < 1000)
      number = 10 * number + (text[end++] - '0');
    if (end > at + 1 && (number > long(arguments) || (number == 0 && !result))) return number;
  }
  return -1;
}

bool fits_register(const ir::Type& t) {
  return t.is_value() && t.scalar != Scalar::Bool && ir::size_of(t.scalar) > 1;
}

/// Empty, or why instructions cannot stand for calls of the function.
std::string misfit(const CalledFunction& called, const ir::Function& f, const char* instructions) {
  const auto params = f.params();
  const bool given =
      std::none_of(called.assigned.begin(), called.assigned.end(), [](bool b) { return b; }) &&
      f.results.size() <= 1 &&
      std::all_of(params.begin(), params.end(),
                  [&](ir::ValueId v) { return fits_register(f.type_of(v)); }) &&
      std::all_of(f.results.begin(), f.results.end(),
                  [](Scalar s) { return fits_register(ir::value_type(s)); });
  if (!given)
    return fmt::format(
        "function {} has instructions of PTX: these take numbers of 16, "
        "32 or 64 bits by value, and return at most one",
        f.name);
  const auto tells = [](const ir::Inst& i) {
    return ir::info(i.op).family == ir::Family::Report || i.op == ir::Op::Shared ||
           i.op == ir::Op::Local;
  };
  if (ir::any_inst(f, tells))
    return fmt::format(
        "function {} has instructions of PTX: its body for other devices must not print, "
        "check, or have arrays",
        f.name);
  if (const long n = unknown_operand(instructions, params.size(), !f.results.empty()); n >= 0)
    return fmt::format(
        "${} in the instructions of function {} has no meaning: "
        "$0 is the result, if there is one, and the arguments are $1 to ${}",
        n, f.name, params.size());
  return {};
}

/// The same text for ever.
const char* kept(std::string text) {
  static auto* const texts = new std::set<std::string>;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  return texts->insert(std::move(text)).first->c_str();
}

/// Whether the text has `.func … name`.
bool has_function(std::string_view text, std::string_view name) {
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
  };
  for (std::size_t at = text.find(".func"); at != text.npos; at = text.find(".func", at + 1)) {
    std::size_t place = at + 5;
    const auto blanks = [&] {
      while (place < text.size() && std::isspace(static_cast<unsigned char>(text[place]))) ++place;
    };
    blanks();
    if (place < text.size() && text[place] == '(')
      place = std::min(text.find(')', place), text.size() - 1) + 1, blanks();
    if (text.substr(place, name.size()) == name &&
        (place + name.size() >= text.size() || !in_name(text[place + name.size()])))
      return true;
  }
  return false;
}

}  // namespace
}  // namespace krait::trace

namespace krait::detail {

void use_ptx(std::uint64_t object, const char* instructions, const char* functions,
             location where) {
  trace::Recorder& r = trace::recorder();
  for (const auto& called : r.functions.called()) {
    ir::Function& f = r.functions.at(called->index);
    if (called->key.object != object || !f.native.instructions.empty()) continue;
    if (const std::string wrong = trace::misfit(*called, f, instructions); !wrong.empty())
      return r.found.misuse(wrong, where);
    f.native = {instructions, functions ? functions : ""};
  }
}

const char* kept_text(const char* text) { return trace::kept(text); }

const char* call_of_ptx(const char* function, const char* text, scalar result,
                        const scalar* arguments, unsigned count) {
  if (!trace::has_function(text, function))
    support::fail_usage(
        "the linked PTX has no function {}: a device function begins with .func, "
        "and C++ names are kept by extern \"C\"",
        function);
  const auto bits = [](scalar s) { return 8 * ir::size_of(ir::Scalar(s)); };
  std::string code, names;
  for (unsigned i = 1; i <= count; ++i) {
    code += fmt::format(".param .b{0} given{1}; st.param.b{0} [given{1}], ${1};\n\t",
                        bits(arguments[i - 1]), i);
    names += fmt::format("{}given{}", i > 1 ? ", " : "", i);
  }
  const bool gives = result != scalar::none;
  if (gives) code += fmt::format(".param .b{} taken;\n\t", bits(result));
  code += fmt::format("call.uni {}{}, ({});", gives ? "(taken), " : "", function, names);
  if (gives) code += fmt::format("\n\tld.param.b{} $0, [taken];", bits(result));
  return trace::kept(std::move(code));
}

}  // namespace krait::detail
