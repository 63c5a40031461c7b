// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/pack.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <set>

#include <fmt/ranges.h>

#include "cache/entry.h"
#include "devices/devices.h"
#include "host/facts_text.h"
#include "host/kernel_state.h"
#include "host/lines.h"
#include "host/plugin.h"
#include "ir/text/text.h"
#include "support/error.h"
#include "support/file.h"
#include "support/fit.h"
#include "support/blobs/spirv.h"

namespace krait::host {
namespace {

// The first line of an entry's key: what it is.
constexpr std::string_view pack_word = "pack ", kernel_word = "kernel ", table_word = "table ",
                           code_word = "code for ", facts_word = "\nfacts";
constexpr unsigned pack_version = 2;

/// "1", "2", …; nothing for a text that is no number below 2^32.
std::optional<unsigned> number(std::string_view text) {
  unsigned n = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), n);
  return wrong == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(n)
             : std::nullopt;
}

/// What stands behind a word at the start of a text.
std::optional<std::string_view> behind(std::string_view text, std::string_view word) {
  return text.starts_with(word) ? std::optional(text.substr(word.size())) : std::nullopt;
}

/// What a kernel's code is made for, beside its target: calls that own their arrays, in blocks of
/// whole rows where that matters; calls on one array twice or on part of one; and any call. A
/// launch takes the best of which its facts hold.
std::vector<ir::Facts> variants(const Recorded& recorded, const support::TargetInfo& target) {
  const ir::Facts own{true, target.aligned, true, true}, overlapping{true, false, true, false};
  std::vector<ir::Facts> all = {own, overlapping, ir::Facts{}};
  if (target.blocks && asks_for_block(recorded.module)) {
    ir::Facts rows = own;
    rows.whole_rows = rows.one_row = true;
    all.insert(all.begin(), rows);
  }
  // Of tables of any width, and of those whose rows are multiples of 16 bytes.
  if (target.aligned && asks_for_rows(recorded.module)) {
    std::vector<ir::Facts> aligned;
    for (ir::Facts each : all)
      if (each.aligned) each.aligned_rows = true, aligned.push_back(each);
    all.insert(all.begin(), aligned.begin(), aligned.end());
  }
  return all;
}

/// Code that uses no warps runs whatever the size of those of a device is.
support::Target needed_target(const support::Target& target, const std::string& code,
                              const Recorded& recorded) {
  support::Target needed = target;
  if (target.kind != support::TargetKind::Spirv) return needed;
  support::SpirvCode own;
  const support::Envelope e =
      support::open_or_fail(std::as_bytes(std::span(code)), target.kind, recorded.name);
  if (e.get_own(own) && !own.uses_warp) needed.spirv.subgroup = 0;
  return needed;
}

void append_kernel(std::string& out, const Recorded& recorded,
                   const std::vector<support::Target>& targets) {
  const std::string& name = recorded.module.kernel().name;
  out += cache::encode({name,
                        std::string(kernel_word) + recorded.where,
                        ir::print(with_lines(recorded), {.names = true, .locations = true}),
                        {}});
  for (const trace::Table& t : recorded.tables) {
    const std::string key = fmt::format("{}{} {}", table_word, t.elem_bytes, t.count());
    out += cache::encode(
        {name, key, {}, {reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size()}});
  }
  for (const support::Target& target : targets)
    for (const ir::Facts& facts : variants(recorded, support::info(target.kind))) {
      const std::string text =
          ir::print(lower(recorded, facts, target), {.names = true, .locations = true});
      const std::string code = generate(text, target, "binary", recorded.what).bytes;
      const std::string made_for = support::print(needed_target(target, code, recorded));
      out +=
          cache::encode({name,
                         fmt::format("{}{}{}{}", code_word, made_for, facts_word, text_of(facts)),
                         {},
                         code});
    }
}

}  // namespace

// ---- making -------------------------------------------------------------------------------------

