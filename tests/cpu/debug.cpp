// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a debugger finds of code made at run time: the list of gdb's interface is read back as gdb
// reads it.
#include <elf.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "ir/text/text.h"
#include "krait/error.h"
#include "passes/passes.h"
#include "runtime/cpu/executable.h"
#include "runtime/cpu/line_table.h"
#include "support/blobs/envelope.h"
#include "support/says.h"
#include "targets.h"

extern "C" {
struct jit_code_entry {
  jit_code_entry *next, *prev;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};
struct jit_descriptor {
  std::uint32_t version, action_flag;
  jit_code_entry *relevant_entry, *first_entry;
};
extern jit_descriptor __jit_debug_descriptor;
}

namespace krait::test {
namespace {

constexpr const char* kernel =
    "kir 1\nkernel @traced_sum fp(strict) flat (%0: view<i32, 1>) {\n  return\n}\n";

std::string blob() {
  const Compiled made = compile(kernel, targets().front());
  EXPECT_EQ(made.status, 0) << made.log;
  return made.data;
}

unsigned entries() {
  unsigned n = 0;
  for (const jit_code_entry* e = __jit_debug_descriptor.first_entry; e; e = e->next) ++n;
  return n;
}

struct Symbol {
  std::string name;
  std::uint64_t begin = 0, size = 0;
};
/// The one function of an object file of the list, its address as a debugger works it out.
std::optional<Symbol> function_of(const jit_code_entry& entry) {
  const char* file = entry.symfile_addr;
  Elf64_Ehdr header;
  std::memcpy(&header, file, sizeof header);
  if (entry.symfile_size < sizeof header || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return {};
  if (header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr) > entry.symfile_size) return {};
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), file + header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& s : sections) {
    if (s.sh_type != SHT_SYMTAB || s.sh_offset + s.sh_size > entry.symfile_size) continue;
    for (std::uint64_t at = 0; at < s.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, file + s.sh_offset + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      return Symbol{file + sections[s.sh_link].sh_offset + symbol.st_name,
                    sections[symbol.st_shndx].sh_addr + symbol.st_value, symbol.st_size};
    }
  }
  return {};
}

struct WithDebugging {
  explicit WithDebugging(const char* value) { setenv("KRAIT_DEBUG", value, 1); }
  ~WithDebugging() { unsetenv("KRAIT_DEBUG"); }
};

TEST(CpuDebug, DebuggersFindTheKernelByItsName) {
  const std::string bytes = blob();
  const unsigned before = entries();
  {
    const WithDebugging on("1");
    const runtime::cpu::Code code(std::as_bytes(std::span(bytes)), "traced_sum");
    ASSERT_EQ(__jit_debug_descriptor.version, 1u);
    ASSERT_EQ(entries(), before + 1);
    const std::optional<Symbol> found = function_of(*__jit_debug_descriptor.first_entry);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->name, "traced_sum");
    const auto entry = reinterpret_cast<std::uint64_t>(code.entry());
    EXPECT_EQ(found->begin, entry - code.facts().entry);
    support::Envelope envelope;
    ASSERT_EQ(support::open(bytes, support::TargetKind::Cpu, envelope), "");
    EXPECT_EQ(found->size, envelope.code.size());

    std::ifstream map("/tmp/perf-" + std::to_string(getpid()) + ".map");
    std::string line, last;
    while (std::getline(map, line)) last = line;
    char expected[80];
    std::snprintf(expected, sizeof expected, "%lx %lx traced_sum",
                  static_cast<unsigned long>(found->begin),
                  static_cast<unsigned long>(found->size));
    EXPECT_EQ(last, expected);
  }
  EXPECT_EQ(entries(), before);
  std::remove(("/tmp/perf-" + std::to_string(getpid()) + ".map").c_str());
}

TEST(CpuDebug, NothingIsToldUnlessAsked) {
  const std::string bytes = blob();
  const unsigned before = entries();
  const runtime::cpu::Code unasked(std::as_bytes(std::span(bytes)), "unasked");
  const WithDebugging off("0");
  const runtime::cpu::Code refused(std::as_bytes(std::span(bytes)), "refused");
  EXPECT_EQ(entries(), before);
}

