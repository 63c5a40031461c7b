// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/raw_kernel.h"

#include <algorithm>
#include <memory>

#include <fmt/ranges.h>

#include "host/kernel_state.h"
#include "host/pack_kernels.h"
#include "krait/raw_kernel.h"
#include "support/error.h"

namespace krait::host {
namespace {

support::TargetKind target_of(raw_language language) {
  switch (language) {
    case raw_language::ptx: return support::TargetKind::Ptx;
    case raw_language::spirv: return support::TargetKind::Spirv;
    case raw_language::wgsl: return support::TargetKind::WebGpu;
    case raw_language::llvm_ir: return support::TargetKind::Cpu;
  }
  support::fail_usage("a raw kernel is in language {}, which is not in kr::raw_language",
                      int(language));
}

/// What a target takes; empty: nothing.
std::string_view language_of(support::TargetKind target) {
  switch (target) {
    case support::TargetKind::Cpu: return "LLVM IR";
    case support::TargetKind::Ptx: return "PTX";
    case support::TargetKind::Spirv: return "SPIR-V";
    case support::TargetKind::WebGpu: return "WGSL";
    case support::TargetKind::OpenCl:
    case support::TargetKind::Interpreter: break;
  }
  return {};
}

std::string languages_of(const RawKernel& kernel) {
  std::vector<std::string_view> all;
  for (const RawText& t : kernel.texts) all.push_back(language_of(t.target));
  return fmt::format("{}", fmt::join(all, " and "));
}

/// What compilers give as a string ends with a zero that may have been counted.
std::string_view without_end(std::string_view text, raw_language language) {
  if (language == raw_language::ptx || language == raw_language::wgsl)
    while (text.ends_with('\0')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string RawKernel::identity() const {
  std::string all;
  for (const RawText& t : texts)
    all += fmt::format("{} {} {} {}\n{}\n", language_of(t.target), t.entry.size(), t.text.size(),
                       t.entry, t.text);
  return all;
}

const RawText* raw_text_for(const Recorded& recorded, const support::Target& target) {
  if (!recorded.raw) return nullptr;
  const auto& texts = recorded.raw->texts;
  const auto at = std::find_if(texts.begin(), texts.end(),
                               [&](const RawText& t) { return t.target == target.kind; });
  if (at != texts.end()) return &*at;
  const std::string_view takes = language_of(target.kind), word = support::info(target.kind).word;
  if (takes.empty())
    support::fail_usage(
        "{} is given in {}, but the target {} does not take raw code: launch it on another device",
        recorded.what, languages_of(*recorded.raw), word);
  support::fail_usage(
      "{} is given in {}, but the target {} takes {}: give that, too, "
      "or launch it on another device",
      recorded.what, languages_of(*recorded.raw), word, takes);
}

}  // namespace krait::host

namespace krait::detail {

kernel_state* make_raw_kernel(const raw_text* texts, std::size_t count, const signature& as,
                              location where) {
  auto raw = std::make_shared<host::RawKernel>();
  if (count == 0) support::fail_usage("a raw kernel has no text");
  for (const raw_text& t : std::span(texts, count)) {
    const support::TargetKind target = host::target_of(t.with.language);
    const std::string_view language = host::language_of(target);
    if (!t.with.entry || !*t.with.entry)
      support::fail_usage(
          "a raw kernel in {} has no entry: name the kernel in its text, {{.entry = \"…\"}}",
          language);
    const std::string_view text = host::without_end(t.text, t.with.language);
    if (text.empty())
      support::fail_usage("raw kernel {}: its text in {} is empty", t.with.entry, language);
    for (const host::RawText& other : raw->texts)
      if (other.target == target)
        support::fail_usage("raw kernel {}: it has two texts in {}", t.with.entry, language);
    raw->texts.push_back({target, t.with.entry, std::string(text)});
  }
  options with;
  with.name = raw->texts.front().entry.c_str();
  std::unique_ptr<kernel_state> state(make_kernel_state(with, dims{0, 0, 0}, where));
  host::adopt(*state, std::move(raw), as);
  return state.release();
}

}  // namespace krait::detail