std::vector<support::Target> read_targets(std::string_view list) {
  std::vector<support::Target> all;
  while (!list.empty()) {
    std::string_view one = list.substr(0, list.find(';'));
    list.remove_prefix(std::min(one.size() + 1, list.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one.empty()) continue;
    support::Target target = read_target(std::string(one));
    if (target.kind == support::TargetKind::Interpreter ||
        target.kind == support::TargetKind::WebGpu)
      support::fail_usage(
          "a pack has no code for \"{}\": name targets of CPUs, CUDA, Vulkan and OpenCL", one);
    if (one == "vulkan" || one == "opencl") target = support::for_all_drivers(target);
    all.push_back(std::move(target));
  }
  return all;
}

std::string make_pack(const std::vector<const Recorded*>& kernels,
                      const std::vector<support::Target>& targets) {
  std::string entries;
  std::set<std::string> names;
  for (const Recorded* recorded : kernels) {
    if (!names.insert(recorded->module.kernel().name).second)
      support::fail_usage(
          "two kernels of one pack are named \"{}\": give them different names, {{.name = \"…\"}}",
          recorded->module.kernel().name);
    append_kernel(entries, *recorded, targets);
  }
  return cache::encode({"", fmt::format("{}{}", pack_word, pack_version), {}, entries});
}

void write_pack(const std::string& file, std::string_view bytes) {
  // builds may write one pack side by side
  if (!support::write_file(file, {bytes}, support::shared_file))
    support::fail_usage("the pack {} cannot be written: {}", file, std::strerror(errno));
}

// ---- reading ------------------------------------------------------------------------------------

const PackedCode* PackedKernel::find(const support::Target& device, const ir::Facts& facts) const {
  const PackedCode* best = nullptr;
  for (const PackedCode& c : codes) {
    if (!holds(c.facts, facts) || !support::runs(c.target, device)) continue;
    if (!best || support::is_better(c.target, best->target) ||
        (!support::is_better(best->target, c.target) && count_of(c.facts) > count_of(best->facts)))
      best = &c;
  }
  return best;
}

std::string PackedKernel::targets() const {
  std::vector<std::string> all;
  for (const PackedCode& c : codes)
    if (std::string text = '"' + support::print(c.target) + '"';
        std::find(all.begin(), all.end(), text) == all.end())
      all.push_back(std::move(text));
  return all.empty() ? "no target" : fmt::format("{}", fmt::join(all, ", "));
}

std::string PackedKernel::signature() const {
  std::vector<std::string> all;
  const ir::Function& f = module.kernel();
  for (const ir::ValueId p : f.given_params()) all.push_back(ir::text_of(f.type_of(p)));
  return fmt::format("({})", fmt::join(all, ", "));
}

std::shared_ptr<const Pack> Pack::read(const std::string& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"),
                                                           std::fclose);
  std::string bytes;
  bool read = in != nullptr;
  // What is no pack may have no end.
  for (std::size_t some = 1;
       read && some > 0 && (bytes.empty() || bytes.starts_with(cache::format_start));) {
    constexpr std::size_t piece = 1 << 16;
    const std::size_t before = bytes.size();
    bytes.resize(before + piece);
    some = std::fread(bytes.data() + before, 1, piece, in.get());
    bytes.resize(before + some);
    read = !std::ferror(in.get());
  }
  if (!read) support::fail_usage("the pack {} cannot be read: {}", file, std::strerror(errno));
  return parse(std::move(bytes), file);
}

