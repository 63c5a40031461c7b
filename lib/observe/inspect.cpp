// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "observe/dump.h"
#include "host/kernel_state.h"
#include "support/error.h"

namespace krait {

text::text(const char* data, std::size_t size) : data_(new char[size + 1]), size_(size) {
  std::char_traits<char>::copy(data_, data, size);
  data_[size] = 0;
}
text::~text() { delete[] data_; }

namespace detail {

text inspect(kernel_state* state, const char* stage, const char* target) {
  host::Specialisation* spec = state ? state->last.load(std::memory_order_acquire) : nullptr;
  if (!spec)
    support::fail_usage(
        "{} has not been recorded yet, so it has no {} to show: call or compile() it first",
        state ? host::describe(*state) : "this kernel object", stage);
  ir::Facts facts{true, true, true, true, spec->asks_for_block, spec->asks_for_block};
  facts.aligned_rows = spec->asks_for_rows;
  if (spec->recorded.raw) facts = {};
  const std::string out = host::stage_text(spec->recorded, facts, stage, target ? target : "");
  return text(out.data(), out.size());
}

text types_of(kernel_state* state) {
  if (!state) support::fail_usage("a moved-from element-wise function has no types");
  std::vector<std::string> lines;
  const auto type = [](const parameter_type& p) {
    return p.type == scalar::none ? fmt::format("bytes({})", p.elem_bytes)
                                  : std::string(ir::info(ir::Scalar(p.type)).name);
  };
  // The list has the latest first.
  for (const host::Specialisation* s = state->specialisations.load(std::memory_order_acquire); s;
       s = s->next) {
    const auto outputs = std::count_if(s->parameters.begin(), s->parameters.end(),
                                       [](const auto& p) { return p.writable; });
    const bool masked = !s->parameters.back().output;  // the mask is the last input
    const auto inputs = std::ptrdiff_t(s->parameters.size()) - outputs - masked;
    std::vector<std::string> from, to;
    std::transform(s->parameters.begin(), s->parameters.begin() + inputs, std::back_inserter(from),
                   type);
    std::transform(s->parameters.end() - outputs, s->parameters.end(), std::back_inserter(to),
                   type);
    lines.push_back(fmt::format("{} -> {}\n", fmt::join(from, ", "), fmt::join(to, ", ")));
  }
  std::string all;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (std::find(lines.rbegin(), line, *line) == line) all += *line;
  return {all.data(), all.size()};
}

attributes_type attributes_of(kernel_state* state) {
  host::Specialisation* spec = state ? state->last.load(std::memory_order_acquire) : nullptr;
  for (const host::DeviceCode* codes = spec ? spec->codes.load(std::memory_order_acquire) : nullptr;
       codes; codes = codes->next)
    for (unsigned which = 0; which < codes->variants.size(); ++which)
      if (const host::Compiled* c = codes->variants[which].load(std::memory_order_acquire)) {
        if (c->effort == host::Effort::Quick)
          c = &host::code_for(*state, *spec, *codes->device, host::facts_of(*codes, which),
                              host::Effort::Best);
        const runtime::Executable::Attributes a = c->code->attributes();
        return {a.registers, a.shared_bytes, a.local_bytes, a.max_threads,
                c->code->suggested_block(false)};
      }
  support::fail_usage(
      "{} has not been compiled yet, so it has no attributes: call or compile() it first",
      state ? host::describe(*state) : "this kernel object");
}

namespace {

/// Where the kernel's first operation stands, in brackets; a text need not tell it.
std::string place_of(const ir::Function& f) {
  for (const ir::Location& at : f.locations)
    if (at.line) return fmt::format(" ({}:{})", at.file, at.line);
  return "";
}

}  // namespace

text inspect_text(const char* kir, std::size_t size, const char* stage, const char* target) {
  ir::ParseResult parsed = ir::parse(std::string_view(kir, size));
  if (!parsed.error.empty()) throw error(error::kind_type::compile, parsed.error.c_str());
  if (const std::string broken = ir::verify(parsed.module); !broken.empty())
    throw error(error::kind_type::compile, broken.c_str());
  host::Recorded recorded;
  recorded.module = std::move(parsed.module);
  recorded.name = recorded.module.kernel().name,
  recorded.what = "kernel " + recorded.name + place_of(recorded.module.kernel());
  ir::Facts facts = recorded.module.kernel().facts;
  // A recording tells nothing of launches: hints are about the usual ones.
  if (std::string_view(stage) == "hints" && facts == ir::Facts{}) facts = {true, true, true, true};
  const std::string out = host::stage_text(recorded, facts, stage, target ? target : "");
  return text(out.data(), out.size());
}

}  // namespace detail
}  // namespace krait