/// Each operation on a line of its own.
void give_lines(ir::Module& module) {
  unsigned line = 0;
  for (ir::Function& f : module.functions)
    for (ir::Inst& inst : f.insts) {
      f.locations.push_back({"kernel.cpp", ++line});
      inst.loc = std::uint32_t(f.locations.size() - 1);
    }
}

// Where a debugger is told of it, the code is the same, with an object file behind it.
TEST(CpuDebug, InstructionsAreTheSame) {
  unsigned kernels = 0;
  const std::string target = targets().end()[-2];  // the widest, at its best
  for (const auto& file : std::filesystem::directory_iterator(KRAIT_TEST_KERNELS)) {
    const std::string name = file.path().stem().string();
    // a sample: all take half a minute
    if (file.path().extension() != ".kir" || name.size() % 4 != 0) continue;
    const std::string recorded = kernel_file(name).text({});
    constexpr std::size_t long_ones = 2'500;  // take most of the time
    if (recorded.size() > long_ones) continue;
    ir::Module module = ir::parse(recorded).module;
    ASSERT_EQ(passes::run_pipeline(module, {support::TargetKind::Cpu}), "");
    give_lines(module);
    const std::string text = ir::print(module, {.names = true, .locations = true});
    const Compiled plain = compile(text, target), debug = compile(text, target + " debug=on");
    if (plain.status == 1) continue;
    ASSERT_EQ(debug.status, 0) << debug.log;
    CpuCode own, own_debug;
    support::Envelope opened, opened_debug;
    ASSERT_EQ(support::open(plain.data, support::TargetKind::Cpu, opened), "");
    ASSERT_EQ(support::open(debug.data, support::TargetKind::Cpu, opened_debug), "");
    ASSERT_TRUE(opened.get_own(own) && opened_debug.get_own(own_debug));
    EXPECT_EQ(own.debug, CpuCode::no_entry);
    ASSERT_LT(own_debug.debug, opened_debug.code.size());
    EXPECT_TRUE(opened_debug.code.substr(0, own_debug.debug) == opened.code) << name;
    ++kernels;
  }
  EXPECT_GT(kernels, 20u);
}

// What debuggers are told is checked like the code.
TEST(CpuDebug, DamagedObjectsAreErrors) {
  ir::Module module = lowered("add_one", {}, {});
  give_lines(module);
  const std::string good = compile(ir::print(module, {.names = true, .locations = true}),
                                   targets().front() + " debug=on")
                               .data;
  support::Envelope envelope;
  ASSERT_EQ(support::open(good, support::TargetKind::Cpu, envelope), "");
  CpuCode own;
  ASSERT_TRUE(envelope.get_own(own));
  std::string code(envelope.code);
  for (const auto& [at, bytes] : {std::pair<std::size_t, std::size_t>{own.debug, 4},
                                  {own.debug + offsetof(Elf64_Ehdr, e_shoff), 8}}) {
    std::string broken = code;
    broken.replace(at, bytes, bytes, char(0x7e));
    envelope.code = broken;
    const std::string sealed = support::seal(envelope);
    try {
      const runtime::cpu::Code damaged(std::as_bytes(std::span(sealed)), "broken");
      ADD_FAILURE() << "taken";
    } catch (const error& e) {
      EXPECT_STREQ(
          e.message(),
          "kernel broken: its code is damaged: its debug information is not an object file");
    }
  }
}

/// The object that a compiled kernel, each of whose operations has a line of its own, tells
/// debuggers of itself.
struct WithLines {
  std::string data;
  std::string_view code;
  std::string object;
  WithLines() {
    ir::Module module = lowered("mandelbrot", {}, {});
    give_lines(module);
    data = compile(ir::print(module, {.names = true, .locations = true}),
                   targets().front() + " debug=on")
               .data;
    support::Envelope envelope;
    CpuCode own;
    EXPECT_EQ(support::open(data, support::TargetKind::Cpu, envelope), "");
    EXPECT_TRUE(envelope.get_own(own));
    code = envelope.code.substr(0, own.debug), object = envelope.code.substr(own.debug);
  }
};

