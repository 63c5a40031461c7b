// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of targets, and the text of a target: parsed and printed here alone.
#include "support/target.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "support/idioms.h"

namespace krait::support {
namespace {

constexpr TargetInfo kinds[] = {
#define TARGET(Name, word, warp, most_lanes, aligned, blocks, tiers, stages, usual) \
  {#word, warp, most_lanes, aligned, blocks, tiers, stages, usual},
#include "support/targets.def"
};

struct FeatureInfo {
  std::string_view word;
  bool common;
};
constexpr FeatureInfo features[] = {
#define FEATURE(Name, word, common, meaning) {#word, common},
#include "support/features.def"
};
static_assert(std::size(features) <= 64, "FeatureSet has 64 bits");

struct Sm {
  unsigned number, isa, specific;
};
constexpr Sm sms[] = {
#define SM(number, isa, specific) {number, isa, specific},
#define ISA(number, cuda)
#include "support/ptx.def"
};
struct Isa {
  unsigned number, cuda;
};
constexpr Isa isas[] = {
#define SM(number, isa, specific)
#define ISA(number, cuda) {number, cuda},
#include "support/ptx.def"
};

/// Where none is asked for: of CUDA 12.0, unless the device is newer.
constexpr unsigned usual_isa = 80;

const Sm* find_sm(unsigned number) {
  const auto* found =
      std::find_if(std::begin(sms), std::end(sms), [&](const Sm& s) { return s.number == number; });
  return found == std::end(sms) ? nullptr : found;
}

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// "a, b, c".
template <class Range, class Text>
std::string list(const Range& range, Text&& text) {
  std::string out;
  for (const auto& item : range) out += (out.empty() ? "" : ", ") + std::string(text(item));
  return out;
}

std::string known_sms() {
  return list(sms, [](const Sm& s) {
    return s.specific ? fmt::format("{0}, {0}a", s.number) : fmt::format("{}", s.number);
  });
}

/// Words of a text, one after the other.
class Words {
 public:
  Words(std::string_view text, char separator) : rest_(text), separator_(separator) {}
  /// Empty at the end.
  std::string_view next() {
    while (!rest_.empty() && rest_.front() == separator_) rest_.remove_prefix(1);
    const std::string_view word = rest_.substr(0, rest_.find(separator_));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  std::string_view rest_;
  char separator_;
};

/// Reads the words behind a target's kind. The first word that is not understood is kept, with what
/// was expected.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), words_(text, ' ') {}

  ParsedTarget run() {
    const std::string_view first = words_.next(), second = words_.next();
    if (first.starts_with("sm_") && second.empty()) short_ptx(first);
    else if ((first == "vulkan" || first == info(TargetKind::Spirv).word) && second.empty())
      short_spirv();
    else if ((first == "opencl" || first == info(TargetKind::OpenCl).word) && second.empty())
      short_opencl();
    else if (first.starts_with("x86-64-v") && second.empty()) short_cpu(first);
    else if (first == "webgpu" && second.empty()) target_.kind = TargetKind::WebGpu;
    else if (const auto kind = kind_of(first)) whole(*kind, second);
    else
      wrong_ = fmt::format(
          "unknown target \"{}\": expected sm_75 … sm_121, cpu, x86-64-v2 … x86-64-v4, "
          "vulkan, opencl, webgpu, or a full target string as printed by `krait devices`",
          text_);
    return {std::move(target_), std::move(wrong_)};
  }

 private:
  static std::optional<TargetKind> kind_of(std::string_view word) {
    for (std::size_t k = 0; k < std::size(kinds); ++k)
      if (kinds[k].word == word) return TargetKind(k);
    return {};
  }

  void short_ptx(std::string_view word) {
    target_.kind = TargetKind::Ptx;
    sm(word, word.substr(3));
    finish();
  }
  /// A level that processors of the last years have, whoever made them.
  void short_cpu(std::string_view word) {
    static constexpr std::pair<std::string_view, unsigned> levels[] = {
        {"x86-64-v2", 4}, {"x86-64-v3", 8}, {"x86-64-v4", 16}};
    const auto* const known = std::find_if(std::begin(levels), std::end(levels),
                                           [&](const auto& l) { return l.first == word; });
    if (known == std::end(levels)) return expected(word, "x86-64-v2, x86-64-v3 or x86-64-v4");
    target_.cpu.cpu = target_.cpu.tune = known->first, target_.cpu.lanes = known->second;
  }
  void short_spirv() {
    target_.kind = TargetKind::Spirv;
    target_.spirv.features = common_features();
    target_.spirv.subgroup = 32;
  }
  void short_opencl() {
    target_.kind = TargetKind::OpenCl;
    using enum Feature;
    for (const Feature f : {I64, F64, I16, I8, Fma32, Div32, Sqrt32, Fma64, Div64, Sqrt64, Whole64})
      target_.spirv.features.set(f);
  }

  void whole(TargetKind kind, std::string_view word) {
    target_.kind = kind;
    if (kind == TargetKind::Cpu) {
      if (word != "x86-64") return expected(word, "x86-64 after cpu");
      word = words_.next();
    }
    for (; !word.empty() && wrong_.empty(); word = words_.next()) option(word);
    if (kind == TargetKind::Ptx && !saw("sm") && wrong_.empty())
      return wrong("expected sm= after ptx");
    finish();
  }

  void option(std::string_view word) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals),
                           value = word.substr(std::min(equals + 1, word.size()));
    if (saw(name)) return wrong("\"{}\": {}= is given twice", word, name);
    seen_.push_back(name);
    switch (target_.kind) {
      case TargetKind::Interpreter: return expected(word, "nothing more");
      case TargetKind::Cpu: return cpu(word, name, value);
      case TargetKind::Ptx: return ptx(word, name, value);
      case TargetKind::Spirv: return spirv(word, name, value);
      case TargetKind::OpenCl:
        return name == "features" ? listed(value, target_.spirv.features)
                                  : expected(word, "features=");
      case TargetKind::WebGpu: return webgpu(word, name, value);
    }
  }

