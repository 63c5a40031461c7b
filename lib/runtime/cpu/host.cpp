// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/host.h"

#include <bit>
#include <cstring>
#include <string_view>

#include "runtime/cpu/debug.h"
#include "runtime/cpu/tile_registers.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/idioms.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <xmmintrin.h>
#endif

namespace krait::runtime::cpu {

#if defined(__x86_64__)

std::string host_lacks() { return {}; }

CpuLevel host_level() {
  __builtin_cpu_init();
  auto all = [](auto... has) { return (has && ...); };
  bool v3 = all(__builtin_cpu_supports("avx2"), __builtin_cpu_supports("fma"),
                __builtin_cpu_supports("bmi"), __builtin_cpu_supports("bmi2"));
  bool v4 = all(v3, __builtin_cpu_supports("avx512f"), __builtin_cpu_supports("avx512bw"),
                __builtin_cpu_supports("avx512cd"), __builtin_cpu_supports("avx512dq"),
                __builtin_cpu_supports("avx512vl"));
  return v4 ? CpuLevel::Avx512 : v3 ? CpuLevel::Avx2 : CpuLevel::Sse42;
}

std::string host_name() {
  unsigned words[12] = {};
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(0x80000000, &a, &b, &c, &d) || a < 0x80000004) return "x86-64";
  for (unsigned i = 0; i < 3; ++i) {
    unsigned* w = words + 4 * i;
    __get_cpuid(0x80000002 + i, w, w + 1, w + 2, w + 3);
  }
  char text[49] = {};
  std::memcpy(text, words, 48);
  std::string_view name = text;
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return std::string(name);
}

unsigned float_control() { return _mm_getcsr(); }
void set_float_control(unsigned control) { _mm_setcsr(control); }
void pause_core() { _mm_pause(); }

namespace {

bool host_is_amd() { return __builtin_cpu_is("amd"); }

/// LLVM's name of a processor that schedules like this one.
const char* tuning(CpuLevel level, bool amd) {
  if (level == CpuLevel::Sse42) return "x86-64-v2";
  if (level == CpuLevel::Avx2) return amd ? "znver3" : "haswell";
  return amd ? "znver4" : "icelake-server";
}

/// What processors of the level have, or have not.
std::string dots(CpuLevel level) {
  std::string words;
  const auto add = [&](bool has, const char* word) {
    if (has) words.append(words.empty() ? "" : ",").append(word);
  };
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool told = __get_cpuid_count(7, 1, &a, &b, &c, &d);
  if (level == CpuLevel::Avx512) {
    add(__builtin_cpu_supports("avx512vnni"), "+avx512vnni");
    add(told && (a >> 5 & 1), "+avx512bf16");
    // one processor has all three, or none
    const bool tiles = has_tile_registers();
    add(tiles, "+amx-tile"), add(tiles, "+amx-int8"), add(tiles, "+amx-bf16");
  }
  if (level == CpuLevel::Avx2) add(told && (a >> 4 & 1), "+avxvnni");
  return words;
}

}  // namespace

#else

std::string host_lacks() {
  return "Krait makes code for x86-64 processors only, and this process runs on another: "
         "use a GPU, or KRAIT_DEVICE=interpreter";
}

CpuLevel host_level() { return CpuLevel::Sse42; }
std::string host_name() { return "CPU"; }
unsigned float_control() { return default_float_control; }
void set_float_control(unsigned) {}
void pause_core() {}
namespace {
bool host_is_amd() { return false; }
const char* tuning(CpuLevel, bool) { return "generic"; }
std::string dots(CpuLevel) { return {}; }
}  // namespace

#endif

namespace {
support::Idiom idiom_named(const char* asked, std::string_view word) {
  const std::optional<support::Idiom> idiom = support::idiom_of(word);
  if (!idiom)
    support::fail_usage("KRAIT_CPU={}: there is no idiom \"{}\"; there are {}", asked, word,
                        support::idiom_words());
  return *idiom;
}
}  // namespace

void reset_float_control() { set_float_control(default_float_control); }

support::Target host_target() {
  const CpuLevel host = host_level();
  CpuLevel level = host;
  unsigned lanes = 0, parts = 0;
  bool amd = host_is_amd(), level_alone = false;
  support::Idioms without;
  const char* asked = support::environment("KRAIT_CPU");
  std::string_view rest = asked ? asked : "";
  // Later words win. A level that is named stands alone: code for it must not use what only this
  // processor has on top of it.
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    auto number = [&](std::string_view name) -> unsigned {
      if (!word.starts_with(name)) return 0;
      constexpr unsigned wrong = 1000;
      unsigned n = 0;
      for (char c : word.substr(name.size()))
        n = c >= '0' && c <= '9' && n < wrong / 10 ? n * 10 + unsigned(c - '0') : wrong;
      return n && n <= 64 && std::has_single_bit(n) ? n : 0;
    };
    if (word == "v2") level = CpuLevel::Sse42, level_alone = true;
    else if (word == "v3") level = CpuLevel::Avx2, level_alone = true;
    else if (word == "v4") level = CpuLevel::Avx512, level_alone = true;
    else if (word == "amd") amd = true;
    else if (word == "intel") amd = false;
    else if (unsigned n = number("lanes=")) lanes = n;
    else if (unsigned m = number("parts=")) parts = std::min(m, 8u);
    else if (word.starts_with('-')) without.set(std::size_t(idiom_named(asked, word.substr(1))));
    else
      support::fail_usage(
          "KRAIT_CPU={}: expected a list of v2, v3, v4, amd, intel, lanes=1..64, "
          "parts=1..8 and -IDIOM, not \"{}\"",
          asked, word);
  }
  // After the list: v4 may stand behind lanes=, whose default depends on it.
  if (level > host)
    support::fail_usage("KRAIT_CPU={}: this processor supports x86-64-v{} at most", asked,
                        unsigned(host));
  if (!lanes) lanes = level == CpuLevel::Avx512 ? 16 : level == CpuLevel::Avx2 ? 8 : 4;
  support::Target target{support::TargetKind::Cpu};
  target.cpu.lanes = lanes, target.cpu.parts = parts;
  target.cpu.cpu = fmt::format("x86-64-v{}", unsigned(level)), target.cpu.tune = tuning(level, amd);
  if (!level_alone) target.cpu.features = dots(level);
  const std::string left_out = support::text_of(without);
  target.cpu.features.append(left_out, target.cpu.features.empty() && !left_out.empty());
  target.cpu.debug = debugging();
  return target;
}

}  // namespace krait::runtime::cpu