TEST(CpuDebug, LinesOfAnObject) {
  const WithLines made;
  const auto lines = runtime::cpu::lines_of(std::as_bytes(std::span(made.object)));
  ASSERT_GT(lines.size(), 3u);
  std::set<unsigned> seen;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_LT(lines[i].at, made.code.size());
    EXPECT_EQ(lines[i].file, "kernel.cpp");
    EXPECT_LE(lines[i ? i - 1 : 0].at, lines[i].at);
    seen.insert(lines[i].line);
  }
  EXPECT_GT(seen.size(), 3u);
}

// Whatever an object has in the place of its tables, reading it ends, and within its bytes.
TEST(CpuDebug, LinesOfDamagedObjects) {
  const WithLines made;
  const auto lines = [](const std::string& object) {
    return runtime::cpu::lines_of(std::as_bytes(std::span(object))).size();
  };
  for (std::size_t size = 0; size < made.object.size(); size += 7)
    lines(std::string(made.object, 0, size));
  std::mt19937 random(7);
  for (int n = 0; n < 3000; ++n) {
    std::string broken = made.object;
    for (int k = 0; k < 4; ++k) broken[random() % broken.size()] = char(random());
    lines(broken);
  }
  EXPECT_EQ(lines(""), 0u);
}

// Header, lines, code: what perf inject reads.
TEST(CpuDebug, FileForPerf) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("krait-perf-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  setenv("KRAIT_PERF", folder.c_str(), 1);
  const WithLines made;
  { const runtime::cpu::Code code(std::as_bytes(std::span(made.data)), "with_lines"); }
  unsetenv("KRAIT_PERF");
  std::ifstream in(folder / ("jit-" + std::to_string(getpid()) + ".dump"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto number = [&](std::size_t at) {
    std::uint32_t n = 0;
    if (at + sizeof n <= bytes.size()) std::memcpy(&n, &bytes[at], sizeof n);
    return n;
  };
  EXPECT_EQ(number(0), 0x4A695444u);
  constexpr std::size_t lines = 40;
  EXPECT_EQ(number(lines), 2u);
  const std::size_t load = lines + number(lines + 4);
  EXPECT_EQ(number(load), 0u);
  EXPECT_EQ(load + number(load + 4), bytes.size());
  EXPECT_STREQ(bytes.c_str() + load + 56, "with_lines");
  EXPECT_TRUE(bytes.ends_with(made.code));
  std::filesystem::remove_all(folder);

  setenv("KRAIT_PERF", "/proc/none", 1);
  const pid_t child = fork();
  if (child == 0) {  // has a file of its own
    std::string said;
    try {
      const runtime::cpu::Code code(std::as_bytes(std::span(made.data)), "refused");
    } catch (const error& e) {
      said = test::without_place(e.message());
    }
    _exit(
        said ==
        "KRAIT_PERF: /proc/none/jit-" + std::to_string(getpid()) +
            ".dump cannot be written: No such file or directory: name a folder with room that you may write to");
  }
  int status = 0;
  waitpid(child, &status, 0);
  unsetenv("KRAIT_PERF");
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

TEST(CpuDebug, EntriesLeaveTheListInAnyOrder) {
  const std::string bytes = blob();
  const unsigned before = entries();
  const WithDebugging on("1");
  std::optional<runtime::cpu::Code> code[3];
  for (auto& c : code) c.emplace(std::as_bytes(std::span(bytes)), "one_of_three");
  code[1].reset();
  EXPECT_EQ(entries(), before + 2);
  code[2].reset(), code[0].reset();
  EXPECT_EQ(entries(), before);
  std::remove(("/tmp/perf-" + std::to_string(getpid()) + ".map").c_str());
}

}  // namespace
}  // namespace krait::test