std::shared_ptr<const Pack> Pack::parse(std::string bytes, const std::string& file) {
  auto pack = std::make_shared<Pack>();
  pack->bytes_ = std::move(bytes), pack->file_ = file;
  const std::string_view all = pack->bytes_;
  const auto version = behind(all, cache::format_start);
  if (!version)
    support::fail_usage("{} is not a pack of kernels: it does not begin with {}", file,
                        cache::format_start);
  constexpr unsigned char last_ascii = 127;
  if (!version->empty() && version->front() != cache::format_version)
    support::fail_usage(
        "{} is in format {}, or damaged; this Krait reads format {}: "
        "use the Krait that made it, or make the pack again",
        file,
        static_cast<unsigned char>(version->front()) <= last_ascii && version->front() > ' '
            ? version->substr(0, 1)
            : "?",
        cache::format_version);
  cache::Entry e;
  if (const char* wrong = cache::decode(all, e)) pack->damaged(wrong);
  const auto told = behind(e.key, pack_word);
  const auto made_by = told ? number(*told) : std::nullopt;
  if (!made_by)
    support::fail_usage("{} is an entry of the cache, not a pack of kernels (krait cache show)",
                        file);
  if (*made_by != pack_version)
    support::fail_usage(
        "{} is a pack of version {}; this Krait reads version {}: "
        "use the Krait that made it, or make the pack again",
        file, *made_by, pack_version);
  pack->hash_ = cache::content_hash(all);
  for (std::string_view rest = e.payload; !rest.empty();) {
    const std::uint64_t size = cache::entry_bytes(rest);
    if (size == 0)
      pack->damaged(fmt::format("{} bytes after its {} kernels are not an entry", rest.size(),
                                pack->kernels_.size()));
    pack->add(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  for (const PackedKernel& k : pack->kernels_) pack->check_tables(k);
  return pack;
}

void Pack::check_tables(const PackedKernel& k) const {
  const ir::Function& f = k.module.kernel();
  for (std::size_t i = 0; i < f.hidden.size(); ++i) {
    const support::Hidden& h = f.hidden[i];
    if (h.kind != support::HiddenKind::Table || h.index >= k.tables.size())
      damaged(fmt::format("kernel {} reads {}, which is missing", k.name, support::text_of(h)));
    // The kernel's own elements: how many a table has is its bytes by those of an element.
    const ir::Type& type = f.type_of(f.params()[f.given_params().size() + i]);
    if (k.tables[h.index].elem_bytes != type.elem_bytes)
      damaged(fmt::format("kernel {} reads {} by elements of {} bytes, but its elements have {}",
                          k.name, support::text_of(h), type.elem_bytes,
                          k.tables[h.index].elem_bytes));
  }
}

void Pack::damaged(std::string_view what) const {
  support::fail_usage("the pack {} is damaged: {}: copy it again, or make the pack again", file_,
                      what);
}

void Pack::add(std::string_view entry_bytes) {
  cache::Entry e;
  if (const char* wrong = cache::decode(entry_bytes, e)) damaged(wrong);
  if (const auto where = behind(e.key, kernel_word)) {
    ir::ParseResult parsed = ir::parse(e.source);
    if (parsed.error.empty()) parsed.error = ir::verify(parsed.module);
    if (!parsed.error.empty()) damaged(fmt::format("kernel {}: {}", e.name, parsed.error));
    const std::size_t colon = std::min(where->rfind(':'), where->size());
    const unsigned line = number(where->substr(std::min(colon + 1, where->size()))).value_or(0);
    kernels_.push_back({std::string(e.name),
                        file_,
                        std::string(where->substr(0, colon)),
                        line,
                        hash_,
                        std::move(parsed.module),
                        {},
                        {}});
    return;
  }
  if (kernels_.empty() || kernels_.back().name != e.name)
    damaged(fmt::format("the data of kernel {} do not follow it", e.name));
  PackedKernel& kernel = kernels_.back();
  if (const auto size = behind(e.key, table_word)) {
    const std::size_t blank = std::min(size->find(' '), size->size());
    const auto elem_bytes = number(size->substr(0, blank)),
               count = number(size->substr(std::min(blank + 1, size->size())));
    // The kernel was recorded for so many: it may read each of them without a look at the table's
    // size.
    if (!elem_bytes || *elem_bytes == 0 || !count ||
        std::uint64_t(*elem_bytes) * *count != e.payload.size())
      damaged(
          fmt::format("kernel {}: a table of {} bytes is described as \"{}\", "
                      "which should be bytes per element and number of elements",
                      e.name, e.payload.size(), *size));
    const auto* const first = reinterpret_cast<const std::byte*>(e.payload.data());
    kernel.tables.push_back({{first, first + e.payload.size()}, *elem_bytes});
    return;
  }
  const auto made_for = behind(e.key, code_word);
  const std::size_t split = made_for ? made_for->find(facts_word) : std::string_view::npos;
  if (split == std::string_view::npos)
    damaged(fmt::format("kernel {}: an entry of unknown kind", e.name));
  const support::ParsedTarget target = support::parse_target(made_for->substr(0, split));
  const std::optional<ir::Facts> facts = read_facts(made_for->substr(split + facts_word.size()));
  // What is new in targets and facts is for newer libraries.
  if (target.error.empty() && facts) kernel.codes.push_back({target.target, *facts, e.payload});
}

}  // namespace krait::host