  void cpu(std::string_view word, std::string_view name, std::string_view value) {
    CpuTarget& t = target_.cpu;
    if (name == "lanes") one_of(word, value, {1, 2, 4, 8, 16, 32, 64}, t.lanes);
    else if (name == "parts") one_of(word, value, {1, 2, 4, 8}, t.parts);
    else if (name == "cpu" && !value.empty()) t.cpu = value;
    else if (name == "tune" && !value.empty()) t.tune = value;
    else if (name == "features") added(word, value);
    else if (name == "effort" && (value == "quick" || value == "best")) t.quick = value == "quick";
    else if (name == "effort") expected(word, "quick or best");
    else if (name == "debug" && (value == "on" || value == "off")) t.debug = value == "on";
    else if (name == "debug") expected(word, "on or off");
    else expected(word, "lanes=, parts=, cpu=, tune=, features=, effort= or debug=, with a value");
  }
  void added(std::string_view word, std::string_view value) {
    Words parts(value, ',');
    for (std::string_view part = parts.next(); !part.empty(); part = parts.next())
      if (part.front() != '+' && (part.front() != '-' || !idiom_of(part.substr(1))))
        return wrong("\"{}\": features of the processor can only be added: expected +…, not \"{}\"",
                     word, part);
    target_.cpu.features = value;
  }

  void ptx(std::string_view word, std::string_view name, std::string_view value) {
    if (name == "sm") return sm(word, value);
    if (name != "isa") return expected(word, "sm= or isa=");
    const auto isa = number(value);
    for (const Isa& known : isas)
      if (isa == known.number) return void(target_.ptx.isa = *isa);
    expected(word, "a PTX version: one of " +
                       list(isas, [](const Isa& i) { return fmt::format("{}", i.number); }));
  }
  void sm(std::string_view word, std::string_view value) {
    const bool specific = value.ends_with('a');
    const auto capability = number(value.substr(0, value.size() - specific));
    const Sm* const known = capability ? find_sm(*capability) : nullptr;
    if (!known || (specific && !known->specific))
      return expected(word, "a compute capability: one of " + known_sms());
    target_.ptx.sm = known->number, target_.ptx.specific = specific;
  }

  void spirv(std::string_view word, std::string_view name, std::string_view value) {
    if (name == "features") return listed(value, target_.spirv.features);
    if (name == "subgroup") return up_to(128, word, value, target_.spirv.subgroup);
    if (name == "push") return up_to(65'536, word, value, target_.spirv.push);
    expected(word, "features=, subgroup= or push=");
  }
  void webgpu(std::string_view word, std::string_view name, std::string_view value) {
    WebGpuTarget& t = target_.web;
    if (name == "features") return listed(value, t.features);
    if (name == "subgroup") return up_to(128, word, value, t.subgroup);
    if (name == "buffers") return up_to(64, word, value, t.buffers);
    if (name == "shared") return up_to(1 << 20, word, value, t.shared);
    if (name == "threads") return up_to(1024, word, value, t.threads);
    if (name == "f64" && value == "double-single") return void(t.doubles = true);
    expected(word, "features=, subgroup=, buffers=, shared=, threads= or f64=double-single");
  }
  void listed(std::string_view value, FeatureSet& to) {
    Words parts(value, ',');
    for (std::string_view part = parts.next(); !part.empty(); part = parts.next()) {
      const auto* found = std::find_if(std::begin(features), std::end(features),
                                       [&](const FeatureInfo& f) { return f.word == part; });
      if (found == std::end(features))
        return expected(
            part, "features of " + list(features, [](const FeatureInfo& f) { return f.word; }));
      to.set(Feature(found - features));
    }
  }

  void one_of(std::string_view word, std::string_view value, std::initializer_list<unsigned> known,
              unsigned& to) {
    const auto n = number(value);
    if (!n || std::find(known.begin(), known.end(), *n) == known.end())
      return expected(word,
                      "one of " + list(known, [](unsigned k) { return fmt::format("{}", k); }));
    to = *n;
  }
  void up_to(unsigned most, std::string_view word, std::string_view value, unsigned& to) {
    const auto n = number(value);
    if (!n || *n > most) return expected(word, fmt::format("a number up to {}", most));
    to = *n;
  }

  bool saw(std::string_view name) const {
    return std::find(seen_.begin(), seen_.end(), name) != seen_.end();
  }
  /// What follows from other words.
  void finish() {
    if (!wrong_.empty()) return;
    if (target_.kind == TargetKind::Cpu && !saw("tune")) target_.cpu.tune = target_.cpu.cpu;
    if (target_.kind != TargetKind::Ptx) return;
    PtxTarget& t = target_.ptx;
    const unsigned needed = isa_needed(t.sm, t.specific);
    if (!saw("isa")) t.isa = std::max(usual_isa, needed);
    else if (t.specific && t.isa < needed)
      expected(fmt::format("isa={}", t.isa),
               fmt::format("{} or later, which {} needs", needed, t.name()));
  }

  void expected(std::string_view word, std::string_view what) {
    word.empty() ? wrong("expected {}", what) : wrong("\"{}\": expected {}", word, what);
  }
  template <class... Args>
  void wrong(fmt::format_string<Args...> text, Args&&... args) {
    wrong_ =
        fmt::format("target \"{}\": {}", text_, fmt::format(text, std::forward<Args>(args)...));
  }

  std::string_view text_;
  Words words_;
  std::vector<std::string_view> seen_;  // names of options
  Target target_;
  std::string wrong_;
};

std::string print(const FeatureSet& set) {
  std::string out;
  for (std::size_t f = 0; f < std::size(features); ++f)
    if (set.has(Feature(f))) out.append(out.empty() ? "" : ",").append(features[f].word);
  return out;
}

}  // namespace

const TargetInfo& info(TargetKind kind) { return kinds[unsigned(kind)]; }
std::span<const TargetInfo> all_targets() { return kinds; }
std::string_view word_of(Feature feature) { return features[unsigned(feature)].word; }

FeatureSet common_features() {
  FeatureSet set;
  for (std::size_t f = 0; f < std::size(features); ++f) set.set(Feature(f), features[f].common);
  return set;
}

bool CpuTarget::adds(std::string_view feature) const {
  Words words(features, ',');
  for (std::string_view word = words.next(); !word.empty(); word = words.next())
    if (word == feature) return true;
  return false;
}

bool CpuTarget::has_tile_registers() const {
  return level() == CpuLevel::Avx512 && adds("+amx-tile") && adds("+amx-int8") &&
         adds("+amx-bf16") && !adds("-tile_registers");
}

CpuLevel CpuTarget::level() const {
  if (cpu == "x86-64-v4" || adds("+avx512vl")) return CpuLevel::Avx512;
  return cpu == "x86-64-v3" || adds("+avx2") ? CpuLevel::Avx2 : CpuLevel::Sse42;
}

std::string PtxTarget::name() const { return fmt::format("sm_{}{}", sm, specific ? "a" : ""); }

std::string print(const Target& target) {
  const std::string_view word = info(target.kind).word;
  switch (target.kind) {
    case TargetKind::Interpreter: return std::string(word);
    case TargetKind::Cpu: {
      const CpuTarget& t = target.cpu;
      return fmt::format("{} x86-64 lanes={}{} cpu={} tune={}{}{}{}{}", word, t.lanes,
                         t.parts ? fmt::format(" parts={}", t.parts) : "", t.cpu, t.tune,
                         t.features.empty() ? "" : " features=", t.features,
                         t.quick ? " effort=quick" : "", t.debug ? " debug=on" : "");
    }
    case TargetKind::Ptx:
      return fmt::format("{} sm={} isa={}", word, target.ptx.name().substr(3), target.ptx.isa);
    case TargetKind::Spirv: {
      const SpirvTarget& t = target.spirv;
      return fmt::format("{} features={} subgroup={} push={}", word, print(t.features), t.subgroup,
                         t.push);
    }
    case TargetKind::OpenCl:
      return fmt::format("{} features={}", word, print(target.spirv.features));
    case TargetKind::WebGpu: {
      const WebGpuTarget& t = target.web;
      return fmt::format("{} features={} subgroup={} buffers={} shared={} threads={}{}", word,
                         print(t.features), t.subgroup, t.buffers, t.shared, t.threads,
                         t.doubles ? " f64=double-single" : "");
    }
  }
  return {};
}

ParsedTarget parse_target(std::string_view text) { return Parser(text).run(); }

unsigned known_sm(unsigned capability) {
  unsigned last = 0;
  for (const Sm& s : sms)
    if (s.number <= capability) last = s.number;
  return last;
}

unsigned isa_needed(unsigned sm, bool specific) {
  const Sm* const known = find_sm(sm);
  return !known ? 0 : specific ? known->specific : known->isa;
}

unsigned isa_of_driver(unsigned cuda) {
  unsigned last = 0;
  for (const Isa& i : isas)
    if (i.cuda <= cuda) last = i.number;
  return last;
}

PtxTarget writable(const PtxTarget& target) {
  PtxTarget result = target;
  if (target.specific) return result;
  for (const Sm& s : sms)
    if (s.number <= target.sm && s.isa <= target.isa) result.sm = s.number;
  return result;
}

std::span<const Quirk> quirks() {
  static constexpr Quirk rows[] = {
#define VULKAN_QUIRK(driver, Cure, versions, probe, symptom) \
  {"Vulkan: " #driver, #Cure, versions, probe, symptom},
#define VULKAN_LIMIT(driver, limit, most, versions, probe, symptom) \
  {"Vulkan: " #driver, "refused beyond " #most, versions, probe, symptom},
#define VULKAN_FRAGMENTS(driver, device, versions, probe, symptom) \
  {"Vulkan: " #driver ", " device, "Coop", versions, probe, symptom},
#define OPENCL_QUIRK(Cure, platform, versions, probe, symptom) \
  {"OpenCL: " platform, #Cure, versions, probe, symptom},
#define QUIRK(driver, cure, versions, probe, symptom) {driver, cure, versions, probe, symptom},
#include "support/quirks.def"
  };
  return rows;
}

}  // namespace krait::support
